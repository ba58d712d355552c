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
		call.Finish(persistence.Answer{}, persistence.Failed, &persistence.Error{Code: "no-connections", NoEffect: true, Err: errNoNode})
		return call
	}
	return w.Through(node, s)
}

// Through sends a statement to one of the store's nodes.
func (w *World) Through(node int, s persistence.Statement) persistence.Call[persistence.Answer] {
	call := board.NewCall[persistence.Answer](w.board)
	expiry := expire(w.net, call, statementTimeout)
	process, armed, to := w.board.Acting(), w.armed, w.between.nodes[node]
	broken := func() {
		expiry.Stop()
		breaks(call)()
	}
	if l := w.take(workload.WriteRequest, armed, wrote(s)); l != nil {
		swallowed(l, to, nil, statementText(s), broken)
		return call
	}
	unsure(w, process, to, nil, func() string { return statementText(s) }, func(reply func(replied)) {
		w.store.Ask(node, process, s, func(a persistence.Answer, err error) { reply(replied{a, err}) })
	}, func(r replied) {
		if r.answer.Applied {
			if l := w.take(workload.WriteAnswer, armed, wrote(s)); l != nil {
				l.happens(heldBack(statementText(s), "applied"))
				broken()
				return
			}
		}
		expiry.Stop()
		if r.err != nil {
			call.Finish(r.answer, outcomeOf(r.err), r.err)
			return
		}
		call.Finish(r.answer, persistence.Answered, nil)
	}, broken)
	return call
}

// outcomeOf is what is known of a statement that ended with an error.
func outcomeOf(err error) persistence.Outcome {
	var e *persistence.Error
	if errors.As(err, &e) && e.NoEffect {
		return persistence.Failed
	}
	return persistence.Unknown
}
