package nemesis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// Kind is a kind of target: what a fault is done to.
type Kind string

// The kinds of target.
const (
	// Worker is a worker by its name, Flush the flush of one that flushes apart: a/flush.
	Worker Kind = "worker"
	Flush  Kind = "flush"
	// Account is an account of the input, Accounts the word "all", for all of them.
	Account  Kind = "account"
	Accounts Kind = "accounts"
	// Server is a server by its name, kafka-2 or cassandra-1; PlayedBy a role, which stands for the broker that has it when the
	// fault is done; AnotherServer the word "another", for the next broker that is well and has not the role that the fault is
	// about; AllServers the word "all", for all that are not well.
	Server        Kind = "server"
	PlayedBy      Kind = "role"
	AnotherServer Kind = "another"
	AllServers    Kind = "servers"
)

// The words that stand for targets.
const (
	All     = workload.AllKeys
	Another = "another"
)

// Fault is something that the nemesis can do: an entry of the registry.
type Fault struct {
	Name string
	// On are the kinds of target that it takes.
	On []Kind
	// Does says what it does, Real how that differs on real servers, where it does.
	Does, Real string
	// With are the parameters that it takes besides its target; none where it is written with that alone.
	With []Parameter
	// Proof is what shows that it took effect, Heal how it ends. It is empty for what is over when it is done.
	Proof, Heal string
	// Brokers and Nodes are how many servers of that kind there must be, for it to be done to one of them; 0 where it is never
	// done to that kind.
	Brokers, Nodes int

	// trouble is what it brings upon a server. Change is there instead where it changes who does what among servers, role what
	// that is about.
	trouble workload.Trouble
	change  func(s workload.Servers, server string) persistence.Call[string]
	role    workload.Role
	// cures tells that it is done to a server that is not well, and ends with its being well.
	cures bool
	// effect is what becomes of a message, of a fault that arms a rule.
	effect workload.Effect
	// do does what is done to workers and rows, and gives its proof.
	do func(r *Runner, w workload.World, target string) (proof string, err error)
	// arm is there instead of do for what takes effect only when the worker comes to it, after the step is done: the call
	// ends with the proof.
	arm func(r *Runner, a Action) (persistence.Call[string], error)
}

// Parameter is a word that a fault takes in a plan, besides its target.
type Parameter struct {
	Name, Meaning string
	// Needed tells that it has no standard.
	Needed bool
}

// Effect is what becomes of a message, where the fault arms a rule on the wire; else it is empty.
func (f *Fault) Effect() workload.Effect { return f.effect }

// OnWire tells whether it arms something on the wire of a worker, in whatever life: the worker need not run.
func (f *Fault) OnWire() bool {
	return f.effect != "" || f.Name == history.FaultCutOff || f.Name == history.FaultLift
}

// Takes tells whether it can be done to such a target.
func (f *Fault) Takes(k Kind) bool { return slices.Contains(f.On, k) }

// OnServers tells whether it is done to servers.
func (f *Fault) OnServers() bool { return f.Takes(Server) }

// Cures tells whether it is done to a server that is not well, which it leaves well.
func (f *Fault) Cures() bool { return f.cures }

// Strikes tells whether it leaves a server that is not well until it is healed.
func (f *Fault) Strikes() bool { return f.trouble != "" }

// Faults is the registry: all faults, sorted by name.
func Faults() []Fault { return slices.Clone(registry) }

// FaultNames are the names of all faults.
func FaultNames() []string {
	names := make([]string, len(registry))
	for i := range registry {
		names[i] = registry[i].Name
	}
	return names
}

// Named finds a fault.
func Named(name string) (*Fault, bool) {
	for i := range registry {
		if registry[i].Name == name {
			return &registry[i], true
		}
	}
	return nil, false
}

// do does one action: it is announced, done, and proved.
func (r *Runner) do(w workload.World, a Action) error {
	f, ok := Named(a.Fault)
	if !ok {
		return fmt.Errorf("no fault is called %q; there are: %s", a.Fault, strings.Join(FaultNames(), ", "))
	}
	if err := r.doFault(w, f, a); err != nil {
		return fmt.Errorf("%s %s: %w", a.Fault, a.Target, err)
	}
	return nil
}

func (r *Runner) doFault(w workload.World, f *Fault, a Action) error {
	switch {
	case f.Name == history.FaultHealServer:
		return r.heal(w, a)
	case f.OnServers():
		return r.doToServer(w, f, a)
	}
	told := r.announce(w, a, "")
	if f.arm != nil {
		return r.later(w, a, told, f.arm)
	}
	proof, err := f.do(r, w, a.Target)
	if err != nil {
		return err
	}
	r.proved(w, told, proof)
	return nil
}

// announce notes that an action is ordered, and gives what was noted.
func (r *Runner) announce(w workload.World, a Action, server string) history.FaultDone {
	told := history.FaultDone{Fault: a.Fault, Target: a.Target, Server: server, With: a.with(), Phase: history.PhaseBegin}
	if server == "" {
		told.Life, _ = r.Crew.Life(history.WorkerOf(a.Target))
	}
	begun := told
	w.Note(history.Fault, &begun)
	return told
}

// proved notes that its effect was proved. A start has given its target a life by then.
func (r *Runner) proved(w workload.World, told history.FaultDone, proof string) {
	if told.Server == "" {
		told.Life, _ = r.Crew.Life(history.WorkerOf(told.Target))
	}
	told.Phase, told.Proof = history.PhaseDone, proof
	w.Note(history.Fault, &told)
}

// Targets says what it is done to, as a plan writes it.
func (f *Fault) Targets() []string {
	var out []string
	for _, k := range f.On {
		switch k {
		case Worker:
			out = append(out, "a worker")
		case Flush:
			out = append(out, "its flush (a/flush)")
		case Account:
			out = append(out, "an account")
		case Accounts, AllServers:
			out = append(out, All)
		case Server:
			out = append(out, f.servers())
		case PlayedBy:
			for _, r := range workload.Roles() {
				out = append(out, string(r))
			}
		case AnotherServer:
			out = append(out, Another)
		}
	}
	return out
}

// Parameters says in words what it takes besides its target.
func (f *Fault) Parameters() string {
	var out []string
	for _, p := range f.With {
		out = append(out, p.Name+": "+p.Meaning)
	}
	return strings.Join(out, "; ")
}

// servers names one server of each kind that it is done to.
func (f *Fault) servers() string {
	switch {
	case f.Nodes == 0:
		return "a broker (" + workload.Brokers + "2)"
	case f.Brokers == 0:
		return "a node (" + workload.Nodes + "2)"
	}
	return "a server (" + workload.Brokers + "2, " + workload.Nodes + "1)"
}

// Needs says in words which cluster it needs; empty where any will do.
func (f *Fault) Needs() string {
	most := max(f.Brokers, f.Nodes)
	switch {
	case most <= one:
		return ""
	case f.Nodes == 0:
		return fmt.Sprintf("%d brokers", most)
	}
	return fmt.Sprintf("%d servers of the target's kind", most)
}
