package sim

import "slices"

// replicatedLog is a partition of which each broker has a replica. Its leader appends, the others fetch what they lack, and what all
// replicas in sync have is committed: nobody is shown more, and an append with acks=all is acknowledged then. A leader that goes is
// followed by one in sync, so that nothing committed is lost, and what only the old one had is truncated away (KIP-101).
//
// Replicas are prefixes of one log, the leader's: how far each has come is all that there is to know of them. What a broker appends
// that was replaced and does not know it is nowhere, as it will truncate that when it hears.
type replicatedLog[T any] struct {
	of      *kafka
	entries []T
	// leader is a broker's number, or nobody; epoch counts the leaders.
	leader, epoch int
	inSync        []bool
	// ends are how far the replicas have come, known what the leader knows of that, and fetching which of them fetch.
	ends, known []int
	fetching    []bool
	// high is up to where all is committed.
	high    int
	waiting []acknowledgement
	// risen is called when more is committed.
	risen func()
}

// nobody leads a partition whose replicas in sync are all away.
const nobody = -1

// acknowledgement is who waits until a log is committed up to an end. What was not by the time that another leads may be in the log
// or not: kept is false.
type acknowledgement struct {
	end  int
	done func(kept bool)
}

func newReplicatedLog[T any](k *kafka, brokers, leader int) *replicatedLog[T] {
	l := &replicatedLog[T]{of: k, leader: leader, inSync: slices.Repeat([]bool{true}, brokers), risen: func() {}}
	l.ends, l.known, l.fetching = make([]int, brokers), make([]int, brokers), make([]bool, brokers)
	return l
}

// append appends at the leader.
func (l *replicatedLog[T]) append(entry T, done func(kept bool)) {
	l.entries = append(l.entries, entry)
	l.ends[l.leader], l.known[l.leader] = len(l.entries), len(l.entries)
	l.await(len(l.entries), done)
	l.advance()
	l.replicate()
}

// await calls done when the log is committed up to an end.
func (l *replicatedLog[T]) await(end int, done func(kept bool)) {
	if end <= l.high {
		done(true)
		return
	}
	l.waiting = append(l.waiting, acknowledgement{end, done})
}

// advance finds what is committed by now.
func (l *replicatedLog[T]) advance() {
	if l.leader == nobody {
		return
	}
	high := len(l.entries)
	for i, in := range l.inSync {
		if in {
			high = min(high, l.known[i])
		}
	}
	if high <= l.high {
		return
	}
	l.high = high
	l.risen()
	for len(l.waiting) > 0 && l.waiting[0].end <= l.high {
		first := l.waiting[0]
		l.waiting = l.waiting[1:]
		first.done(true)
	}
}

// replicate lets all replicas fetch that lack something.
func (l *replicatedLog[T]) replicate() {
	for i := range l.inSync {
		l.fetch(i)
	}
}

// fetch lets a replica fetch from the leader. It has what it is answered at once; the leader knows of that by its next request.
func (l *replicatedLog[T]) fetch(follower int) {
	if l.leader == nobody || follower == l.leader || l.fetching[follower] || l.full(follower) {
		return
	}
	epoch, connected := l.epoch, func() bool { return l.of.brokers[follower].together(l.of.brokers[l.leader].server) }
	if !connected() {
		return
	}
	l.fetching[follower] = true
	l.step(epoch, follower, connected, func() {
		l.ends[follower] = len(l.entries)
		l.step(epoch, follower, connected, func() {
			l.fetching[follower] = false
			l.known[follower] = l.ends[follower]
			l.join(follower)
			l.advance()
			l.fetch(follower)
			l.of.brokers[follower].look()
		})
	})
}

// step does one step of a fetch a message later, unless the leader is another by then. A fetch that is cut off is over.
func (l *replicatedLog[T]) step(epoch, follower int, connected func() bool, do func()) {
	l.of.After(l.of.draw(minDelay, maxDelay), func() {
		switch {
		case l.epoch != epoch:
		case connected():
			do()
		default:
			l.fetching[follower] = false
		}
	})
}

// full tells whether a replica has all, and the leader knows it, and the controller.
func (l *replicatedLog[T]) full(replica int) bool {
	return l.inSync[replica] && l.known[replica] == len(l.entries)
}

// join puts a replica that has all that is committed in sync.
func (l *replicatedLog[T]) join(replica int) {
	if l.known[replica] >= l.high && !l.of.brokers[replica].fenced {
		l.inSync[replica] = true
	}
}

// leave takes a broker out of those in sync, unless it is the last: nobody else may lead then.
func (l *replicatedLog[T]) leave(broker int) {
	l.inSync[broker] = false
	if !slices.Contains(l.inSync, true) {
		l.inSync[broker] = true
	}
	l.advance()
}

// lead makes a broker the leader, or nobody. Whoever waits for what was not committed is told by the old one, when it hears.
func (l *replicatedLog[T]) lead(broker int) {
	old, waiting := l.leader, l.waiting
	l.leader, l.waiting = broker, nil
	l.epoch++
	clear(l.fetching)
	if old != nobody {
		for _, w := range waiting {
			l.of.brokers[old].hearsLater(func() { w.done(false) })
		}
	}
	if broker == nobody {
		return
	}
	l.entries = l.entries[:l.ends[broker]]
	l.high = min(l.high, len(l.entries))
	for i := range l.ends {
		l.ends[i] = min(l.ends[i], len(l.entries))
		l.known[i] = min(l.ends[i], l.high)
	}
	l.known[broker] = len(l.entries)
	l.advance()
	l.replicate()
}

// only makes a broker the leader that is in sync with nobody, whatever it lacks.
func (l *replicatedLog[T]) only(broker int) {
	clear(l.inSync)
	l.inSync[broker] = true
	l.lead(broker)
}

// next is who leads when the leader is gone: a broker in sync that is there.
func (l *replicatedLog[T]) next() int {
	for i := range l.inSync {
		candidate := (max(l.leader, 0) + i) % len(l.inSync)
		if l.inSync[candidate] && l.of.there(candidate) {
			return candidate
		}
	}
	return nobody
}
