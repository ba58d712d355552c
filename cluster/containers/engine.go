package containers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
)

// engine is a container engine, with what this package asks of it.
type engine struct{ *client.Client }

// engineTime limits a call that makes something. Such calls are not given the caller's context: a
// create whose answer is not waited for may still happen, after the clean-up looked for what to remove.
const engineTime = time.Minute

// runs is an error when a container does not.
func (e engine) runs(ctx context.Context, id string) error {
	i, err := e.ContainerInspect(ctx, id, client.ContainerInspectOptions{})
	switch {
	case errdefs.IsNotFound(err):
		return errVanished
	case err != nil:
		return fmt.Errorf("look at its container: %w", err)
	}
	switch state := i.Container.State; state.Status {
	case container.StateRunning:
		return nil
	case container.StateExited, container.StateDead:
		return errEnded{state.ExitCode}
	default:
		return fmt.Errorf("its container is %s", state.Status)
	}
}

// running returns a check that a container still runs. An engine that does not say is not an answer.
func (e engine) running(id string) func(context.Context) error {
	return func(ctx context.Context) error {
		i, err := e.ContainerInspect(ctx, id, client.ContainerInspectOptions{})
		switch {
		case errdefs.IsNotFound(err):
			return errVanished
		case err == nil && (i.Container.State.Status == container.StateExited || i.Container.State.Status == container.StateDead):
			return errEnded{i.Container.State.ExitCode}
		}
		return nil
	}
}

// log returns a container's log, or its last lines.
func (e engine) log(ctx context.Context, id, tail string) (string, error) {
	stream, err := e.ContainerLogs(ctx, id, client.ContainerLogsOptions{ShowStdout: true, ShowStderr: true, Tail: tail})
	if err != nil {
		return "", fmt.Errorf("read a container's log: %w", err)
	}
	defer stream.Close()
	var text bytes.Buffer
	if _, err := stdcopy.StdCopy(&text, &text, stream); err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read a container's log: %w", err)
	}
	return text.String(), nil
}
