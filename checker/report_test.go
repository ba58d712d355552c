package checker

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
)

func TestParseRequirement(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"evicted a", ""}, {"handovers 2", ""}, {"deleted", ""}, {"  stale-write   a ", ""},
		{"", "an empty requirement"}, {"evicted", `it is written "evicted W"`}, {"handovers two", `it is written "handovers N"`},
		{"handovers 0", `it is written "handovers N"`}, {"deleted a", `it is written "deleted"`}, {"evict a", `there is no word "evict"; the words are:`},
	} {
		_, err := ParseRequirement(c.text)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q: %v", c.text, err)
		}
	}
	for _, w := range RequirementWords() {
		if _, err := ParseRequirement(strings.NewReplacer("W", "a", "N", "2").Replace(w.Form)); err != nil || w.Meaning == "" {
			t.Errorf("%v: %v", w, err)
		}
	}
}

// Each requirement is met by one history and not by its neighbour.
func TestRequirements(t *testing.T) {
	probed := all(fold("a", 5), ok(P("b", 9)), commit("b", 10), probe(show(P("b", 9))))
	for _, c := range []struct {
		text       string
		shows, not step
	}{
		{"evicted a", all(fault("hold", "a"), evicted("a"), point("b", "assigned", 5)),
			all(fault("hold", "a"), point("b", "assigned", 5), evicted("a"))},
		{"evicted a", all(fault("hold", "a"), evicted("a"), point("b", "assigned", 5)), all(evicted("a"), point("b", "assigned", 5))},
		{"evicted a", all(fault("hold", "a"), evicted("a"), point("b", "assigned", 5)),
			all(fault("hold", "a"), evicted("a"), point("a/2", "assigned", 5))},
		{"dirty a", all(ok(P("a", 4)), fold("a", 5)), all(fold("a", 5))},
		{"stale-write a", all(probed, no(P("a", 5), 9)), all(probed, info(P("a", 5)))},
		{"stale-write a", all(probed, ok(P("a", 5))), all(ok(P("b", 9)), commit("b", 10), ok(P("a", 5)))},
		{"stale-write a", all(probed, ok(P("a", 5)), recover_("c", 10, none), ok(P("c", 10))), all(probed, ok(P("a", 5)), ok(P("b", 10)))},
		{"rejected-write a", all(probed, no(P("a", 5), 9)), all(probed, ok(P("a", 5)))},
		{"rejected-write a", all(probed, no(P("a", 5), 9)), all(probed, no(P("a", 5), 8))},
		{"lost-first-write a", statements("a", "absent", "refused", "refused"), statements("a", "absent", "applied")},
		{"lost-first-write a", statements("a", "absent", "null", "applied"), statements("b", "absent", "refused", "applied")},
		{"recovered c", recover_("c", 10, none), recovering("c", 10, none)},
		{"persisted c", all(recover_("c", 10, none), ok(P("c", 10))), all(recover_("c", 10, none), ok(P("c", 9)))},
		{"recovered-state b", recover_("b", 5, show(P("a", 4))), recover_("b", 5, show(D("a", 4)))},
		{"deleted", ok(D("a", 4)), no(D("a", 4), 9)},
		{"reopened", all(ok(D("a", 4)), ok(P("a", 5))), all(ok(P("a", 3)), ok(D("a", 4)))},
		{"handovers 2", all(recover_("a", 0, none), recover_("b", 0, none), recover_("a", 0, none)),
			all(recover_("a", 0, none), recover_("a", 0, none), recover_("b", 0, none))},
		{"kept a", all(recoverIn("a", 0), commit("a", 1)), all(recoverIn("a", 1), commit("a", 1))},
		{"kept a", all(recoverIn("a", 0), commit("a", 1)), all(recoverIn("a", 0), recoverIn("a", 1), commit("a", 1))},
		{"kept a", all(recoverIn("a", 0), commit("a", 1)), all(recoverIn("b", 0), commit("a", 1))},
	} {
		if c.text == "dirty a" {
			// Not dirty any more once something at or above it was acknowledged, if that was before the eviction.
			h := hist(fold("a", 5), ok(P("a", 5)), fault("hold", "a"), evicted("a"), point("b", "assigned", 5))
			if m := NewRun(h).Requirements([]string{"evicted a", "dirty a"}); !m[0].Met || m[1].Met {
				t.Errorf("clean at its eviction: %+v", m)
			}
			c.not = point("a", "polled", 5)
		}
		if m := NewRun(hist(c.shows)).Requirements([]string{c.text})[0]; !m.Met || len(m.Evidence) == 0 {
			t.Errorf("%s is not met: %s", c.text, m.Missing)
		}
		if m := NewRun(hist(c.not)).Requirements([]string{c.text})[0]; m.Met || m.Missing == "" {
			t.Errorf("%s is met by %+v", c.text, m.Evidence)
		}
	}
}

