package workload_test

import (
	"testing"
	"time"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
	"github.com/single-writer/chaos/workload"
)

// Which moments a trigger takes. The input has two keys in two partitions: events 1, 3, 5 are acct-1's at 0, 1, 2 of
// partition 0, events 2, 4, 6 acct-2's in partition 1.
func TestTriggerMatches(t *testing.T) {
	in := workload.NewInput(2, 2, []workload.Stage{posts(1, 6)}, 1)
	at := func(process, point string, partition int32, offset int64, outcome string) history.Event {
		return history.Event{Process: process, Value: &history.PointReached{
			Point: point, Partition: partition, Offset: history.Some(offset), Outcome: outcome,
		}}
	}
	evicted := history.Event{Process: "sentinel", Value: &history.Eviction{Target: "a", Life: "a/1"}}
	on := func(point string, event int64) workload.Trigger {
		return workload.Trigger{Worker: "a", Point: point, Event: event}
	}
	answer := func(a string) workload.Trigger {
		return workload.Trigger{Worker: "a", Point: history.PointCommitAnswered, Answer: a}
	}
	for name, c := range map[string]struct {
		trigger workload.Trigger
		event   history.Event
		want    bool
	}{
		"the worker at the point":           {on("folded", 0), at("a/1", "folded", 0, 1, ""), true},
		"in a later life":                   {on("folded", 0), at("a/7", "folded", 0, 1, ""), true},
		"in a task inside it":               {on("folded", 0), at("a/1/flush", "folded", 0, 1, ""), true},
		"another worker":                    {on("folded", 0), at("ab/1", "folded", 0, 1, ""), false},
		"another point":                     {on("folded", 0), at("a/1", "polled", 0, 1, ""), false},
		"covers the event":                  {on("folded", 3), at("a/1", "folded", 0, 1, ""), true},
		"covers a later one":                {on("folded", 3), at("a/1", "folded", 0, 2, ""), true},
		"covers only an earlier one":        {on("folded", 3), at("a/1", "folded", 0, 0, ""), false},
		"another partition":                 {on("folded", 3), at("a/1", "folded", 1, 2, ""), false},
		"no such event":                     {on("folded", 7), at("a/1", "folded", 0, 9, ""), false},
		"a commit names the next offset":    {on("before-commit", 3), at("a/1", "before-commit", 0, 1, ""), false},
		"and covers the event with the one": {on("before-commit", 3), at("a/1", "before-commit", 0, 2, ""), true},
		"so does a start":                   {on("recovered", 3), at("a/1", "recovered", 0, 1, ""), false},
		"so does the end of an assignment":  {on("lost", 3), at("a/1", "lost", 0, 1, ""), false},
		"revoked behind the event":          {on("revoked", 3), at("a/1", "revoked", 0, 2, ""), true},
		"a persist names its own":           {on("persist-answered", 3), at("a/1", "persist-answered", 0, 1, "refused"), true},
		"an accepted commit":                {answer(""), at("a/1", "commit-answered", 0, 1, "applied"), true},
		"a refused commit":                  {answer(""), at("a/1", "commit-answered", 0, 1, "refused"), false},
		"a refused commit that is asked":    {answer("refused"), at("a/1", "commit-answered", 0, 1, "refused"), true},
		"any commit":                        {answer("any"), at("a/1", "commit-answered", 0, 1, "unknown"), true},
		"a point without an offset": {on("teardown", 3),
			history.Event{Process: "a/1", Value: &history.PointReached{Point: "teardown"}}, false},
		"evicted":                        {workload.Trigger{Evicted: "a"}, evicted, true},
		"another evicted":                {workload.Trigger{Evicted: "b"}, evicted, false},
		"an eviction for a point":        {on("folded", 0), evicted, false},
		"a point for an eviction":        {workload.Trigger{Evicted: "a"}, at("a/1", "folded", 0, 1, ""), false},
		"an event that is no such thing": {on("folded", 0), history.Event{Process: "a/1", Value: &history.LifeEvent{}}, false},
	} {
		if got := c.trigger.Matches(c.event, in); got != c.want {
			t.Errorf("%s: %v, not %v", name, got, c.want)
		}
	}
}

