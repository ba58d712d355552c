package images

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"
)

// Options says how [Build] builds.
type Options struct {
	// Out receives progress, a line at a time. Nil is nowhere.
	Out io.Writer
	// Force builds also what the engine already has.
	Force bool
}

// Build builds the local images that the engine lacks, or that were built by another recipe than
// today's. What it needs (root, debootstrap, Maven) is looked for only when there is something to
// build. It takes one to three minutes, and leaves nothing but the images, also when it fails or ctx
// ends.
func Build(ctx context.Context, o Options) (err error) {
	engine, err := Connect(ctx)
	if err != nil {
		return err
	}
	defer engine.Close()
	b := &builder{engine: engine, out: o.Out, began: time.Now()}

	todo, err := b.missing(ctx, o.Force)
	if err != nil {
		return err
	}
	if len(todo) == 0 {
		b.say("nothing to build: %s and %s are there", KafkaLocal, CassandraLocal)
		return nil
	}
	if err := b.prepare(todo); err != nil {
		return err
	}
	b.dir, err = os.MkdirTemp("", "chaos-images-")
	if err != nil {
		return fmt.Errorf("make a folder to build the images in: %w", err)
	}
	defer func() {
		if e := os.RemoveAll(b.dir); e != nil {
			err = errors.Join(err, fmt.Errorf("remove the build folder: %w", e))
		}
	}()
	return b.build(ctx, todo)
}

// builder builds images in one temporary folder.
type builder struct {
	engine *client.Client
	dir    string
	began  time.Time

	mu  sync.Mutex
	out io.Writer
}

// say writes one line of progress.
func (b *builder) say(format string, args ...any) {
	if b.out == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	fmt.Fprintf(b.out, "%6.1fs  %s\n", time.Since(b.began).Seconds(), fmt.Sprintf(format, args...))
}

// plan is what is to be built: references to recipes.
type plan map[string]string

func (b *builder) missing(ctx context.Context, force bool) (plan, error) {
	base, servers, err := recipes()
	if err != nil {
		return nil, err
	}
	todo := plan{}
	for ref, recipe := range (plan{Base: base, KafkaLocal: servers[Kafka], CassandraLocal: servers[Cassandra]}) {
		has, err := b.recipeOf(ctx, ref)
		if err != nil {
			return nil, err
		}
		if force || has != recipe {
			todo[ref] = recipe
		}
	}
	return todo, nil
}

// recipeOf returns the recipe of an image of the engine, or "" when there is no such image.
func (b *builder) recipeOf(ctx context.Context, ref string) (string, error) {
	i, err := b.engine.ImageInspect(ctx, ref)
	switch {
	case errdefs.IsNotFound(err):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("look for the image %s: %w", ref, err)
	case i.Config == nil:
		return "", nil
	}
	return i.Config.Labels[recipeLabel], nil
}

// prepare finds out early what the build would fail for later.
func (b *builder) prepare(todo plan) error {
	var needs []MissingToolError
	_, base := todo[Base]
	if base {
		needs = append(needs, MissingToolError{"debootstrap", "debootstrap"}, MissingToolError{"tar", "tar"})
	}
	if len(todo) > 1 || !base {
		needs = append(needs, MissingToolError{"mvn", "maven"})
	}
	var missing []error
	for _, need := range needs {
		if !installed(need.Tool) {
			missing = append(missing, &need)
		}
	}
	if base && os.Geteuid() != 0 {
		missing = append(missing, &NotRootError{})
	}
	return errors.Join(missing...)
}

// build makes the base image and, at the same time, fetches the jars: the one is bound by the
// processor, the other by the network.
func (b *builder) build(ctx context.Context, todo plan) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	defer wg.Wait() // before the build folder goes
	based := make(chan struct{})
	wg.Go(func() {
		defer close(based)
		if recipe, ok := todo[Base]; ok {
			if err := b.base(ctx, recipe); err != nil {
				cancel(err)
			}
		}
	})

	err := func() error {
		jars := map[Kind]string{}
		for _, kind := range []Kind{Kafka, Cassandra} {
			if _, ok := todo[kind.local()]; ok {
				folder, err := b.jars(ctx, kind)
				if err != nil {
					return err
				}
				jars[kind] = folder
			}
		}
		<-based
		for _, kind := range []Kind{Kafka, Cassandra} {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			if folder, ok := jars[kind]; ok {
				if err := b.server(ctx, kind, folder, todo[kind.local()]); err != nil {
					return err
				}
			}
		}
		return context.Cause(ctx)
	}()
	if err != nil {
		cancel(err)               // also ends the making of the base
		return context.Cause(ctx) // the first cause, of which the others are only consequences
	}
	return nil
}

// report says that an image is built.
func (b *builder) report(ctx context.Context, ref string, since time.Time) error {
	i, err := b.engine.ImageInspect(ctx, ref)
	if err != nil {
		return fmt.Errorf("look at the new image %s: %w", ref, err)
	}
	b.say("built %s: %d MB in %.0f s", ref, i.Size/1e6, time.Since(since).Seconds())
	return nil
}
