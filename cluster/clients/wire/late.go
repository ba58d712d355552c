package wire

import (
	"sync"
	"time"

	"github.com/single-writer/chaos/workload"
)

// gate is one way of a connection, on which a message can wait. Of a protocol that keeps the order those behind it wait too.
type gate struct {
	mu    sync.Mutex
	queue []*kept
	// alone is how many wait without anybody behind them.
	alone int
	// deliver hands on what has waited; idle is called when nothing waits any more.
	deliver func([]byte)
	idle    func()
}

// kept is a message that waits.
type kept struct {
	gate  *gate
	bytes []byte
	// ready tells that it waits for those before it only.
	ready bool
	// alone tells that nobody waits for it.
	alone bool
}

// busy tells whether what is in order must wait. It is asked with the lock.
func (g *gate) busy() bool { return len(g.queue) > 0 }

// waits tells whether anything waits.
func (g *gate) waits() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.queue) > 0 || g.alone > 0
}

// pass hands bytes on, at once or behind what waits.
func (g *gate) pass(b []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.busy() {
		g.queue = append(g.queue, &kept{gate: g, bytes: b, ready: true})
		return
	}
	g.deliver(b)
}

// keep makes a message wait until it is let go.
func (g *gate) keep(b []byte, ordered bool) *kept {
	g.mu.Lock()
	defer g.mu.Unlock()
	k := &kept{gate: g, bytes: b, alone: !ordered}
	if ordered {
		g.queue = append(g.queue, k)
	} else {
		g.alone++
	}
	return k
}

// letGo ends the wait of a message, on to its receiver or into nowhere.
func (k *kept) letGo(on bool) {
	if k.gate.opens(k, on) {
		k.gate.idle()
	}
}

// opens hands on what waits for nothing any more, and tells whether that was the last.
func (g *gate) opens(k *kept, on bool) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if k.ready {
		return false
	}
	k.ready = true
	if !on {
		k.bytes = nil
	}
	if k.alone {
		g.alone--
		g.hand(k)
	}
	for len(g.queue) > 0 && g.queue[0].ready {
		first := g.queue[0]
		g.queue = g.queue[1:]
		g.hand(first)
	}
	return len(g.queue) == 0 && g.alone == 0
}

func (g *gate) hand(k *kept) {
	if len(k.bytes) > 0 {
		g.deliver(k.bytes)
	}
	k.bytes = nil
}

// keeps makes a message late by a rule. The lock of the rules is held.
func (a *Armed) keeps(g *gate, b []byte, ordered bool) {
	k := g.keep(b, ordered)
	if a.wall == nil && a.Do == workload.Delay {
		time.AfterFunc(a.By, func() { k.letGo(true) })
	}
	a.kept = append(a.kept, k)
}
