package sim

import (
	"errors"
	"time"
)

// How a member finds its way about brokers of which one goes: it looks for the coordinator and for the leaders of its partitions
// when whoever it took for them says that it is none, when its connection broke, and when nothing is answered.

var (
	errNoCoordinator  = errors.New("no coordinator was found")
	errNotCoordinator = errors.New("the broker coordinates the group no more; what it had begun to write its successor may find")
	errTruncated      = errors.New("the partition ends before the offset that is to be read next: records of it are lost")
)

// seek looks for the coordinator, until one is found.
func (m *member) seek() {
	if m.seeking || m.severed {
		return
	}
	m.seeking = true
	m.world.net.After(backoff, m.found)
}

// found goes on with the coordinator that the metadata name, over a new connection.
func (m *member) found() {
	b := m.world.kafka.coordinator()
	switch {
	case m.severed:
		return
	case b == nil || !m.world.kafka.asked():
		m.world.net.After(backoff, m.found)
		return
	}
	m.seeking, m.at, m.coordinator, m.answered = false, b, link{}, m.world.net.now
	then := m.then
	m.then = nil
	for _, do := range then {
		do()
	}
}

// known does something when the coordinator is known: now, or when it is found.
func (m *member) known(do func()) {
	if m.seeking {
		m.then = append(m.then, do)
		return
	}
	do()
}

// astray tells whether a code says that a broker does not coordinate the group, or not yet; then another look is taken.
func (m *member) astray(from *broker, code string) bool {
	if code != codeNotCoordinator && code != codeLoading {
		return false
	}
	if from == m.at {
		m.seek()
	}
	return true
}

// broke is that the connection to a broker broke, which it has if it runs no more.
func (m *member) broke(from *broker) {
	if from == m.at && from.ended {
		m.seek()
	}
}

// silent takes another look when a broker that is not well has answered nothing for a session (AbstractCoordinator.HeartbeatThread).
func (m *member) silent() bool {
	if m.at.trouble == "" || m.world.net.now < m.answered+m.config.SessionTimeout {
		return false
	}
	m.seek()
	return true
}

// beyondRebalance is how much longer than a rebalance may take a client waits for the answer to a join (JoinGroupRequest of the Java
// client).
const beyondRebalance = 5 * time.Second

// watch begins a join anew that a coordinator which is not well leaves without an answer.
func (m *member) watch(j *joining) {
	j.watch.do = func() {
		switch {
		case m.severed || m.join != j || j.done:
		case m.at.trouble != "":
			m.seek()
			j.done, j.code = true, codeNotCoordinator
		default:
			m.watch(j)
		}
	}
	m.world.net.set(&j.watch, m.config.MaxPollInterval+beyondRebalance)
}
