package sim

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/single-writer/chaos/cluster/board"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// What can be done to servers. What a trouble does to a process is in server.go; what its peers and its clients make of that
// is theirs: failover.go, gossip.go.

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
func (w *World) fleets() []fleet { return []fleet{w.kafka, w.between} }

// Servers names the brokers and the nodes.
func (w *World) Servers() (names []string) {
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

// healing is the longest that a server may take to be well again.
const healing = 2 * time.Minute

// Heal takes from a server whatever is the matter with it.
func (w *World) Heal(name string) persistence.Call[string] {
	call := board.NewCall[string](w.board)
	f, at, err := w.find(name)
	if err != nil {
		return failed(call, err)
	}
	if f.servers()[at].healing {
		return failed(call, fmt.Errorf("%s is being healed already", name))
	}
	late := w.net.After(healing, func() {
		call.Finish("", persistence.Unknown, fmt.Errorf("%s was healed, and is not well within %s", name, healing))
	})
	heal(f, at, func(proof string) {
		late.Stop()
		call.Finish(name+" is well: "+proof, persistence.Answered, nil)
	})
	return call
}

// heal heals a server, and calls well when it is one of its kind again.
func heal(f fleet, at int, well func(proof string)) {
	s := f.servers()[at]
	s.heal(f.starts, func(anew bool) {
		f.runs(at, anew)
		s.watch = func() {
			if proof, is := f.well(at); is {
				s.healed()
				well(proof)
			}
		}
		s.look()
	})
}

func failed(call *board.Call[string], err error) *board.Call[string] {
	call.Finish("", persistence.Failed, err)
	return call
}
