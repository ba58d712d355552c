package sim

import (
	"errors"
	"time"

	"github.com/single-writer/chaos/cluster/board"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// replied is the store's answer to a statement, or its error.
type replied struct {
	answer persistence.Answer
	err    error
}

// statementTimeout is how long a statement's answer is awaited.
const statementTimeout = 5 * time.Second

// errNoNode is why a statement was not sent.
var errNoNode = errors.New("the driver has a connection to no node")

// Start sends a statement to a node to which the driver has a connection; no two statements keep their order on the way.
func (w *World) Start(s persistence.Statement) persistence.Call[persistence.Answer] {
	node, ok := w.between.coordinator()
	if !ok {
		call := board.NewCall[persistence.Answer](w.board)
		refuses(call)()
		return call
	}
	return w.Through(node, s)
}

// Through sends a statement to one of the store's nodes.
func (w *World) Through(node int, s persistence.Statement) persistence.Call[persistence.Answer] {
	call := board.NewCall[persistence.Answer](w.board)
	expiry := expire(w.net, call, statementTimeout)
	process := w.board.Acting()
	ends := func(end func()) func() { return func() { expiry.Stop(); end() } }
	send(w, sending[replied]{
		process: process, to: w.between.nodes[node], lossy: true,
		words: func() []string { return workload.StatementWords(s) },
		what:  func() string { return statementText(s) },
		serve: func(reply func(replied)) {
			w.store.Ask(node, process, s, func(a persistence.Answer, err error) { reply(replied{a, err}) })
		},
		done: func(r replied) (string, bool) { return r.said(s) },
		answered: func(r replied) {
			expiry.Stop()
			if r.err != nil {
				call.Finish(r.answer, outcomeOf(r.err), r.err)
				return
			}
			call.Finish(r.answer, persistence.Answered, nil)
		},
		broken: ends(breaks(call)), refused: ends(refuses(call)),
	})
	return call
}

// said tells whether the store did what was asked, and its word for it.
func (r replied) said(s persistence.Statement) (string, bool) {
	if s.Verb == persistence.Select || s.Verb == persistence.Scan {
		return "answered", r.err == nil
	}
	return "applied", r.answer.Applied
}

// outcomeOf is what is known of a statement that ended with an error.
func outcomeOf(err error) persistence.Outcome {
	var e *persistence.Error
	if errors.As(err, &e) && e.NoEffect {
		return persistence.Failed
	}
	return persistence.Unknown
}
