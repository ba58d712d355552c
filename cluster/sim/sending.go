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
	late func(b *broker, reply func(code string))
}

// send sends a request through all that acts upon it.
func send[T any](w *World, s sending[T]) {
	armed := w.wire.armed
	if len(w.wire.rules) == 0 && !s.on().busy(workload.Request) {
		s.depart(w, armed)
		return
	}
	s = s.once()
	words := s.words()
	if r := w.wire.walling(workload.Request, s.process, words[0], s.on(), armed); r != nil {
		s.walled(w, r)
		return
	}
	if r := w.wire.meaning(workload.Request, s.process, words, armed); r != nil {
		s.struck(w, r, armed)
		return
	}
	s.on().pass(workload.Request, func() { s.depart(w, armed) }, s.broken)
}

// on is the connection that the request goes over; nil where it shares one with others, and nobody waits for it.
func (s sending[T]) on() *connection {
	if s.link == nil {
		return nil
	}
	if s.link.on == nil {
		s.link.on = &connection{}
	}
	return s.link.on
}

// once makes its client hear of it once: that it was answered, or that the connection broke, in whose place it makes another.
func (s sending[T]) once() sending[T] {
	over, answered, broken := false, s.answered, s.broken
	s.answered = func(answer T) {
		if !over {
			over = true
			answered(answer)
		}
	}
	on := s.on()
	s.broken = func() {
		if over {
			return
		}
		over = true
		broken()
		if on != nil && s.link.on == on {
			s.link.on = &connection{}
			on.breaks()
		}
	}
	return s
}

// patient makes its client give it up in time.
func (s sending[T]) patient(w *World) {
	if s.patience > 0 {
		w.net.After(s.patience, s.broken)
	}
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
		s.patient(w)
		r.keep(w, workload.Request, s.on(), func() { s.depart(w, r.number) }, s.broken)
	default:
		r.strikes(s.what() + " was not sent")
		s.refused()
	}
}

// struck does to a request what a rule says.
func (s sending[T]) struck(w *World, r *rule, armed int) {
	proof := r.Struck(s.what())
	if s.late != nil && r.Do != workload.Delay && r.Do != workload.Hold {
		w.wire.lostCommits[s.process] = s.late
	}
	if r.Do == workload.Cut {
		// The client is told after as long as a message takes there and back.
		ask(s.to, s.link, func(reply func(struct{})) {
			r.strikes(proof)
			reply(struct{}{})
		}, func(struct{}) { s.broken() }, s.broken)
		return
	}
	r.strikes(proof)
	s.patient(w)
	switch r.Do {
	case workload.Delay, workload.Hold:
		r.keep(w, workload.Request, s.on(), func() { s.depart(w, armed) }, s.broken)
	case workload.Silence:
		r.silenced = append(r.silenced, s.on())
	}
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
	if len(w.wire.rules) == 0 && !s.on().busy(workload.Answer) {
		s.answered(answer)
		return
	}
	s = s.once()
	words := s.words()
	if r := w.wire.walling(workload.Answer, s.process, words[0], s.on(), armed); r != nil {
		s.behind(w, r, answer)
		return
	}
	if said, ok := s.done(answer); ok {
		if r := w.wire.meaning(workload.Answer, s.process, words, armed); r != nil {
			s.heldBack(w, r, answer, said)
			return
		}
	}
	s.on().pass(workload.Answer, func() { s.answered(answer) }, s.broken)
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
		s.patient(w)
		r.keep(w, workload.Answer, s.on(), func() { s.answered(answer) }, s.broken)
	default:
		r.strikes(what + " found its connection cut")
		s.broken()
	}
}

// heldBack does to an answer what a rule says.
func (s sending[T]) heldBack(w *World, r *rule, answer T, said string) {
	r.strikes(r.Struck(fmt.Sprintf("the answer to %s, %s,", s.what(), said)))
	if r.Do == workload.Cut {
		s.broken()
		return
	}
	s.patient(w)
	switch r.Do {
	case workload.Delay, workload.Hold:
		r.keep(w, workload.Answer, s.on(), func() { s.answered(answer) }, s.broken)
	case workload.Silence:
		r.silenced = append(r.silenced, s.on())
	}
}
