package sim

import "github.com/single-writer/chaos/workload"

// connection is one of a member's as rules see it: a message that is kept keeps those behind it, the same way. Of statements, which
// share connections and keep no order, it is nil, and each waits alone.
type connection struct{ out, in []*kept }

// kept is a message that waits: until it is let go, or ready for those before it only.
type kept struct {
	ready  bool
	goOn   func()
	broken func()
}

func (c *connection) queue(way workload.Way) *[]*kept {
	if way == workload.Request {
		return &c.out
	}
	return &c.in
}

// busy tells whether messages wait.
func (c *connection) busy(way workload.Way) bool { return c != nil && len(*c.queue(way)) > 0 }

// pass lets a message go on: at once, or behind those that wait.
func (c *connection) pass(way workload.Way, goOn, broken func()) {
	if !c.busy(way) {
		goOn()
		return
	}
	q := c.queue(way)
	*q = append(*q, &kept{true, goOn, broken})
}

// keep makes a message wait until it is let go.
func (c *connection) keep(way workload.Way, goOn, broken func()) (letGo func()) {
	k := &kept{false, goOn, broken}
	if c == nil {
		return func() {
			if !k.ready {
				k.ready = true
				goOn()
			}
		}
	}
	q := c.queue(way)
	*q = append(*q, k)
	return func() {
		k.ready = true
		for c.busy(way) && (*q)[0].ready {
			first := (*q)[0]
			*q = (*q)[1:]
			first.goOn()
		}
	}
}

// breaks tells whoever sent what waits that the connection broke. What is on its way to the server comes there all the same.
func (c *connection) breaks() {
	for _, q := range [][]*kept{c.out, c.in} {
		for _, k := range q {
			k.broken()
		}
	}
}

// keep makes a message late by a rule.
func (r *rule) keep(w *World, way workload.Way, on *connection, goOn, broken func()) {
	letGo := on.keep(way, goOn, broken)
	if r.wall == nil && r.Do == workload.Delay {
		w.net.After(r.By, letGo)
	}
	r.kept = append(r.kept, letGo)
}
