package images

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/moby/moby/client"
)

// left is what of the base system does not go into the image: the kernel's own folders, which the
// engine mounts, and what only a person or an installer reads.
var left = []string{
	"./dev/*", "./proc/*", "./sys/*", "./run/*", "./tmp/*",
	"./var/cache/apt/*", "./var/lib/apt/lists/*", "./var/log/*",
	"./usr/share/doc/*", "./usr/share/man/*", "./usr/share/info/*", "./usr/share/locale/*",
}

// base makes the image that the servers' images are built on: a minimal Debian with a Java runtime.
func (b *builder) base(ctx context.Context, recipe string) error {
	began := time.Now()
	root := filepath.Join(b.dir, "root")
	args := []string{"--variant=minbase", "--include=" + strings.Join(packages, ","), suite, root}
	from := mirror(os.DirFS("/etc/apt"))
	if from != "" {
		args = append(args, from)
		b.say("base: debootstrap of %s from %s (about a minute)", suite, from)
	} else {
		b.say("base: debootstrap of %s from its default mirror (about a minute)", suite)
	}
	c := command(ctx, "debootstrap", args...)
	c.Stdout = io.Discard // hundreds of lines of progress; the errors have their own log
	if err := run(ctx, c); err != nil {
		if log, e := os.Open(filepath.Join(root, "debootstrap", "debootstrap.log")); e == nil && ctx.Err() == nil {
			defer log.Close()
			err = fmt.Errorf("%w\n  debootstrap.log ends:\n%s", err, lastLines(log, 15))
		}
		return fmt.Errorf("make the base system: %w", err)
	}

	b.say("base: importing it into the engine")
	old := b.id(ctx, Base)
	if err := b.importFolder(ctx, root, recipe); err != nil {
		return fmt.Errorf("import the base system: %w", err)
	}
	b.forget(ctx, old, Base)
	// Half a gigabyte that the rest of the build does not need.
	if err := os.RemoveAll(root); err != nil {
		return fmt.Errorf("remove the imported base system: %w", err)
	}
	return b.report(ctx, Base, began)
}

func (b *builder) importFolder(ctx context.Context, root, recipe string) (err error) {
	args := []string{"--create", "--numeric-owner", "--directory=" + root}
	for _, pattern := range left {
		args = append(args, "--exclude="+pattern)
	}
	// tar, not archive/tar: it knows all of hard links, device files and owners.
	c := command(ctx, "tar", append(args, ".")...)
	r, w := io.Pipe()
	c.Stdout = w
	tarred := make(chan error, 1)
	go func() {
		err := run(ctx, c)
		w.CloseWithError(err)
		tarred <- err
	}()
	defer func() {
		r.Close() // lets a tar end that nobody reads from any more
		if e := <-tarred; e != nil && !errors.Is(e, io.ErrClosedPipe) {
			err = errors.Join(err, e)
		}
	}()

	response, err := b.engine.ImageImport(ctx, client.ImageImportSource{Source: r, SourceName: "-"}, Base, client.ImageImportOptions{
		Message: "debootstrap " + suite,
		Changes: []string{
			"ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
			"LABEL " + recipeLabel + "=" + recipe,
		},
	})
	if err != nil {
		return err
	}
	defer response.Close()
	return drain(response)
}