// statements is a persist whose statements were answered so; the last one decides.
func statements(worker string, results ...string) step {
	asked := history.Write{Key: acct, Offset: 5}
	done, t := asked, history.Fail
	for _, r := range results {
		done.Statements = append(done.Statements, history.StatementDone{CQL: "a form", Result: r})
		if r == "applied" {
			t = history.OK
		}
	}
	return op(life(worker), history.Persist, &asked, t, &done)
}

// The story must be told in its order: c's recovery counts only after the stale write.
func TestRequirementsInOrder(t *testing.T) {
	h := hist(recover_("c", 0, none), ok(P("b", 9)), commit("b", 10), probe(show(P("b", 9))), ok(P("a", 5)))
	m := NewRun(h).Requirements([]string{"stale-write a", "recovered c"})
	if m[1].Met {
		t.Errorf("%+v", m)
	}
	if m := NewRun(h).Requirements([]string{"recovered c", "reopen"}); !m[0].Met || m[1].Met {
		t.Errorf("%+v", m)
	}
}

func TestVerdictOfTheRun(t *testing.T) {
	good := all(truth("start", -1), ok(P("a", 0)), commit("a", 1), post(0), truth("end", 1))
	for _, c := range []struct {
		name string
		h    *history.History
		want Verdict
	}{
		{"all well", with(hist(good, end(true)), 1), Pass},
		{"no end", with(hist(good), 1), Unknown},
		{"a requirement without evidence", with(hist(good, end(true)), 1, "evicted a"), Vacuous},
		{"a plan that did not finish", with(hist(good, end(false)), 1), Vacuous},
		{"nothing at all", hist(end(true)), Vacuous},
		{"broken and cut", with(hist(ok(P("b", 9)), ok(P("a", 5))), 1, "evicted a"), Fail},
	} {
		rep := Check(c.h)
		if rep.Verdict != c.want || rep.Summary == "" {
			t.Errorf("%s: %s: %s", c.name, rep.Verdict, rep.Summary)
		}
		if _, err := json.Marshal(rep); err != nil {
			t.Error(err)
		}
	}
}

