package sim

import (
	"fmt"
	"time"

	"github.com/single-writer/chaos/workload"
)

// sending is one request of a worker, and how its client takes what comes of it.
type sending[T any] struct {
	process string
	to      *server
	link    *link
	// words are those that rules mean it by, what is it in a text.
	words func() []string
	what  func() string
	serve func(reply func(T))
	// done tells whether an answer says that what was asked was done, and in which word.
	done func(T) (said string, ok bool)
	// answered takes the answer; broken is called instead when the connection broke, refused when none could be made.
	answered        func(T)
	broken, refused func()
	// patience is after how long without an answer its client takes the connection for broken; 0 where the call itself ends.
	patience time.Duration
	// lossy requests, and their answers, are lost by chance too.
	lossy bool
	// late does a commit after it was lost.
	late func() (code string)
}

// send sends a request through all that acts upon it.
func send[T any](w *World, s sending[T]) {
	armed := w.wire.armed
	if len(w.wire.rules) > 0 {
		words := s.words()
		if r := w.wire.walling(workload.Request, s.process, words[0], s.link, armed); r != nil {
			s.walled(w, r)
			return
		}
		if r := w.wire.meaning(workload.Request, s.process, words, armed); r != nil {
			s.struck(w, r, armed)
			return
		}
	}
	if s.link != nil && s.link.out.busy() {
		s.link.out.pass(func() { s.depart(w, armed) })
		return
	}
	s.depart(w, armed)
}

// walled ends a request that comes up against a wall, or a silenced connection. A silent wall keeps it, as TCP sends again until it
// comes through.
func (s sending[T]) walled(w *World, r *rule) {
	switch {
	case r.wall == nil:
		r.strikes(s.what() + " was lost")
		s.patient(w)
	case r.wall.Silently:
		r.strikes(s.what() + " did not get through")
		s = s.patient(w)
		r.keep(w, s.gate(workload.Request), func() { s.depart(w, r.number) })
	default:
		r.strikes(s.what() + " was not sent")
		s.refused()
	}
}

// patient makes its client give a request up in time, of which it hears nothing after that.
func (s sending[T]) patient(w *World) sending[T] {
	if s.patience == 0 {
		return s
	}
	gone := false
	giveUp := w.net.After(s.patience, func() { gone = true; s.broken() })
	answered := s.answered
	s.answered = func(answer T) {
		if giveUp.Stop(); !gone {
			answered(answer)
		}
	}
	return s
}

// struck does to a request what a rule says.
func (s sending[T]) struck(w *World, r *rule, armed int) {
	proof := r.Struck(s.what())
	if s.late != nil && r.Do != workload.Delay && r.Do != workload.Hold {
		w.wire.lostCommits[s.process] = s.late
	}
	switch r.Do {
	case workload.Delay, workload.Hold:
		r.strikes(proof)
		s = s.patient(w)
		r.keep(w, s.gate(workload.Request), func() { s.depart(w, armed) })
	case workload.Cut:
		// The client is told after as long as a message takes there and back.
		ask(s.to, s.link, func(reply func(struct{})) {
			r.strikes(proof)
			reply(struct{}{})
		}, func(struct{}) { s.broken() }, s.broken)
	case workload.Drop:
		r.strikes(proof)
		s.patient(w)
	case workload.Silence:
		r.strikes(proof)
		r.silenced = append(r.silenced, s.link)
		s.patient(w)
	}
}

// gate is where messages of its connection wait for those before them.
func (s sending[T]) gate(way workload.Way) *gate {
	switch {
	case s.link == nil:
		return nil
	case way == workload.Request:
		return &s.link.out
	}
	return &s.link.in
}

// depart puts the request on its way.
func (s sending[T]) depart(w *World, armed int) {
	arrived := func(answer T) { s.arrived(w, armed, answer) }
	if s.lossy {
		unsure(w, s.process, s.to, s.link, s.what, s.serve, arrived, s.broken)
		return
	}
	ask(s.to, s.link, s.serve, arrived, s.broken)
}

// arrived takes the answer through all that acts upon it.
func (s sending[T]) arrived(w *World, armed int, answer T) {
	if len(w.wire.rules) > 0 {
		words := s.words()
		if r := w.wire.walling(workload.Answer, s.process, words[0], s.link, armed); r != nil {
			s.behind(w, r, answer)
			return
		}
		if said, ok := s.done(answer); ok {
			if r := w.wire.meaning(workload.Answer, s.process, words, armed); r != nil {
				s.heldBack(w, r, answer, said)
				return
			}
		}
	}
	if s.link != nil && s.link.in.busy() {
		s.link.in.pass(func() { s.answered(answer) })
		return
	}
	s.answered(answer)
}

// behind ends an answer that comes up against a wall, or on a silenced connection.
func (s sending[T]) behind(w *World, r *rule, answer T) {
	what := "the answer to " + s.what()
	switch {
	case r.wall == nil:
		r.strikes(what + " was lost")
		s.patient(w)
	case r.wall.Silently:
		r.strikes(what + " did not get through")
		s = s.patient(w)
		r.keep(w, s.gate(workload.Answer), func() { s.answered(answer) })
	default:
		r.strikes(what + " found its connection cut")
		s.broken()
	}
}

// heldBack does to an answer what a rule says.
func (s sending[T]) heldBack(w *World, r *rule, answer T, said string) {
	r.strikes(r.Struck(fmt.Sprintf("the answer to %s, %s,", s.what(), said)))
	switch r.Do {
	case workload.Delay, workload.Hold:
		s = s.patient(w)
		r.keep(w, s.gate(workload.Answer), func() { s.answered(answer) })
	case workload.Cut:
		s.broken()
	case workload.Drop:
		s.patient(w)
	case workload.Silence:
		r.silenced = append(r.silenced, s.link)
		s.patient(w)
	}
}

// keep makes a message late. On a connection those behind it wait for it; without one it is alone.
func (r *rule) keep(w *World, g *gate, goOn func()) {
	letGo := goOn
	if g != nil {
		letGo = g.keep(goOn)
	} else {
		gone := false
		letGo = func() {
			if !gone {
				gone = true
				goOn()
			}
		}
	}
	if r.wall == nil && r.Do == workload.Delay {
		w.net.After(r.By, letGo)
	}
	r.kept = append(r.kept, letGo)
}

// gate is one way of a connection, on which a message that is late keeps those behind it.
type gate struct{ queue []*kept }

type kept struct {
	ready bool
	goOn  func()
}

func (g *gate) busy() bool { return len(g.queue) > 0 }

// pass queues a message behind those that wait.
func (g *gate) pass(goOn func()) { g.queue = append(g.queue, &kept{true, goOn}) }

// keep queues one that waits until it is let go.
func (g *gate) keep(goOn func()) (letGo func()) {
	k := &kept{false, goOn}
	g.queue = append(g.queue, k)
	return func() {
		k.ready = true
		for g.busy() && g.queue[0].ready {
			first := g.queue[0]
			g.queue = g.queue[1:]
			first.goOn()
		}
	}
}
