package sim

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/single-writer/chaos/cluster/board"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// What can be done to servers. What a trouble does to a process is in server.go; what its peers and its clients make of that
// is theirs, in gossip.go for the store's nodes.

// silence is how long an answer is waited for until it is taken for a fact that there is none.
const silence = time.Second

// fleet is the servers of one kind.
type fleet interface {
	servers() []*server
	// struck is that trouble has come upon a server, runs that it has gone from it again: anew tells that its process is another.
	struck(server int)
	runs(server int, anew bool)
	// starts is how long a process takes to start.
	starts() time.Duration
	// well tells whether a server from which the trouble has gone is one of its kind again, and what shows it.
	well(server int) (proof string, is bool)
}

// fleets are all of them, Kafka's first.
func (w *World) fleets() []fleet { return []fleet{w.between} }

// Servers names the brokers and the nodes.
func (w *World) Servers() (names []string) {
	names = append(names, w.broker.name)
	for _, f := range w.fleets() {
		for _, s := range f.servers() {
			names = append(names, s.name)
		}
	}
	return names
}

// find finds a server of its fleet by its name.
func (w *World) find(name string) (f fleet, at int, err error) {
	for _, f := range w.fleets() {
		if i := slices.IndexFunc(f.servers(), func(s *server) bool { return s.name == name }); i >= 0 {
			return f, i, nil
		}
	}
	return nil, 0, fmt.Errorf("no server is called %s; there are: %s", name, strings.Join(w.Servers(), ", "))
}

// Cannot says why such trouble cannot come upon the server.
func (w *World) Cannot(name string, t workload.Trouble) string {
	if name == w.broker.name {
		return errUndone.Error()
	}
	f, _, err := w.find(name)
	if err != nil {
		return err.Error()
	}
	switch t {
	case workload.Killed, workload.Paused, workload.Unreachable, workload.Full:
		return ""
	case workload.Isolated, workload.Deaf, workload.Mute:
		if len(f.servers()) == 1 {
			return fmt.Sprintf("%s has no peers that it could be cut off from: it is the only one of its kind", name)
		}
		return ""
	}
	return fmt.Sprintf("nothing is known of a trouble called %q", t)
}

// Strike brings trouble upon a server.
func (w *World) Strike(name string, t workload.Trouble) persistence.Call[string] {
	call := board.NewCall[string](w.board)
	if why := w.Cannot(name, t); why != "" {
		return failed(call, fmt.Errorf("%s cannot be %s here: %s", name, t, why))
	}
	f, at, _ := w.find(name)
	s := f.servers()[at]
	if s.trouble != "" {
		return failed(call, fmt.Errorf("%s is %s already: heal it first", name, s.trouble))
	}
	s.strike(t)
	f.struck(at)
	w.net.After(silence, func() { call.Finish(s.name+" "+s.shows(), persistence.Answered, nil) })
	return call
}

// Heal takes it from it again.
func (w *World) Heal(name string) persistence.Call[string] {
	call := board.NewCall[string](w.board)
	f, at, err := w.find(name)
	if err != nil {
		return failed(call, err)
	}
	s := f.servers()[at]
	switch {
	case s.trouble == "":
		return failed(call, fmt.Errorf("nothing is the matter with %s", name))
	case s.healing:
		return failed(call, fmt.Errorf("%s is being healed already", name))
	}
	s.heal(f.starts, func(anew bool) {
		f.runs(at, anew)
		s.watch = func() {
			proof, is := f.well(at)
			if !is {
				return
			}
			s.healed()
			call.Finish(proof, persistence.Answered, nil)
		}
		s.look()
	})
	return call
}

func failed(call *board.Call[string], err error) *board.Call[string] {
	call.Finish("", persistence.Failed, err)
	return call
}

var errUndone = errors.New("the simulated brokers cannot be harmed yet")

// Playing fails.
func (w *World) Playing(workload.Role) persistence.Call[string] { return w.undone() }

// Move fails.
func (w *World) Move(workload.Role, string) persistence.Call[string] { return w.undone() }

// Elect fails.
func (w *World) Elect(string) persistence.Call[string] { return w.undone() }

func (w *World) undone() persistence.Call[string] {
	return failed(board.NewCall[string](w.board), errUndone)
}
