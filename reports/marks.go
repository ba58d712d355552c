package reports

import (
	"strings"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/history"
)

// breaks gives the event at which a property broke: the last of its witness. Records are read at the end, long after what
// they prove. Nor does it matter what else went on when the time of a recovery was over: it broke by what had been done to
// the worker, or because the worker went on and said nothing.
func (r Run) breaks(p checker.Result) int {
	last, any, recovering := -1, -1, ""
	for _, w := range p.Witness {
		any = max(any, w.Index)
		if e := r.History.Events[w.Index]; p.Property == checker.Loud && e.F == history.Recover {
			recovering = history.LifeOf(e.Process)
		}
		if !strings.HasPrefix(w.Text, "record ") && (recovering == "" || recovering == sufferer(r.History.Events[w.Index])) {
			last = max(last, w.Index)
		}
	}
	if last < 0 {
		return any
	}
	return last
}

// sufferer is the life of a worker that recovers, or that something is done to; empty for any other event.
func sufferer(e history.Event) string {
	switch v := e.Value.(type) {
	case *history.Recovery:
		return history.LifeOf(e.Process)
	case *history.FaultDone:
		return v.Life
	case *history.Eviction:
		return v.Life
	}
	return ""
}

// mark is what broke at an event, and what the event is.
type mark struct {
	properties []string
	text       string
}

// marks gives, by event, what broke there.
func (r Run) marks() map[int]mark {
	out := map[int]mark{}
	for _, p := range r.Report.Properties {
		if p.Verdict != checker.Fail {
			continue
		}
		at := r.breaks(p)
		m := out[at]
		m.properties = append(m.properties, p.Property)
		for _, w := range p.Witness {
			if w.Index == at {
				m.text = w.Text
			}
		}
		out[at] = m
	}
	return out
}

// marked gives the words of a text that something broke at: the arrow stays with the first name, and two spaces keep it
// apart from the text.
func marked(text string, properties []string) []string {
	words := strings.Fields(text)
	for i, name := range properties {
		if i < len(properties)-1 {
			name += ","
		}
		if i == 0 {
			name = " ← " + name
		}
		words = append(words, name)
	}
	return words
}