func TestTriggerTexts(t *testing.T) {
	for want, trigger := range map[string]workload.Trigger{
		"nothing":                                {},
		"the coordinator to list no a":           {Evicted: "a"},
		"a at `folded` covering event 6":         {Worker: "a", Point: "folded", Event: 6},
		"a at `commit-answered`, answer refused": {Worker: "a", Point: "commit-answered", Answer: "refused"},
	} {
		if got := trigger.String(); got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
	if d := (workload.Trigger{}).Limit(); d != 30*time.Second {
		t.Errorf("it waits %s", d)
	}
}

// Amounts depend on the seed and the event's number alone: however the input is cut into stages, keys or partitions, and
// whatever comes before, every arm gets the same.
func TestAmountsDependOnTheSeedOnly(t *testing.T) {
	one := workload.NewInput(1, 1, []workload.Stage{posts(1, 50)}, 7)
	two := workload.NewInput(3, 4, []workload.Stage{posts(1, 10), {First: 11, Last: 50, Kind: ledger.Post, Key: 2}}, 7)
	other := workload.NewInput(1, 1, []workload.Stage{posts(1, 50)}, 8)
	same := 0
	for i, p := range one.Events(1, 50) {
		a := p.Event.Amount
		if b := two.Events(1, 50)[i].Event.Amount; !a.Equal(b) {
			t.Errorf("event %d: %s and %s", i+1, a, b)
		}
		if !a.IsPositive() || a.InexactFloat64() > 250 || a.Exponent() < -2 {
			t.Errorf("event %d: %s", i+1, a)
		}
		if a.Equal(other.Events(1, 50)[i].Event.Amount) {
			same++
		}
	}
	if same > 2 {
		t.Errorf("another seed gives %d of 50 the same", same)
	}
}

// Keys go to partitions in turn, events to keys in turn unless a stage names one; offsets count by partition.
func TestInputPlaces(t *testing.T) {
	in := workload.NewInput(2, 3, []workload.Stage{posts(1, 4), {First: 5, Last: 6, Kind: ledger.Close, Key: 2}}, 1)
	want := []workload.Placed{
		{Partition: 0, Offset: 0, Event: ledger.Event{ID: 1, Account: "acct-1", Kind: ledger.Post}},
		{Partition: 1, Offset: 0, Event: ledger.Event{ID: 2, Account: "acct-2", Kind: ledger.Post}},
		{Partition: 0, Offset: 1, Event: ledger.Event{ID: 3, Account: "acct-3", Kind: ledger.Post}},
		{Partition: 0, Offset: 2, Event: ledger.Event{ID: 4, Account: "acct-1", Kind: ledger.Post}},
		{Partition: 1, Offset: 1, Event: ledger.Event{ID: 5, Account: "acct-2", Kind: ledger.Close}},
		{Partition: 1, Offset: 2, Event: ledger.Event{ID: 6, Account: "acct-2", Kind: ledger.Close}},
	}
	for i, p := range in.Events(1, in.Len()) {
		p.Event.Amount = want[i].Event.Amount
		if p != want[i] {
			t.Errorf("%+v, not %+v", p, want[i])
		}
	}
	if ends := in.Ends(); ends[0] != 3 || ends[1] != 3 {
		t.Errorf("ends %v", ends)
	}
	if keys := in.KeysOf(0); len(keys) != 2 || keys[1] != "acct-3" {
		t.Errorf("keys %v", keys)
	}
	empty := workload.NewInput(1, 1, nil, 1)
	if _, _, ok := empty.Position(1); ok || empty.Len() != 0 || empty.Ends()[0] != 0 {
		t.Error("an empty input has an event")
	}
}
