package checker

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/single-writer/chaos/history"
)

// forms are the lines of a small history in words, as the pages in explained/ have them (notation.md says how they are
// read), each with the step that it is.
var forms = []struct {
	form *regexp.Regexp
	step func(t *testing.T, m []string) step
}{
	{form(`under (cassandra/[a-z-]+)(?: without ([a-z-]+))?`), func(_ *testing.T, m []string) step {
		return func(h *history.Memory) {
			h.Header.Arm = m[1]
			if m[2] != "" {
				h.Header.Without = []string{m[2]}
			}
		}
	}},
	{form(`record N: post AMOUNT`), func(t *testing.T, m []string) step {
		if e := event(n(m[1])); money(e.Amount) != m[2] {
			t.Errorf("record %s posts %s in these histories, not %s", m[1], money(e.Amount), m[2])
		}
		return post(n(m[1]))
	}},
	{form(`record N: close`), func(_ *testing.T, m []string) step { return closes(n(m[1])) }},
	{form(`W (persist|delete) @N( of LIST)?( at time N)? (applied|refused, stored @N|unknown|no answer)`),
		func(_ *testing.T, m []string) step { return answered(write_(m), m[8], m[9]) }},
	{form(`W commit N (accepted|unknown|no answer)`), func(_ *testing.T, m []string) step {
		v, t := commitValue(m[1], n(m[2])), map[string]history.Type{"accepted": history.OK, "unknown": history.Info}[m[3]]
		return op(life(m[1]), history.Commit, v, t, v)
	}},
	{form(`W begins a recovery(?:, N µs before it has to poll)?`), func(_ *testing.T, m []string) step { return stuck(m[1], m[2]) }},
	{form(`W fails to recover`), func(_ *testing.T, m []string) step {
		v := &history.Recovery{Owner: history.Owner{Member: life(m[1])}}
		return op(life(m[1]), history.Recover, v, history.Fail, v)
	}},
	{form(`W is started`), func(_ *testing.T, m []string) step { return begins(m[1]) }},
	{form(`W is held`), func(_ *testing.T, m []string) step { return fault("hold", m[1]) }},
	{form(`W is killed`), func(_ *testing.T, m []string) step { return fault("kill", m[1]) }},
	{form(`the coordinator lists W no more`), func(_ *testing.T, m []string) step { return evicted(m[1]) }},
	{form(`W is assigned from N`), func(_ *testing.T, m []string) step { return point(m[1], "assigned", n(m[2])) }},
	{form(`read shows FOUND`), func(_ *testing.T, m []string) step { return probe(foundRow(m[1:])) }},
	{form(`W recovers from N, finds FOUND`), func(_ *testing.T, m []string) step { return recovering(m[1], n(m[2]), foundRow(m[3:])) }},
	{form(`W recovers from N, makes of its events nothing, floor @N`), func(_ *testing.T, m []string) step {
		return makes(m[1], n(m[2]), closed, n(m[3]))
	}},
	{form(`the committed offset reads (none|N)`), func(_ *testing.T, m []string) step { return readBack(offsetOrNone(m[1])) }},
	{form(`at the (start|end): (?:nothing stored, )?(nothing|N) committed`), func(_ *testing.T, m []string) step {
		if offset := offsetOrNone(m[2]); offset.Known {
			return truth(m[1], offset.N)
		}
		return truth(m[1], -1)
	}},
	{form(`the group's log: W commits N`), func(_ *testing.T, m []string) step { return inLog(m[1], n(m[2])) }},
	{form(`the group's log: nobody of the run commits N`), func(_ *testing.T, m []string) step { return strangerInLog(n(m[1])) }},
	{form(`the group's log: generation N, W has N(?:, W has N)?`), func(_ *testing.T, m []string) step {
		holds := map[string]int64{m[2]: n(m[3])}
		if m[4] != "" {
			holds[m[4]] = n(m[5])
		}
		return generationInLog(n(m[1]), holds)
	}},
	{form(`the group's log ends`), func(*testing.T, []string) step { return logEnds }},
	{form(`the run ends`), func(*testing.T, []string) step { return end(true) }},
}

// form makes a regular expression of a line's form: N is a number, W a worker, FOUND what a read finds.
func form(s string) *regexp.Regexp {
	for _, r := range [][2]string{
		{"FOUND", `(?:(nothing)|W's( tombstone)? @N( of LIST)?)`}, {"AMOUNT", `(\d+\.\d\d)`}, {"LIST", `(\d+(?:, \d+)*)`}, {"N", `(\d+)`},
		{"W", `([abc])`},
	} {
		s = strings.ReplaceAll(s, r[0], r[1])
	}
	return regexp.MustCompile("^" + s + "$")
}

// stuck is a recovery that is never answered, with so much time left until its member has to poll, if that is said.
func stuck(worker, micros string) step {
	return func(m *history.Memory) {
		v := &history.Recovery{Owner: history.Owner{Member: life(worker)}}
		if micros != "" {
			v.Deadline = history.Some(int64(len(m.Events))*1e6 + n(micros)*1e3)
		}
		begin(m, life(worker), history.Recover, v)
	}
}

func n(s string) int64 {
	v, _ := strconv.ParseInt(s, 10, 64) // the forms let nothing else through
	return v
}

func offsetOrNone(s string) history.Opt {
	if s == "none" || s == "nothing" {
		return history.Opt{}
	}
	return history.Some(n(s))
}

func list(s string) (out []int64) {
	for _, o := range strings.Split(s, ", ") {
		out = append(out, n(o))
	}
	return out
}

// write_ is the write of a line: worker, f, offset, contents, time.
func write_(m []string) W {
	w := D(m[1], n(m[3]))
	if m[2] == "persist" {
		w = P(m[1], n(m[3]))
	}
	if m[5] != "" {
		w = w.of(list(m[5])...)
	}
	if m[7] != "" {
		w = w.at(n(m[7]))
	}
	return w
}

func answered(w W, how, stored string) step {
	switch how {
	case "applied":
		return ok(w)
	case "unknown":
		return info(w)
	case "no answer":
		return call(w)
	}
	return no(w, n(stored))
}

// foundRow is the row that a read finds: nothing, or worker, tombstone, offset, contents.
func foundRow(m []string) *history.Row {
	switch {
	case m[0] == "nothing":
		return none
	case m[2] != "":
		return show(D(m[1], n(m[3])))
	case m[5] != "":
		return show(P(m[1], n(m[3])).of(list(m[5])...))
	}
	return show(P(m[1], n(m[3])))
}

// written reads a history in words. What follows an arrow is a remark.
func written(t *testing.T, text string) *history.History {
	t.Helper()
	var steps []step
	var records int64
	for _, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "←")
		line = strings.Join(strings.Fields(line), " ")
		if strings.HasPrefix(line, "record ") {
			records++
		}
		read := false
		for _, f := range forms {
			if m := f.form.FindStringSubmatch(line); m != nil {
				steps, read = append(steps, f.step(t, m)), true
				break
			}
		}
		if !read {
			t.Fatalf("this line is no event of a small history: %q", line)
		}
	}
	return with(hist(steps...), records)
}
