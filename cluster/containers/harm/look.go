package harm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/single-writer/chaos/workload"
)

// Found is what engine and kernel say is the matter with a server.
type Found struct {
	Server string
	// Ended, with the exit code, is of one whose process does not run.
	Ended    bool
	ExitCode int
	Paused   bool
	// Cut is of one some of whose packets are dropped, Full of one that may not write.
	Cut, Full bool
}

func (f Found) well() bool { return !f.Ended && !f.Paused && !f.Cut && !f.Full }

func (f Found) String() string {
	var parts []string
	if f.Ended {
		parts = append(parts, fmt.Sprintf("it ended, with %d", f.ExitCode))
	}
	if f.Paused {
		parts = append(parts, "it is paused")
	}
	if f.Cut {
		parts = append(parts, "it is cut off")
	}
	if f.Full {
		parts = append(parts, "it cannot write")
	}
	return strings.Join(parts, " and ")
}

// trouble is the one that makes a server look like this, or one like it.
func (f Found) trouble() workload.Trouble {
	switch {
	case f.Ended:
		return workload.Killed
	case f.Paused:
		return workload.Paused
	case f.Full:
		return workload.Full
	}
	return workload.Isolated
}

// look looks at a server. Who may not look into its process, or has no program for its network, sees no limit and no cut: nor could
// have made any.
func (s *Servers) look(ctx context.Context, m *member) (f Found, err error) {
	f.Server = m.Name()
	c, err := s.inspect(ctx, m)
	if err != nil {
		return f, err
	}
	f.Ended, f.Paused = !c.State.Running, c.State.Paused
	if f.Ended {
		f.ExitCode = c.State.ExitCode
		return f, nil
	}
	if s.noWayIn() != "" {
		return f, nil
	}
	pid, err := s.process(ctx, m)
	if err != nil {
		return f, err
	}
	if f.Full, err = limited(pid); err != nil || s.noWayIn(cutting...) != "" {
		return f, err
	}
	saved, err := s.saved(ctx, m)
	f.Cut = strings.Contains(saved, " -j DROP")
	return f, err
}

// Look gives those servers that something is the matter with.
func (s *Servers) Look(ctx context.Context) (harmed []Found, err error) {
	found, errs := make([]Found, len(s.all)), make([]error, len(s.all))
	var wg sync.WaitGroup
	for i, m := range s.all {
		wg.Go(func() { found[i], errs[i] = s.look(ctx, m) })
	}
	wg.Wait()
	return slices.DeleteFunc(found, Found.well), errors.Join(errs...)
}
