package nemesis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// one and peers are how many servers there must be: peers where something is done between a server and its peers.
const (
	one   = 1
	peers = 3
)

const healServer = "`heal-server`"

// onServers are done to the servers themselves.
var onServers = []Fault{
	{
		Name: history.FaultKillServer, On: []Kind{Server, PlayedBy}, Brokers: one, Nodes: one, trouble: workload.Killed,
		Does:  "ends the server's process without a word; what it had stored durably is there when it is back",
		Proof: "nobody answers at its address", Heal: healServer + " starts it again, at the same address",
	},
	{
		Name: history.FaultPauseServer, On: []Kind{Server, PlayedBy}, Brokers: one, Nodes: one, trouble: workload.Paused,
		Does:  "stops the server where it stands: connections stay, and what is sent to it waits, and is done when it goes on",
		Proof: "a request to it stays without an answer", Heal: healServer + " lets it go on",
	},
	{
		Name: history.FaultIsolateServer, On: []Kind{Server, PlayedBy}, Brokers: peers, Nodes: peers, trouble: workload.Isolated,
		Does:  "cuts the server off from its peers both ways; clients reach it",
		Proof: "its peers have it with them no more, and it answers clients", Heal: healServer,
	},
	{
		Name: history.FaultDeafenServer, On: []Kind{Server, PlayedBy}, Brokers: peers, Nodes: peers, trouble: workload.Deaf,
		Does:  "lets the server hear its peers no more, while they hear it",
		Proof: "what its peers send does not arrive, and it answers clients", Heal: healServer,
	},
	{
		Name: history.FaultMuteServer, On: []Kind{Server, PlayedBy}, Brokers: peers, Nodes: peers, trouble: workload.Mute,
		Does:  "lets the server's peers hear it no more, while it hears them",
		Proof: "what it sends to its peers does not arrive, and it answers clients", Heal: healServer,
	},
	{
		Name: history.FaultCutClients, On: []Kind{Server, PlayedBy}, Brokers: one, Nodes: one, trouble: workload.Unreachable,
		Does:  "cuts the server off from all clients; its peers reach it",
		Proof: "no client gets an answer of it", Heal: healServer,
	},
	{
		Name: history.FaultFillDisk, On: []Kind{Server, PlayedBy}, Brokers: one, Nodes: one, trouble: workload.Full,
		Does: "fills the server's disk: it can write no more to it",
		Real: "no file of its process may grow any more, so that a write fails with \"File too large\" where a full disk says \"No space " +
			"left on device\"; both servers then end themselves, the node when the commit log files that it has at hand are full, " +
			"which the rig sees to",
		Proof: "what it says when it tries", Heal: healServer + " makes room, and starts it again where it has given up",
	},
	{
		Name: history.FaultHealServer, On: []Kind{Server, PlayedBy, AllServers}, Brokers: one, Nodes: one,
		Does: "takes from a server whatever is the matter with it; of a role, from the server that was struck by that name; of `all`, " +
			"from all that are not well, at once",
		Proof: "it answers clients, and its peers have it with them",
	},
	{
		Name: history.FaultMoveCoordinator, On: []Kind{Server, AnotherServer}, Brokers: peers, role: workload.Coordinator,
		Does:  "makes a broker that is well the coordinator of the run's group",
		Proof: "who coordinated before, and that it does now", change: moving(workload.Coordinator),
	},
	{
		Name: history.FaultMoveLeader, On: []Kind{Server, AnotherServer}, Brokers: peers, role: workload.Leader,
		Does:  "makes a broker that is well the leader of partition 0 of the input",
		Proof: "who led before, and that it does now", change: moving(workload.Leader),
	},
	{
		Name: history.FaultElectUnclean, On: []Kind{Server}, Brokers: peers, role: workload.Leader, cures: true,
		Does: "makes a broker that is not well, and so lacks the newest records of the input, lead it all the same (unclean leader " +
			"election): what only others had is truncated away. The leader that there was is killed for it; at the end both are well",
		Proof: "the log's end before and after", change: workload.Servers.Elect,
	},
}

func moving(role workload.Role) func(workload.Servers, string) persistence.Call[string] {
	return func(s workload.Servers, server string) persistence.Call[string] { return s.Move(role, server) }
}

// struck is a server that is not well.
type struck struct {
	server string
	// as is what the plan called it: its name, or a role that it had then.
	as      string
	trouble workload.Trouble
}

// ill finds what is the matter with a server.
func (r *Runner) ill(server string) (struck, bool) {
	i := slices.IndexFunc(r.struck, func(s struck) bool { return s.server == server })
	if i < 0 {
		return struck{}, false
	}
	return r.struck[i], true
}

