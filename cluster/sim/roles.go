package sim

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/single-writer/chaos/cluster/board"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// Playing asks the brokers who has a role.
func (w *World) Playing(r workload.Role) persistence.Call[string] {
	if _, err := w.kafka.role(r); err != nil {
		return failed(board.NewCall[string](w.board), err)
	}
	return insist(w, &w.admin, patience, w.kafka.anyone, func(_ *broker, reply func(tried[string])) {
		at, _ := w.kafka.role(r)
		if at == nobody {
			reply(again[string]())
			return
		}
		reply(tried[string]{answer: w.kafka.brokers[at].name})
	})
}

// role is who has a role, or nobody.
func (k *kafka) role(r workload.Role) (int, error) {
	switch r {
	case workload.Coordinator:
		return k.offsets.leader, nil
	case workload.Leader:
		return k.input[0].leader, nil
	case workload.Controller:
		return k.controller, nil
	}
	return nobody, fmt.Errorf("nothing is known of a role called %q", r)
}

// anyone is a broker that clients can ask, nil if there is none.
func (k *kafka) anyone() *broker {
	for _, b := range k.brokers {
		if !b.ended && !b.frozen && !b.cutOff() {
			return b
		}
	}
	return nil
}

// comesWith is the partition whose leader has a role, with its name.
func (k *kafka) comesWith(r workload.Role) (l partition, name string, err error) {
	switch r {
	case workload.Coordinator:
		return k.offsets, "__consumer_offsets/0", nil
	case workload.Leader:
		return k.input[0], "input/0", nil
	case workload.Controller:
		return nil, "", errors.New("the controller cannot be told to move: another is chosen when the one that there is is killed or paused")
	}
	return nil, "", fmt.Errorf("nothing is known of a role called %q", r)
}

// broker finds a broker by its name.
func (w *World) broker(name string) (*broker, error) {
	f, at, err := w.find(name)
	if k, is := f.(*kafka); is {
		return k.brokers[at], nil
	}
	if err == nil {
		err = fmt.Errorf("%s is no broker", name)
	}
	return nil, err
}

// Move gives a role to a broker by making it lead the partition that the role comes with.
func (w *World) Move(r workload.Role, server string) persistence.Call[string] {
	b, err := w.broker(server)
	if err == nil && b.trouble != "" {
		err = fmt.Errorf("%s is %s: a role is given to a broker that is well", server, b.trouble)
	}
	l, partition, unknown := w.kafka.comesWith(r)
	if err = cmp.Or(err, unknown); err != nil {
		return failed(board.NewCall[string](w.board), err)
	}
	before := "nobody"
	if was := w.kafka.leads(l.ledBy()); was != nil {
		before = was.name
	}
	return insist(w, &w.admin, longPatience, w.kafka.anyone, func(_ *broker, reply func(tried[string])) {
		switch {
		case l.ledBy() == b.number && (r != workload.Coordinator || b.group != nil):
			reply(tried[string]{answer: fmt.Sprintf("%s was the %s; now %s leads %s, and is", before, r, server, partition)})
			return
		case l.ledBy() != b.number && l.holds(b.number) && w.kafka.there(b.number) && w.kafka.most():
			w.kafka.transfer(l, b.number)
		}
		reply(again[string]())
	})
}

// Elect makes a broker lead partition 0 of the input that was kept from its newest records. Nobody may be there who has them, so the
// leader is killed, and the other one is freed of its trouble and elected. At the end all brokers are well, and have truncated their
// logs to the new leader's.
func (w *World) Elect(server string) persistence.Call[string] {
	call := board.NewCall[string](w.board)
	b, err := w.broker(server)
	if err == nil && b.trouble == "" {
		err = fmt.Errorf("%s cannot be elected uncleanly: it is well, and has all records: kill it or cut it off, and let records come, before", server)
	}
	if err != nil {
		return failed(call, err)
	}
	until := w.net.now + longPatience
	var wait func()
	wait = func() {
		l := w.kafka.input[0]
		switch {
		case l.leader != nobody && !l.holds(b.number):
			w.kafka.elect(b, func(proof string) { call.Finish(proof, persistence.Answered, nil) })
		case w.net.now < until:
			w.net.After(backoff, wait)
		default:
			failed(call, fmt.Errorf("%s cannot be elected uncleanly: it has all records of partition 0 of the input", server))
		}
	}
	wait()
	return call
}

func (k *kafka) elect(b *broker, done func(proof string)) {
	l := k.input[0]
	leader, before := k.brokers[l.leader], l.high
	leader.strike(workload.Killed)
	k.struck(leader.number)
	l.only(b.number)
	after := len(l.entries)
	ill := 0
	for i, s := range k.brokers {
		if s.trouble == "" || s.healing {
			continue
		}
		ill++
		heal(k, i, func(string) {
			if ill--; ill == 0 {
				done(fmt.Sprintf("partition 0 of the input ended at %d when %s led it, and ends at %d now that %s does", before, leader.name, after, b.name))
			}
		})
	}
}
