package harm

import (
	"context"
	"fmt"

	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// harm is how one trouble is brought about and proved.
type harm struct {
	bring func(ctx context.Context, m *member) error
	// prove gives the fact that shows it, and fails where there is none.
	prove func(ctx context.Context, m *member) (string, error)
}

func (s *Servers) harms() map[workload.Trouble]harm {
	cut := func(t workload.Trouble) harm {
		return harm{
			bring: func(ctx context.Context, m *member) error { return s.cut(ctx, m, t) },
			prove: func(ctx context.Context, m *member) (string, error) { return s.proveCut(ctx, m, t) },
		}
	}
	return map[workload.Trouble]harm{
		workload.Killed:      {s.kill, s.proveKilled},
		workload.Paused:      {s.pause, s.provePaused},
		workload.Isolated:    cut(workload.Isolated),
		workload.Deaf:        cut(workload.Deaf),
		workload.Mute:        cut(workload.Mute),
		workload.Unreachable: cut(workload.Unreachable),
		workload.Full:        {s.fill, s.proveFull},
	}
}

// Strike brings trouble upon a server that is well, and gives the proof of it. Unless the error says that it has no effect, the
// server may be harmed when it fails, until it is healed.
func (s *Servers) Strike(ctx context.Context, server string, t workload.Trouble) (string, error) {
	m, err := s.claim(ctx, server, t)
	if err != nil {
		return "", &persistence.Error{Code: "refused", NoEffect: true, Err: err}
	}
	if err := s.harms()[t].bring(ctx, m); err != nil {
		return "", fmt.Errorf("bring it about that %s is %s: %w", server, t, err)
	}
	return s.Prove(ctx, server, t)
}

// Prove gives what proves that a server has such trouble, and fails where it has not. [Servers.Strike] ends with it.
func (s *Servers) Prove(ctx context.Context, server string, t workload.Trouble) (string, error) {
	m, err := s.find(server)
	if err != nil {
		return "", err
	}
	proof, err := s.harms()[t].prove(ctx, m)
	if err != nil {
		return "", fmt.Errorf("%s is not seen to be %s: %w", server, t, err)
	}
	return proof, nil
}

// claim marks a server that is well as one in trouble.
func (s *Servers) claim(ctx context.Context, server string, t workload.Trouble) (*member, error) {
	if why := s.Cannot(server, t); why != "" {
		return nil, fmt.Errorf("%s cannot be %s here: %s", server, t, why)
	}
	m, err := s.find(server)
	if err != nil {
		return nil, err
	}
	if err := s.begin(m, t); err != nil {
		return nil, err
	}
	found, err := s.look(ctx, m)
	if err == nil && !found.well() {
		err = fmt.Errorf("%s cannot be %s: %s; heal it first", server, t, found)
	}
	if err != nil {
		s.end(m)
		return nil, err
	}
	return m, nil
}