// doToServer does what is done to one server, but a heal.
func (r *Runner) doToServer(w workload.World, f *Fault, a Action) error {
	server, err := r.serverOf(f, a.Target)
	if err != nil {
		return err
	}
	switch s, is := r.ill(server); {
	case is && !f.cures:
		return unfitf("%s is %s already, and a server has one trouble at a time: heal it first", server, s.trouble)
	case !is && f.cures:
		return unfitf("%s is well, and has all records: kill it or cut it off, and let records come, before", server)
	}
	if why := r.cannot(f, server); why != "" {
		return unfitf("this cluster cannot do it: %s", why)
	}
	told := r.announce(w, a, server)
	var call persistence.Call[string]
	r.commanding = true
	if f.trouble != "" {
		// Before it is known whether it came about: what may have taken effect has to be healed as well.
		r.struck = append(r.struck, struck{server, a.Target, f.trouble})
		r.tell(w)
		call = r.Servers.Strike(server, f.trouble)
	} else {
		r.tell(w)
		call = f.change(r.Servers, server)
	}
	proof, outcome, err := call.Await()
	r.commanding = false
	switch {
	case outcome == persistence.Failed && f.trouble != "":
		r.recovered(w, server)
		return err
	case outcome != persistence.Answered:
		return err
	case f.cures:
		r.recovered(w, server)
	}
	r.proved(w, told, proof)
	return nil
}

// Cannot says what of the plan these servers cannot bear, before anything is done.
func (r *Runner) Cannot() error {
	for i, s := range r.Plan {
		for _, a := range s.Do {
			f, known := Named(a.Fault)
			if !known || !f.OnServers() {
				continue
			}
			if err := r.bears(f, a.Target); err != nil {
				return s.failed(i+1, fmt.Errorf("%s %s: %w", a.Fault, a.Target, err))
			}
		}
	}
	return nil
}

// bears tells why servers cannot bear a fault: of a role, any broker that may have it.
func (r *Runner) bears(f *Fault, target string) error {
	there := r.Servers.Servers()
	of := []string{target}
	if !slices.Contains(there, target) {
		of = slices.DeleteFunc(slices.Clone(there), func(s string) bool { return !strings.HasPrefix(s, workload.Brokers) })
	}
	for _, server := range of {
		if why := r.cannot(f, server); why != "" {
			return fmt.Errorf("this cluster cannot do it: %s", why)
		}
	}
	return nil
}

// tell tells the sentinel how the brokers are. A coordinator that was moved, or is back, has to read its log before it answers.
func (r *Runner) tell(w workload.World) {
	r.Sentinel.changed = w.Now()
	r.Sentinel.ill = slices.ContainsFunc(r.struck, func(s struck) bool { return strings.HasPrefix(s.server, workload.Brokers) })
}

// cannot says why the cluster cannot do a fault to a server.
func (r *Runner) cannot(f *Fault, server string) string {
	switch {
	case f.trouble != "":
		return r.Servers.Cannot(server, f.trouble)
	case f.cures: // its leader and its peers are kept from each other meanwhile
		return r.Servers.Cannot(server, workload.Isolated)
	}
	return ""
}

// serverOf gives the server that a target means now.
func (r *Runner) serverOf(f *Fault, target string) (string, error) {
	switch {
	case target == Another:
		return r.another(f.role)
	case slices.Contains(workload.Roles(), workload.Role(target)):
		return r.playing(workload.Role(target))
	case !slices.Contains(r.Servers.Servers(), target):
		return "", fmt.Errorf("no server is called %s; there are: %s", target, strings.Join(r.Servers.Servers(), ", "))
	}
	return target, nil
}

// playing asks who has a role now.
func (r *Runner) playing(role workload.Role) (string, error) {
	server, outcome, err := r.Servers.Playing(role).Await()
	if outcome != persistence.Answered {
		return "", unfitf("nobody says which broker is the %s: %v", role, err)
	}
	return server, nil
}

// another gives the next broker, in the order of their names, that is well and has not the role.
func (r *Runner) another(role workload.Role) (string, error) {
	now, err := r.playing(role)
	if err != nil {
		return "", err
	}
	brokers := slices.DeleteFunc(slices.Clone(r.Servers.Servers()), func(s string) bool { return !strings.HasPrefix(s, workload.Brokers) })
	at := slices.Index(brokers, now)
	for i := 1; i < len(brokers); i++ {
		next := brokers[(at+i)%len(brokers)]
		if _, ill := r.ill(next); !ill {
			return next, nil
		}
	}
	return "", unfitf("there is no other broker that is well than %s", now)
}
