package images

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/moby/moby/api/types/build"
	"github.com/moby/moby/api/types/jsonstream"
	"github.com/moby/moby/client"
)

// jars fetches a server's jars with everything that they depend on, and returns their folder.
func (b *builder) jars(ctx context.Context, kind Kind) (string, error) {
	project := filepath.Join(b.dir, strings.ToLower(kind.String()))
	jars := filepath.Join(project, "jars")
	if err := os.MkdirAll(jars, 0o755); err != nil {
		return "", fmt.Errorf("make a folder for the jars of %s: %w", kind, err)
	}
	text, err := pom(kind)
	if err != nil {
		return "", err
	}
	file := filepath.Join(project, "pom.xml")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return "", fmt.Errorf("write the Maven project of %s: %w", kind, err)
	}
	b.say("%s: fetching the jars with Maven", kind)
	c := command(ctx, "mvn", "--batch-mode", "--no-transfer-progress", "--file", file,
		// Pinned, or Maven takes whatever plugin is the newest today.
		"org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies",
		"-DincludeScope=runtime", "-DoutputDirectory="+jars)
	// Maven writes its errors to standard output.
	var output strings.Builder
	c.Stdout = &output
	if err := run(ctx, c); err != nil {
		if ctx.Err() == nil {
			err = fmt.Errorf("%w%s", err, lastLines(strings.NewReader(output.String()), 15))
		}
		return "", fmt.Errorf("fetch the jars of %s: %w", kind, err)
	}
	found, err := filepath.Glob(filepath.Join(jars, "*.jar"))
	if err != nil {
		return "", fmt.Errorf("fetch the jars of %s: %w", kind, err)
	}
	if len(found) == 0 {
		return "", fmt.Errorf("fetch the jars of %s: Maven copied none", kind)
	}
	b.say("%s: %d jars", kind, len(found))
	return jars, nil
}

// server makes the image of a server on top of the base image.
func (b *builder) server(ctx context.Context, kind Kind, jars, recipe string) error {
	began := time.Now()
	old := b.id(ctx, kind.local())
	var err error
	switch kind {
	case Kafka:
		err = b.kafka(ctx, jars, recipe)
	default:
		err = b.dockerBuild(ctx, "cassandra.Dockerfile", Base, kind.local(), recipe, map[string]string{"jars": jars})
	}
	if err != nil {
		return fmt.Errorf("build %s: %w", kind.local(), err)
	}
	b.forget(ctx, old, kind.local())
	return b.report(ctx, kind.local(), began)
}

// kafka makes the broker's image in two steps. The second adds archives of the classes that a broker
// loads, for which a broker must have run; they halve its start-up time. A broker starts without them
// too, so a failure there is told and not fatal.
func (b *builder) kafka(ctx context.Context, jars, recipe string) error {
	// A name of its own: under the final one an interrupted build would pass for a finished one.
	plain := fmt.Sprintf("%s-plain-%d", KafkaLocal, os.Getpid())
	if err := b.dockerBuild(ctx, "kafka.Dockerfile", Base, plain, recipe, map[string]string{"jars": jars}); err != nil {
		return err
	}
	defer b.untag(ctx, plain)

	b.say("Kafka: running a broker once to archive its classes")
	archives, err := b.archives(ctx, plain)
	if err == nil {
		return b.dockerBuild(ctx, "kafka-archives.Dockerfile", plain, KafkaLocal, recipe, map[string]string{"archives": archives})
	}
	if ctx.Err() != nil {
		return err
	}
	b.say("Kafka: no class archives, brokers will start slower: %v", err)
	if _, err := b.engine.ImageTag(ctx, client.ImageTagOptions{Source: plain, Target: KafkaLocal}); err != nil {
		return fmt.Errorf("name the image without class archives: %w", err)
	}
	return nil
}

// dockerBuild builds an image from a Dockerfile of the recipe. folders are those that it copies, by
// their names in the build context.
func (b *builder) dockerBuild(ctx context.Context, dockerfile, from, ref, recipe string, folders map[string]string) error {
	text, err := fill(dockerfile, map[string]string{"From": from})
	if err != nil {
		return err
	}
	r, w := io.Pipe()
	defer r.Close() // ends the writer below
	go func() { w.CloseWithError(writeContext(w, text, folders)) }()
	result, err := b.engine.ImageBuild(ctx, r, client.ImageBuildOptions{
		Tags:    []string{ref},
		Version: build.BuilderV1, // the only one that every engine has
		Labels:  map[string]string{recipeLabel: recipe},
		Remove:  true, ForceRemove: true,
		NetworkMode: "none",
	})
	if err != nil {
		return fmt.Errorf("build from %s: %w", dockerfile, err)
	}
	defer result.Body.Close()
	if err := drain(result.Body); err != nil {
		return fmt.Errorf("build from %s: %w", dockerfile, err)
	}
	return nil
}

// writeContext writes a build context: the Dockerfile and the regular files of the folders.
func writeContext(w io.Writer, dockerfile []byte, folders map[string]string) error {
	t := tar.NewWriter(w)
	if err := t.WriteHeader(&tar.Header{Name: "Dockerfile", Mode: 0o644, Size: int64(len(dockerfile))}); err != nil {
		return err
	}
	if _, err := t.Write(dockerfile); err != nil {
		return err
	}
	for name, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := writeFile(t, filepath.Join(folder, e.Name()), name+"/"+e.Name()); err != nil {
				return err
			}
		}
	}
	return t.Close()
}

func writeFile(t *tar.Writer, path, name string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := t.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: info.Size(), ModTime: info.ModTime()}); err != nil {
		return err
	}
	_, err = io.Copy(t, f)
	return err
}

// drain reads the engine's progress to its end, which is when the work is done, and returns the error
// that it may hold.
func drain(r io.Reader) error {
	for d := json.NewDecoder(r); ; {
		var m jsonstream.Message
		if err := d.Decode(&m); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read the engine's progress: %w", err)
		}
		if m.Error != nil {
			return m.Error
		}
	}
}

// id returns the id of the image that a reference stands for now, or "".
func (b *builder) id(ctx context.Context, ref string) string {
	i, err := b.engine.ImageInspect(ctx, ref)
	if err != nil {
		return ""
	}
	return i.ID
}

// forget removes the image that ref stood for before it was built anew. One that a container or
// another image still uses stays; it is the engine's to refuse.
func (b *builder) forget(ctx context.Context, old, ref string) {
	if old != "" && old != b.id(ctx, ref) {
		_, _ = b.engine.ImageRemove(ctx, old, client.ImageRemoveOptions{PruneChildren: true})
	}
}

// untag removes a name that was only needed on the way, also after ctx has ended.
func (b *builder) untag(ctx context.Context, ref string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	_, _ = b.engine.ImageRemove(ctx, ref, client.ImageRemoveOptions{PruneChildren: true})
}
