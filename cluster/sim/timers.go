package sim

import "time"

// timer is something that happens at a time.
type timer struct {
	at  time.Duration
	seq int64
	do  func()
	// among are the timers that it waits among, place its place there; -1 once it waits no more.
	among *timers
	place int
}

// Stop makes the timer do nothing. Most timers are time-outs of requests that are answered: they do not stay until their time.
func (t *timer) Stop() {
	if t != nil && t.place >= 0 {
		t.among.remove(t.place)
	}
}

// timers are a heap, the next one first; of equal times the one that was set first.
type timers []*timer

func (h timers) before(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].seq < h[j].seq
}

func (h timers) swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

func (h *timers) add(t *timer) {
	t.among, t.place = h, len(*h)
	*h = append(*h, t)
	h.up(t.place)
}

// remove takes one out: the last takes its place, and goes from there to where it belongs.
func (h *timers) remove(i int) *timer {
	t, last := (*h)[i], len(*h)-1
	h.swap(i, last)
	(*h)[last] = nil
	*h = (*h)[:last]
	if i < last {
		h.up(i)
		h.down(i)
	}
	t.place = -1
	return t
}

func (h timers) up(i int) {
	for parent := (i - 1) / 2; i > 0 && h.before(i, parent); parent = (i - 1) / 2 {
		h.swap(i, parent)
		i = parent
	}
}

func (h timers) down(i int) {
	for {
		next := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h); child++ {
			if h.before(child, next) {
				next = child
			}
		}
		if next == i {
			return
		}
		h.swap(i, next)
		i = next
	}
}
