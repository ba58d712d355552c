package reports

import (
	"strings"

	"github.com/single-writer/chaos/checker"
)

// breaks gives the event at which a property broke: the last of its witness. Records are read at the end, long after what
// they prove.
func breaks(p checker.Result) int {
	last, any := -1, -1
	for _, w := range p.Witness {
		any = max(any, w.Index)
		if !strings.HasPrefix(w.Text, "record ") {
			last = max(last, w.Index)
		}
	}
	if last < 0 {
		return any
	}
	return last
}

// mark is what broke at an event, and what the event is.
type mark struct {
	properties []string
	text       string
}

// marks gives, by event, what broke there.
func marks(rep checker.Report) map[int]mark {
	out := map[int]mark{}
	for _, p := range rep.Properties {
		if p.Verdict != checker.Fail {
			continue
		}
		at := breaks(p)
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
