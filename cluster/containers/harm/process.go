package harm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
)

// inspect looks at a server's container, in whatever state that is.
func (s *Servers) inspect(ctx context.Context, m *member) (container.InspectResponse, error) {
	i, err := s.engine.ContainerInspect(ctx, m.Container, client.ContainerInspectOptions{})
	switch {
	case errdefs.IsNotFound(err):
		return i.Container, fmt.Errorf("%s is gone: somebody removed its container", m.Name())
	case err != nil:
		return i.Container, fmt.Errorf("look at the container of %s: %w", m.Name(), err)
	}
	return i.Container, nil
}

// kill ends the server's process, which is its container's first. The engine answers when it has ended.
func (s *Servers) kill(ctx context.Context, m *member) error {
	_, err := s.engine.ContainerKill(ctx, m.Container, client.ContainerKillOptions{Signal: "KILL"})
	return err
}

// proveKilled proves it by the engine's word and by a client's that finds nobody.
func (s *Servers) proveKilled(ctx context.Context, m *member) (string, error) {
	c, err := s.inspect(ctx, m)
	if err != nil {
		return "", err
	}
	if c.State.Running {
		return "", fmt.Errorf("the engine says of its container that it is %s", c.State.Status)
	}
	silence, err := m.silent(ctx)
	return fmt.Sprintf("its container is %s with %d; a client: %s", c.State.Status, c.State.ExitCode, silence), err
}

// pauseTries is how often a pause is tried before the engine is believed that it cannot be done.
const pauseTries = 10

// pause stops the server's process as it is. The kernel may fail to freeze a process that is busy just then ("unable to
// freeze", about one in ten with runc 1.1 and version 1 of cgroups); the engine leaves it running then.
func (s *Servers) pause(ctx context.Context, m *member) (err error) {
	for range pauseTries {
		_, err = s.engine.ContainerPause(ctx, m.Container, client.ContainerPauseOptions{})
		if err == nil || !strings.Contains(err.Error(), "unable to freeze") {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, context.Cause(ctx))
		case <-time.After(50 * time.Millisecond):
		}
	}
	return fmt.Errorf("tried %d times: %w", pauseTries, err)
}

// provePaused proves it by the engine's word and by a request that nobody answers. That a client can connect proves nothing:
// the kernel does that for a process that stands still.
func (s *Servers) provePaused(ctx context.Context, m *member) (string, error) {
	c, err := s.inspect(ctx, m)
	if err != nil {
		return "", err
	}
	if !c.State.Paused {
		return "", fmt.Errorf("the engine says of its container that it is %s", c.State.Status)
	}
	silence, err := m.silent(ctx)
	return fmt.Sprintf("its container is %s; a client: %s", c.State.Status, silence), err
}

// run makes the server's process run: started again when it has ended, with what it had stored and at the addresses that it
// had, or let go on.
func (s *Servers) run(ctx context.Context, m *member) error {
	c, err := s.inspect(ctx, m)
	if err != nil {
		return err
	}
	switch {
	case c.State.Paused:
		_, err = s.engine.ContainerUnpause(ctx, m.Container, client.ContainerUnpauseOptions{})
	case !c.State.Running:
		_, err = s.engine.ContainerStart(ctx, m.Container, client.ContainerStartOptions{})
	}
	return err
}
