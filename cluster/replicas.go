package cluster

import (
	"time"

	"github.com/single-writer/chaos/workload/persistence"
)

// Replicas is a store of several nodes, each with all rows, as who looks at its rounds wants it: every statement through a
// node of one's choice, every message between nodes lost or not. No run uses it. Nodes are numbered from 0.
//
// Real nodes have it where all that they send each other is led through the rig, which reads it, and their clocks can be set.
type Replicas interface {
	// Through sends a statement to a node, which coordinates it.
	Through(node int, s persistence.Statement) persistence.Call[persistence.Answer]
	// Lose loses the messages between two nodes of which this is true, until it is called again; nil loses none. It may be asked
	// at any time, also by several at once.
	Lose(lost func(m Message) bool)
	// Down has all nodes know that these are down and that no other is. The call ends when they do.
	Down(nodes ...int) persistence.Call[string]
	// Skew sets by how much a node's clock is ahead of the true time. The call ends when it is, and tells what it says.
	Skew(node int, by time.Duration) persistence.Call[string]
}

// Message is what one node sends another.
type Message struct {
	From, To int
	About    Phase
	// Answer tells that it is the answer to such a message.
	Answer bool
	// For is the process whose statement it is about; real nodes do not say it.
	For string
}

// Phase is what a message between nodes is about.
type Phase string

// The phases of a statement. A plain write is a Write and a plain read a Read, a Repair after it where replicas differ; a
// conditional statement goes through Prepare, Read, Propose and Commit.
const (
	Prepare Phase = "prepare"
	Read    Phase = "read"
	Propose Phase = "propose"
	Commit  Phase = "commit"
	Write   Phase = "write"
	Repair  Phase = "repair"
)
