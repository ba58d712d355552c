package sim

import (
	"slices"
	"time"

	"github.com/single-writer/chaos/workload"
)

// server is the process of a broker or of a node of the store, and what is the matter with it.
type server struct {
	net  *network
	name string
	// forgets is for a test: what it was sent while it stood still it does not do when it goes on.
	forgets bool
	// trouble is what is the matter with it, from the strike on until it is seen to be well; empty while it is. healing tells that it
	// is gone already, and strikes counts how often there was any.
	trouble workload.Trouble
	healing bool
	strikes int
	// ended and frozen are what its process is when it does not run.
	ended, frozen bool
	// life counts its processes: what one of them meant to do another does not.
	life int
	// waits is what a frozen process will do when it goes on, in that order.
	waits []func()
	// open are the requests that it has and has not answered: their connections break when it ends.
	open []asked
	// held are the messages between it and clients that a cut keeps back. They come when it is over, whoever waits for them still: the
	// kernel sends them again until they are received.
	held []func()
	// watch is called when what others know of it may have changed; nil while nobody wants to know.
	watch func()
}

// asked is a request as the server has it.
type asked interface {
	arrive()
	// breaks lets whoever sent it learn that the connection broke, and of the request nothing.
	breaks()
}

// strike brings trouble upon it. A process that cannot write to its disk ends by that: both have one, and are told to.
func (s *server) strike(t workload.Trouble) {
	s.trouble = t
	s.strikes++
	switch t {
	case workload.Killed, workload.Full:
		s.end()
	case workload.Paused:
		s.frozen = true
	}
}

// heal takes the trouble away. Runs is called when its process runs and all ways to it are open.
func (s *server) heal(starts func() time.Duration, runs func(anew bool)) {
	s.healing = true
	switch {
	case s.ended:
		s.net.After(starts(), func() {
			s.ended = false
			runs(true)
		})
	case s.frozen:
		s.thaw()
		runs(false)
	default:
		held := s.held
		s.held = nil
		for _, comes := range held {
			comes()
		}
		runs(false)
	}
}

// healed is that it is seen to be well.
func (s *server) healed() { s.trouble, s.healing, s.watch = "", false, nil }

func (s *server) look() {
	if s.watch != nil {
		s.watch()
	}
}

// shows is what is to be seen of it by whoever asks it, and its peers.
func (s *server) shows() string {
	return map[workload.Trouble]string{
		workload.Killed:      "has ended: its connections broke, and nobody listens",
		workload.Paused:      "answers no request",
		workload.Isolated:    "and its peers do not reach each other; it answers clients",
		workload.Deaf:        "hears nothing of its peers, and they hear it; it answers clients",
		workload.Mute:        "is not heard by its peers, and hears them; it answers clients",
		workload.Unreachable: "answers no client; it and its peers reach each other",
		workload.Full:        "has ended: there is no space on its disk",
	}[s.trouble]
}

// act has the process do something: now, or when it goes on; never when it has ended.
func (s *server) act(do func()) {
	switch {
	case s.ended:
	case s.frozen:
		s.waits = append(s.waits, do)
	default:
		do()
	}
}

// after has it do something when the time has passed.
func (s *server) after(d time.Duration, do func()) *timer {
	life := s.life
	return s.net.After(d, func() {
		if s.life == life {
			s.act(do)
		}
	})
}

// hear is that a request comes to the server. Where nobody listens the machine says so.
func (s *server) hear(a asked) {
	switch {
	case s.ended:
		a.breaks()
	case s.frozen:
		s.open = append(s.open, a)
		s.waits = append(s.waits, a.arrive)
	default:
		a.arrive()
	}
}

// answers says that a request is open no more.
func (s *server) answers(a asked) {
	if i := slices.Index(s.open, a); i >= 0 {
		s.open = slices.Delete(s.open, i, i+1)
	}
}

// end ends the process without a word.
func (s *server) end() {
	s.ended, s.frozen = true, false
	s.life++
	open := s.open
	s.open, s.waits = nil, nil
	for _, a := range open {
		a.breaks()
	}
}

// thaw lets a frozen process go on.
func (s *server) thaw() {
	s.frozen = false
	waits := s.waits
	s.waits = nil
	if s.forgets {
		return
	}
	for _, do := range waits {
		s.act(do)
	}
}

// is tells whether one of these troubles is there and not being taken away.
func (s *server) is(any ...workload.Trouble) bool {
	return !s.healing && slices.Contains(any, s.trouble)
}

// cutOff tells that no client reaches it; deaf and mute what of the way to its peers is cut.
func (s *server) cutOff() bool { return s.is(workload.Unreachable) }
func (s *server) deaf() bool   { return s.is(workload.Deaf, workload.Isolated) }
func (s *server) mute() bool   { return s.is(workload.Mute, workload.Isolated) }

// together tells whether two servers talk to each other: both run, and each hears the other.
func (s *server) together(o *server) bool {
	for _, p := range []*server{s, o} {
		if p.ended || p.frozen || p.deaf() || p.mute() {
			return false
		}
	}
	return true
}
