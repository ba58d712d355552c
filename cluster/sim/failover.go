package sim

import "time"

// How long it takes until others do what a broker did, with a session of 2 s (broker.session.timeout.ms) and as much for the controllers'
// own (controller.quorum.fetch.timeout.ms). Measured on three brokers of Kafka 4.3.1: the leader of a killed or cut off broker is
// another after 2.0 to 2.6 s, and after 4.4 to 6.4 s if it was the active controller too.
const (
	sessionAfter, sessionBefore = 2000 * time.Millisecond, 2500 * time.Millisecond
	// A broker that is back hears of it, and is in sync soon: 0.7 to 0.9 s after a pause, 0.1 to 3 s after a cut.
	hearsAfter, hearsBefore = 100 * time.Millisecond, 900 * time.Millisecond
	// What moves between brokers that are well is known at once.
	toldAfter, toldBefore = time.Millisecond, 5 * time.Millisecond
	// A coordinator that is new reads the log before it answers.
	loadsAfter, loadsBefore = 5 * time.Millisecond, 50 * time.Millisecond
	// A broker takes a time between these two from its start to its first answer.
	brokerStartsAfter, brokerStartsBefore = 3600 * time.Millisecond, 5500 * time.Millisecond
)

// there tells whether a broker has a conversation with its peers: a connection that is cut one way is soon cut both ways, as what is
// received is not acknowledged.
func (k *kafka) there(broker int) bool { s := k.brokers[broker].server; return s.together(s) }

// most tells whether most brokers are there: they alone can decide who has which role.
func (k *kafka) most() bool {
	n := 0
	for i := range k.brokers {
		if k.there(i) {
			n++
		}
	}
	return 2*n > len(k.brokers)
}

// changed is that a broker was lost to its peers, or is back.
func (k *kafka) changed(broker int) {
	b := k.brokers[broker]
	b.contacts++
	if !k.there(broker) {
		k.miss(broker)
		return
	}
	for _, l := range k.partitions() {
		l.replicate()
	}
	k.when(broker, k.draw(hearsAfter, hearsBefore), k.settle)
}

// when does something later, unless the broker was lost or found meanwhile.
func (k *kafka) when(broker int, d time.Duration, do func()) {
	b := k.brokers[broker]
	contacts := b.contacts
	k.After(d, func() {
		if b.contacts == contacts {
			do()
		}
	})
}

// miss waits for a broker for the time of a session. If it is the active controller the others choose another one, who gives all a
// session anew.
func (k *kafka) miss(broker int) {
	k.when(broker, k.draw(sessionAfter, sessionBefore), func() {
		switch {
		case !k.most():
			k.brokers[broker].overdue = true
		case k.controller == broker:
			k.controller = k.anybody()
			k.miss(broker)
		default:
			k.fence(broker)
		}
	})
}

// anybody is the first broker that is there.
func (k *kafka) anybody() int {
	for i := range k.brokers {
		if k.there(i) {
			return i
		}
	}
	return k.controller
}

// fence takes a broker out of all that it had.
func (k *kafka) fence(broker int) {
	k.brokers[broker].fenced = true
	for _, l := range k.partitions() {
		if l.ledBy() == broker {
			l.lead(l.next())
		}
		l.leave(broker)
	}
	k.load()
}

// settle is that most brokers may be together again: those that are there hear what they missed, partitions that nobody leads are
// led by who may, and of those that are not there others take care.
func (k *kafka) settle() {
	if !k.most() {
		return
	}
	for i, b := range k.brokers {
		switch {
		case k.there(i):
			b.fenced, b.overdue = false, false
			b.hears()
		case b.overdue:
			b.overdue = false
			k.miss(i)
		}
	}
	for _, l := range k.partitions() {
		if l.ledBy() == nobody {
			l.lead(l.next())
		}
		l.replicate()
	}
	k.load()
	for _, b := range k.brokers {
		b.look()
	}
}

// load has the coordinator read what the one before it has written, if it is new. What it had itself when it was one before is old.
func (k *kafka) load() {
	b := k.coordinator()
	if b == nil || !k.there(b.number) || b.loading || b.group != nil && b.group.epoch == k.offsets.epoch {
		return
	}
	b.resign()
	b.loading = true
	b.after(k.draw(loadsAfter, loadsBefore), func() {
		b.loading = false
		if k.coordinator() == b {
			b.group = k.rules.load(b)
			b.look()
		}
	})
}

// transfer gives a partition to another broker that is in sync and there. The one that had it is told.
func (k *kafka) transfer(l partition, to int) {
	from := l.ledBy()
	l.lead(to)
	k.load()
	if from != nobody && k.there(from) {
		k.After(k.draw(toldAfter, toldBefore), func() {
			if k.there(from) {
				k.brokers[from].hears()
			}
		})
	}
}

func (k *kafka) servers() []*server {
	all := make([]*server, len(k.brokers))
	for i, b := range k.brokers {
		all[i] = b.server
	}
	return all
}

func (k *kafka) struck(broker int) {
	if b := k.brokers[broker]; b.ended {
		b.crashed()
	}
	k.changed(broker)
}

func (k *kafka) starts() time.Duration { return k.draw(brokerStartsAfter, brokerStartsBefore) }

func (k *kafka) runs(broker int, _ bool) { k.changed(broker) }

// well tells whether a broker has its replicas in sync again, and coordinates if it is to.
func (k *kafka) well(broker int) (proof string, is bool) {
	b := k.brokers[broker]
	if b.fenced || k.coordinator() == b && b.group == nil {
		return "", false
	}
	for _, l := range k.partitions() {
		if l.ledBy() != nobody && !l.full(broker) {
			return "", false
		}
	}
	proof = "it answers clients"
	if len(k.brokers) > 1 {
		proof += ", and its replicas are in sync"
	}
	return proof, true
}
