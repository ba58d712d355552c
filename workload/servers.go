package workload

import "github.com/single-writer/chaos/workload/persistence"

// Trouble is what can be the matter with a server.
type Trouble string

// The troubles of a server. A server has at most one at a time.
const (
	// Killed: its process ended without a word. What it had stored durably is there when it is back.
	Killed Trouble = "killed"
	// Paused: it does nothing. Its connections stay, and what was sent to it waits.
	Paused Trouble = "paused"
	// Isolated: it and its peers do not reach each other. Clients reach it.
	Isolated Trouble = "isolated"
	// Deaf: it does not hear its peers, and they hear it. Mute: they do not hear it, and it hears them.
	Deaf Trouble = "deaf"
	Mute Trouble = "mute"
	// Unreachable: no client reaches it. Its peers do.
	Unreachable Trouble = "unreachable"
	// Full: it can write no more to its disk.
	Full Trouble = "full"
)

// Role is what a server does for the run that another could do as well.
type Role string

// The roles.
const (
	// Coordinator is the broker that coordinates the run's group.
	Coordinator Role = "coordinator"
	// Leader is the broker that leads partition 0 of the input.
	Leader Role = "leader"
	// Controller is the broker that is the active controller.
	Controller Role = "controller"
)

// Roles are all of them.
func Roles() []Role { return []Role{Coordinator, Leader, Controller} }

// What servers are called: a kind and a number that counts from 1, kafka-2 or cassandra-1.
const (
	Brokers = "kafka-"
	Nodes   = "cassandra-"
)

// Servers is what can be done to the servers themselves, which are called kafka-1, kafka-2, ... and cassandra-1, ...
type Servers interface {
	// Servers names those that there are, Kafka's first.
	Servers() []string
	// Cannot says why this cluster cannot bring such trouble upon the server; it is empty when it can.
	Cannot(server string, t Trouble) string
	// Strike brings trouble upon a server. The call ends with what proves it: an answer of it, or of its peers, or
	// that there is none.
	Strike(server string, t Trouble) persistence.Call[string]
	// Heal takes from a server whatever is the matter with it. The call ends with what proves that it is well again: it answers
	// clients, and its peers have it with them.
	Heal(server string) persistence.Call[string]
	// Playing names the server that has a role now.
	Playing(r Role) persistence.Call[string]
	// Move gives a role to a server, which must be well; the call ends when that has it.
	Move(r Role, server string) persistence.Call[string]
	// Elect makes a broker that lacks the newest records of the input lead it all the same (unclean leader election): what only
	// others had is truncated away. It ends with what the log's end was before and is now.
	Elect(server string) persistence.Call[string]
}
