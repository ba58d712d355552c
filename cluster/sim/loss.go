package sim

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/single-writer/chaos/cluster/board"
	"github.com/single-writer/chaos/workload/persistence"
)

// loss is one answer that is to be lost on its way to a process.
type loss struct {
	mark string
	call *board.Call[string]
}

// errCut is what a client is told whose connection broke: of the request, nothing.
var errCut = errors.New("the connection broke before the answer came")

// LoseAnswer arms the loss of an answer.
func (w *World) LoseAnswer(process string) persistence.Call[string] {
	l := &loss{persistence.MarkOf(process), board.NewCall[string](w.board)}
	w.losses = append(w.losses, l)
	return l.call
}

// lose tells whether an answer that comes in is lost, which is said at once to whoever armed the loss. As on real
// connections a loss knows its process by the metadata of what is written, which a DELETE does not have.
func (w *World) lose(s persistence.Statement, a persistence.Answer) bool {
	i := slices.IndexFunc(w.losses, func(l *loss) bool {
		return a.Applied && s.Verb != persistence.Remove && strings.HasPrefix(s.Metadata, l.mark)
	})
	if i < 0 {
		return false
	}
	proof := fmt.Sprintf("the answer to %s of %s @%d, applied, was held back, and the connection cut", s.Form(), s.Key, s.Offset)
	w.losses[i].call.Finish(proof, persistence.Answered, nil)
	w.losses = slices.Delete(w.losses, i, i+1)
	return true
}
