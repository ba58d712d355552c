package images

import (
	"context"
	"fmt"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"
)

// NoEngineError says that no Docker engine answers.
type NoEngineError struct {
	Host  string // the address that was tried
	Cause error
}

func (e *NoEngineError) Error() string {
	return fmt.Sprintf("no Docker engine answers at %s: %v (start it, or set DOCKER_HOST to where one runs; `--cluster sim` needs none)", e.Host, e.Cause)
}

func (e *NoEngineError) Unwrap() error { return e.Cause }

// Connect returns a client of the engine that DOCKER_HOST names, or of this machine's, after it has
// answered. The caller closes it. The error is a [NoEngineError] when there is none.
func Connect(ctx context.Context) (*client.Client, error) {
	engine, err := client.New(client.FromEnv)
	if err != nil {
		return nil, &NoEngineError{Host: "DOCKER_HOST", Cause: err}
	}
	// A local engine answers in milliseconds; a stuck one must not hold up the error for long.
	ping, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if _, err := engine.Ping(ping, client.PingOptions{}); err != nil {
		engine.Close()
		if ctx.Err() != nil {
			return nil, fmt.Errorf("connect to the Docker engine: %w", context.Cause(ctx))
		}
		return nil, &NoEngineError{Host: engine.DaemonHost(), Cause: err}
	}
	return engine, nil
}

// engine is what finding an image needs of the Docker engine.
type engine interface {
	// has tells whether the engine has the image.
	has(ctx context.Context, ref string) (bool, error)
	// pull fetches the image from its registry.
	pull(ctx context.Context, ref string) error
}

// docker is the real engine.
type docker struct{ *client.Client }

func (d docker) has(ctx context.Context, ref string) (bool, error) {
	_, err := d.ImageInspect(ctx, ref)
	switch {
	case err == nil:
		return true, nil
	case errdefs.IsNotFound(err):
		return false, nil
	}
	return false, fmt.Errorf("look for the image %s: %w", ref, err)
}

// patience is how long a pull may go without any progress. It is not a limit on the whole pull: a slow
// registry is fine, and one that can't be reached must not hold up the advice to build the images.
const patience = 15 * time.Second

func (d docker) pull(ctx context.Context, ref string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	idle := time.AfterFunc(patience, func() {
		cancel(fmt.Errorf("no progress for %s", patience))
	})
	defer idle.Stop()

	pulling := func() error {
		response, err := d.ImagePull(ctx, ref, client.ImagePullOptions{})
		if err != nil {
			return err
		}
		defer response.Close()
		for message, err := range response.JSONMessages(ctx) {
			if err != nil {
				return err
			}
			if message.Error != nil {
				return message.Error
			}
			idle.Reset(patience)
		}
		return nil
	}
	if err := pulling(); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return fmt.Errorf("pull %s: %w", ref, err)
	}
	return nil
}
