package sim

import (
	"fmt"
	"math/rand/v2"

	"github.com/single-writer/chaos/cluster/board"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload/persistence"
)

// lossy loses messages of workers by chance: statements, commits and heartbeats, before they took effect or after. What is
// lost is one message, and its connection: a client is told that it broke, and of the request nothing. A worker's join, sync
// and fetch are asked again by every client until they are answered, so that losing them is a delay and no more; and what the
// rig asks for itself is not lost, or nobody would know what happened.
type lossy struct {
	rate      float64
	rng       *rand.Rand
	decisions *decisions
}

// fate is what becomes of a request.
type fate int

const (
	arrives fate = iota
	requestLost
	answerLost
)

// newLossy draws from a stream of its own: without losses a seed's schedule is what it is without this.
func newLossy(seed int64, rate float64) lossy {
	return lossy{rate, rand.New(rand.NewPCG(uint64(seed), 0xbf58476d1ce4e5b9)), &decisions{}}
}

// draw draws the fate of a request of a process: one part of them is lost, and another of their answers.
func (l lossy) draw(process string) fate {
	if l.rate == 0 || !history.IsWorker(process) {
		return arrives
	}
	switch x := l.rng.Float64(); {
	case !l.decisions.next():
		return arrives
	case x < l.rate:
		return requestLost
	case x < 2*l.rate:
		return answerLost
	}
	return arrives
}

// unsure is ask for a worker: broken is called instead of answered also when the request or its answer was lost.
func unsure[T any](w *World, process string, to *server, l *link, what func() string, serve func(reply func(T)), answered func(T), broken func()) {
	f := w.lossy.draw(process)
	ask(to, l, func(reply func(T)) {
		if f != requestLost {
			serve(reply)
			return
		}
		w.lost(process, history.LostRequest, what()+" was lost before it arrived")
		var none T
		reply(none)
	}, func(answer T) {
		switch f {
		case arrives:
			answered(answer)
			return
		case answerLost:
			w.lost(process, history.LostAnswer, "the answer to "+what()+" was lost, and what it asked for was done")
		}
		broken()
	}, broken)
}

// lost notes a loss at the moment at which it is one.
func (w *World) lost(process, fault, proof string) {
	w.board.Note(history.Wire, history.Fault, &history.FaultDone{
		Fault: fault, Target: history.WorkerOf(process), Life: process, Phase: history.PhaseDone, Proof: proof,
	})
}

// breaks ends a call whose connection broke.
func breaks[T any](call *board.Call[T]) func() {
	return func() {
		var none T
		call.Finish(none, persistence.Unknown, &persistence.Error{Code: "connection-closed", Err: errCut})
	}
}

// refuses ends a call that found no connection.
func refuses[T any](call *board.Call[T]) func() {
	return func() {
		var none T
		call.Finish(none, persistence.Failed, &persistence.Error{Code: "no-connections", NoEffect: true, Err: errNoNode})
	}
}

func statementText(s persistence.Statement) string {
	if s.Verb == persistence.Select || s.Verb == persistence.Scan {
		return fmt.Sprintf("%s of %s", s.Form(), s.Key)
	}
	return fmt.Sprintf("%s of %s @%d", s.Form(), s.Key, s.Offset)
}
