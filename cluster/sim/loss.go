package sim

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/single-writer/chaos/cluster/board"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// loss is one message of a process that is to be lost.
type loss struct {
	process string
	message workload.Message
	// number counts the losses that were armed: only a message of a request that is sent after it is the next.
	number int
	call   *board.Call[string]
}

// errCut is what a client is told whose connection broke: of the request, nothing.
var errCut = errors.New("the connection broke before the answer came")

// LoseNext arms the loss of a message.
func (w *World) LoseNext(process string, m workload.Message) persistence.Call[string] {
	w.armed++
	l := &loss{process, m, w.armed, board.NewCall[string](w.board)}
	w.losses = append(w.losses, l)
	return l.call
}

// take gives the loss that was armed for such a message of the process before its request was sent, and disarms it; armed is how
// many there had been by then.
func (w *World) take(m workload.Message, armed int, of func(process string) bool) *loss {
	i := slices.IndexFunc(w.losses, func(l *loss) bool { return l.message == m && l.number <= armed && of(l.process) })
	if i < 0 {
		return nil
	}
	l := w.losses[i]
	w.losses = slices.Delete(w.losses, i, i+1)
	return l
}

// happens says at once to whoever armed the loss that it has come about.
func (l *loss) happens(proof string) { l.call.Finish(proof, persistence.Answered, nil) }

// Deliver lets a commit that was lost come to the coordinator, over a connection of its own.
func (w *World) Deliver(process string) persistence.Call[string] {
	late := w.lostCommits[process]
	if late == nil {
		call := board.NewCall[string](w.board)
		call.Finish("", persistence.Unknown, fmt.Errorf("no commit of %s was lost", process))
		return call
	}
	return request(w.board, w.broker.server, &link{}, adminTimeout, func(reply func(string)) {
		code := late()
		if code == codeNone {
			code = "no error"
		}
		reply("OffsetCommit: " + code)
	})
}

// wrote tells whether a statement is a write of a process. As on real connections that is known by the metadata of what is
// written, which a DELETE does not have.
func wrote(s persistence.Statement) func(process string) bool {
	return func(process string) bool {
		return s.Verb != persistence.Remove && strings.HasPrefix(s.Metadata, persistence.MarkOf(process))
	}
}

// swallowed is ask for a request that is lost before it arrives.
func swallowed(l *loss, to *server, on *link, what string, broken func()) {
	ask(to, on, func(reply func(struct{})) {
		l.happens(what + " was not sent, and its connection cut")
		reply(struct{}{})
	}, func(struct{}) { broken() }, broken)
}

// heldBack is the proof that an answer was lost.
func heldBack(what, said string) string {
	return fmt.Sprintf("the answer to %s, %s, was held back, and the connection cut", what, said)
}
