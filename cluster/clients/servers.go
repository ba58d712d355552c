package clients

import (
	"errors"

	"github.com/single-writer/chaos/cluster/board"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

var errUndone = errors.New("the servers of this cluster cannot be harmed")

// Servers names the broker and the node.
func (w *World) Servers() []string { return []string{"kafka-1", "cassandra-1"} }

// Cannot says that nothing can be done to them.
func (w *World) Cannot(string, workload.Trouble) string { return errUndone.Error() }

// Strike fails.
func (w *World) Strike(string, workload.Trouble) persistence.Call[string] { return w.undone() }

// Heal fails.
func (w *World) Heal(string) persistence.Call[string] { return w.undone() }

// Playing fails.
func (w *World) Playing(workload.Role) persistence.Call[string] { return w.undone() }

// Move fails.
func (w *World) Move(workload.Role, string) persistence.Call[string] { return w.undone() }

// Elect fails.
func (w *World) Elect(string) persistence.Call[string] { return w.undone() }

func (w *World) undone() persistence.Call[string] {
	c := board.NewCall[string](w.board)
	c.Finish("", persistence.Failed, errUndone)
	return c
}