func TestProgressOfAPlanThatDidNotFinish(t *testing.T) {
	for _, c := range []struct {
		name   string
		events int64
		steps  step
		want   Verdict
	}{
		{"the next stage never began", 2, all(begins("a"), post(0), truth("end", 1)), Vacuous},
		{"all produced and committed", 1, all(begins("a"), post(0), truth("end", 1)), Pass},
		{"a worker was free and did not go on", 1, all(begins("a"), post(0), truth("end", -1)), Fail},
		{"the worker was held", 1, all(begins("a"), fault("hold", "a"), post(0), truth("end", -1)), Vacuous},
		{"the worker was held and released", 1, all(begins("a"), fault("hold", "a"), fault("release", "a"), post(0), truth("end", -1)), Fail},
	} {
		if got := verdictOf(with(hist(c.steps, end(false)), c.events), Progress); got != c.want {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}

func TestExpectations(t *testing.T) {
	broken, whole := Check(stalePeriodicFlushLWW()), Check(stalePeriodicFlushCAS())
	untried := Check(with(hist(truth("start", -1), ok(P("a", 0)), commit("a", 1), post(0), truth("end", 1), end(true)),
		1, "evicted a"))
	cut := Check(hist(ok(P("a", 0))))
	// What may fail failed, but what the scenario is about was never seen: luck must not read as safe.
	lucky := stalePeriodicFlushLWW()
	lucky.Header.Requires = []string{"rejected-write a"}
	untested := Check(lucky)
	for _, c := range []struct {
		name string
		rep  Report
		e    Expectation
		want string
	}{
		{"exactly these", broken, Expectation{Violates: six}, ""},
		{"one too many is stated", whole, Expectation{Violates: six[:1]}, "no-stale-overwrite should be violated and is pass"},
		{"one is not stated", broken, Expectation{Violates: six[:5]}, "single-writer should hold and is violated"},
		{"it may", broken, Expectation{Violates: six[:5], May: six[5:]}, ""},
		{"it may and does not", whole, Expectation{May: six}, ""},
		{"never tried", untried, Expectation{}, `the run does not show "evicted a"`},
		{"it may, and was not tried", untested, Expectation{May: six}, `the run does not show "rejected-write a"`},
		{"it must, and more is required", untested, Expectation{Violates: six}, `the run does not show "rejected-write a"`},
		{"undecided", cut, Expectation{}, "progress could not be decided"},
		{"no such property", whole, Expectation{May: []string{"no-such"}}, `there is no property "no-such"`},
	} {
		met, deviations := c.rep.Meets(c.e)
		if got := strings.Join(deviations, "; "); met != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %v %q", c.name, met, deviations)
		}
	}
	if _, ok := FindProperty("no-such"); ok || !slices.Contains(PropertyNames(), Progress) {
		t.Error("names")
	}
}

func TestUnknowns(t *testing.T) {
	h := hist(info(P("a", 1)), call(P("a", 2)), info(P("a", 3)), probe(show(P("a", 1))), settle(show(P("a", 2))),
		op("a/1", history.Commit, &history.OffsetCommit{Offset: 4}, history.Info, &history.OffsetCommit{Offset: 4}),
		op("drain", history.Committed, &history.CommittedOffset{}, history.OK, &history.CommittedOffset{Offset: history.Some(4)}),
		op("producer", history.Produce, &history.Produced{Event: event(7)}, "", nil), post(7), end(true))
	u := Check(h).Unknowns
	var how []string
	for _, x := range u.Each {
		how = append(how, x.Settled)
	}
	want := []string{"seen by a read", "settled by the rig's serial read", "never seen", "read back", "found in the log"}
	if !slices.Equal(how, want) || u.Operations != 5 || u.Seen != 4 || u.NeverSeen != 1 {
		t.Errorf("%+v", u)
	}
	h.Events = h.Events[:3]
	if u := Check(h).Unknowns; u.StillUnknown != 2 {
		t.Errorf("cut: %+v", u)
	}
}

// BenchmarkCheck gives the cost of a whole check per event of a history of 100 000: ten owners after one another. Under an
// arm with a promise of its own, that is judged too.
func BenchmarkCheck(b *testing.B) {
	for _, arm := range []string{"none", armCAS, armLWW} {
		b.Run(arm, func(b *testing.B) { benchmarkCheck(b, arm) })
	}
}

func benchmarkCheck(b *testing.B, arm string) {
	const events = 100_000
	m := history.NewMemory(history.Header{Schema: history.Schema, Arm: arm})
	truth("start", -1)(m)
	keys := make([]string, 100)
	states := make([]ledgerState, len(keys))
	for i := range keys {
		keys[i] = "k" + number(int64(i))
	}
	for o := int64(0); len(m.Events) < events; o++ {
		states[int(o)%len(keys)].next(m, keys, o, o/2000+1)
	}
	end(true)(m)
	b.ReportAllocs()
	for b.Loop() {
		if rep := Check(&m.History); len(verdicts(rep, Fail)) > 0 {
			b.Fatal(verdicts(rep, Fail))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/events, "ns/event")
}

// ledgerState is a key's state in the benchmark.
type ledgerState struct{ state ledger.State }

// next lets the owner of a generation fold, persist and commit one record, and one owner follow another.
func (s *ledgerState) next(m *history.Memory, keys []string, o, generation int64) {
	e := event(o)
	e.Account = keys[int(o)%len(keys)]
	s.state = s.state.Fold(e, o)
	st := s.state
	owner := history.Owner{Generation: int32(generation)}
	process := "w" + number(generation) + "/1"
	w := &history.Write{Key: e.Account, Offset: o, State: &st, Write: process + "#" + number(o), Owner: owner}
	row := *show(W{v: *w})
	if m.Header.Arm == armLWW {
		w.Timestamp = history.Some(clock(m))
	}
	c := &history.OffsetCommit{Offset: o + 1, Owner: owner}
	note(process, history.Point, &history.PointReached{Point: "folded", Key: e.Account, Offset: history.Some(o)})(m)
	op(process, history.Persist, w, history.OK, w)(m)
	op(process, history.Commit, c, history.OK, c)(m)
	if o%10 == 0 {
		v := &history.RowRead{Key: e.Account, Purpose: history.ForProbe, Row: &row}
		op("observer", history.Read, v, history.OK, v)(m)
	}
	note("drain", history.Record, &history.InputRecord{Offset: o, Event: e})(m)
}
