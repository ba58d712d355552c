package sim

import "time"

// event is something that happens at a time: a message that arrives, or a timer that goes off.
type event interface{ happen() }

// due is an event with its time; of equal times the one that was set first comes first.
type due struct {
	at  time.Duration
	seq int64
	event
}

// timer is an event that can be stopped, and set again.
type timer struct {
	do func()
	// among are the events that it waits among, place its place there; nil while it does not wait.
	among *timers
	place int
}

func (t *timer) happen() { t.do() }

// Stop makes the timer do nothing. Most timers are time-outs of requests that are answered: they do not stay until their time.
func (t *timer) Stop() {
	if t != nil && t.among != nil {
		t.among.remove(t.place)
	}
}

// timers are all that is to happen, as a heap: the next one first. Messages lie in it by value, since there are most of them.
type timers []due

func (h timers) before(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].seq < h[j].seq
}

func (h timers) swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h.placed(i)
	h.placed(j)
}

// placed lets a timer know where it waits.
func (h timers) placed(i int) {
	if t, ok := h[i].event.(*timer); ok {
		t.place = i
	}
}

func (h *timers) add(d due) {
	if t, ok := d.event.(*timer); ok {
		t.among = h
	}
	*h = append(*h, d)
	h.placed(len(*h) - 1)
	h.up(len(*h) - 1)
}

// remove takes one out: the last takes its place, and goes from there to where it belongs.
func (h *timers) remove(i int) due {
	d, last := (*h)[i], len(*h)-1
	h.swap(i, last)
	(*h)[last] = due{}
	*h = (*h)[:last]
	if i < last {
		h.up(i)
		h.down(i)
	}
	if t, ok := d.event.(*timer); ok {
		t.among = nil
	}
	return d
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
