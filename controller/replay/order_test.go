package replay

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/controller/runtest"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload/persistence"
)

// reseeded is a simulator that draws other schedules than a seed's own.
type reseeded struct {
	sim.Cluster
	by int64
}

func (r reseeded) Open(ctx context.Context, s cluster.Spec, rec history.Recorder) (cluster.World, error) {
	s.Seed += r.by
	return r.Cluster.Open(ctx, s, rec)
}

// inOrder does a job in the order of a recorded run, on a simulator that left alone would do it in another.
func inOrder(t *testing.T, h *history.History, j controller.Job, on cluster.Cluster) (*history.History, *order) {
	t.Helper()
	o := newOrder(h, 1)
	j.Follow = o
	m := history.NewMemory(j.Header(on.Facts()))
	if err := controller.Execute(context.Background(), j, on, m); err != nil {
		t.Fatal(err)
	}
	return &m.History, o
}

// deeds are all deeds of workers, plan and producer in their order, up to where the rig ends the run.
func deeds(h *history.History) (out []string) {
	o := newOrder(h, 1)
	for i := range o.wanted {
		out = append(out, o.text(i))
	}
	return out
}

// What a plan fixes for each worker comes in the recorded order of all, whatever schedule is drawn.
func TestOrderIsDriven(t *testing.T) {
	for _, name := range []string{"stale-periodic-flush", "calm", "two-partitions-one-lost", "stale-delete",
		"zombie-revives-deleted-key"} {
		s := runtest.Find(t, name)
		for _, arm := range s.Arms() {
			a, err := persistence.NewArm(arm, nil)
			if err != nil {
				t.Fatal(err)
			}
			want := runtest.Execute(t, sim.Cluster{}, s, arm, 1)
			free := runtest.Execute(t, reseeded{by: 5}, s, arm, 1)
			got, o := inOrder(t, want, controller.NewJob(s, a, 1), reseeded{by: 5})
			if o.undriven != nil || o.cursor != len(o.wanted) {
				t.Errorf("%s under %s: %d of %d: %+v", name, arm, o.cursor, len(o.wanted), o.undriven)
				continue
			}
			if d := cmp.Diff(deeds(want), deeds(got)); d != "" {
				t.Errorf("%s under %s: in another order (-recorded +driven):\n%s", name, arm, d)
			}
			if cmp.Equal(deeds(want), deeds(free)) {
				t.Errorf("%s under %s: left alone it comes in the same order, so that this shows nothing", name, arm)
			}
		}
	}
}

// again is how it was asked.
const again = "chaos replay runs/x --cluster containers --slower 7"

// redriven does a recorded run on another cluster, in its order.
func redriven(t *testing.T, folder string, on cluster.Cluster) *Redriven {
	t.Helper()
	out, err := Redrive(context.Background(), Redriving{Run: opened(t, folder), Slower: 1, Request: controller.Request{
		Again: again, Out: filepath.Join(t.TempDir(), "runs"), Kind: on.Facts().Kind, Progress: func(string) {},
		Open: func(context.Context, cluster.Size) (cluster.Cluster, error) { return on, nil },
	}})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A failure that is made of what workers did in which order is confirmed where the schedule is another: also one that nobody's
// script has led to, and that comes with few of the schedules that are left alone.
func TestRedriveConfirms(t *testing.T) {
	for _, c := range []struct {
		scenario string
		seed     int64
	}{{"stale-periodic-flush", 1}, {"overlap-random", 63}, {"overlap-random", 51}} {
		folder := runtest.Record(t, sim.Cluster{}, c.scenario, c.seed, "cassandra/lww")[0]
		r := redriven(t, folder, reseeded{by: 3})
		if !r.Confirmed || r.Exit() != controller.ExitExpected || r.Property == "" {
			t.Errorf("%s, seed %d: %s not confirmed, %d of %d driven, %+v", c.scenario, c.seed, r.Property, r.Driven,
				r.Of, r.Undriven)
		}
		if _, err := os.Stat(filepath.Join(r.Run.Folder, "redriven.json")); err != nil {
			t.Error(err)
		}
		page, err := os.ReadFile(filepath.Join(r.Run.Folder, "story.md"))
		if err != nil || !strings.Contains(string(page), "\n    "+again+"\n") {
			t.Errorf("%v: the story does not say %q as it is:\n%s", err, again, page)
		}
	}
	// Where nothing failed, nothing may.
	folder := runtest.Record(t, sim.Cluster{}, "stale-periodic-flush", 1, "cassandra/cas")[0]
	if r := redriven(t, folder, reseeded{by: 3}); !r.Confirmed || r.Property != "" || r.Undriven != nil {
		t.Errorf("%+v", r)
	}
}

// A run in which nothing failed is confirmed by one that was driven to its end and judged, and by no other.
func TestRedriveUnproven(t *testing.T) {
	pass, vacuous := controller.Verdict{Verdict: checker.Pass}, controller.Verdict{Verdict: checker.Vacuous,
		Summary: "The plan did not finish."}
	unknown := controller.Verdict{Verdict: checker.Unknown, Summary: "nobody knows."}
	failing := controller.Verdict{Verdict: checker.Fail, Summary: "durable-fold: lost."}
	for _, c := range []struct {
		r              Redriven
		recorded, here controller.Verdict
		says           string
	}{
		{Redriven{Driven: 9, Of: 9}, pass, pass, ""},
		{Redriven{Driven: 8, Of: 9, Undriven: &Undriven{}}, pass, pass, "not kept to the end"},
		{Redriven{Driven: 9, Of: 9}, pass, vacuous, "here it is vacuous: The plan did not finish."},
		{Redriven{Driven: 9, Of: 9}, pass, unknown, "here it is unknown: nobody knows."},
		{Redriven{Driven: 9, Of: 9}, pass, failing, "here it is fail: durable-fold"},
		{Redriven{Driven: 9, Of: 9}, vacuous, pass, "the recorded run is vacuous"},
	} {
		c.r.compare(c.recorded, c.here)
		if c.r.Confirmed != (c.says == "") || !strings.Contains(c.r.Unproven, c.says) ||
			(c.r.Exit() == controller.ExitExpected) != c.r.Confirmed {
			t.Errorf("%+v says nothing of %q", c.r, c.says)
		}
	}
}

// What comes first otherwise is named, and the run goes on without order from there.
func TestUndriven(t *testing.T) {
	lossy := runtest.Record(t, sim.Cluster{Loss: 0.05}, "stale-periodic-flush", 1, "cassandra/lww")[0]
	r := redriven(t, lossy, reseeded{by: 3})
	if r.Undriven == nil || !strings.Contains(r.Undriven.Why, "a message was lost") || r.Undriven.Recorded == "" ||
		!r.Run.History.Ended() {
		t.Errorf("%d of %d: %+v", r.Driven, r.Of, r.Undriven)
	}
	// The same with what was recorded changed: an answer, a point that is not come to, somebody that does nothing.
	for what, change := range map[string]func(*history.History){
		"the servers answered otherwise": func(h *history.History) {
			h.Events[find1(h, "a/1", history.Persist)].Type = history.Fail
		},
		"it did not come within": func(h *history.History) {
			h.Events[find1(h, "a/1", history.Commit)].Process = "z/1"
		},
		"b/1 did nothing more": func(h *history.History) {
			for i := range h.Events {
				if h.Events[i].Process == "b/1" {
					h.Events[i].Process = "sentinel"
				}
			}
		},
	} {
		h := runtest.Execute(t, sim.Cluster{}, runtest.Find(t, "stale-periodic-flush"), "cassandra/lww", 1)
		lww, err := persistence.NewArm("cassandra/lww", nil)
		if err != nil {
			t.Fatal(err)
		}
		change(h)
		got, o := inOrder(t, h, controller.NewJob(runtest.Find(t, "stale-periodic-flush"), lww, 1), reseeded{by: 5})
		if o.undriven == nil || !strings.Contains(o.undriven.Why, what) || o.undriven.Line == 0 ||
			o.undriven.Recorded == "" || !got.Ended() {
			t.Errorf("%s: %d of %d, %+v", what, o.cursor, len(o.wanted), o.undriven)
		}
	}
}

// find1 is the first answer of that kind to the process.
func find1(h *history.History, process string, f history.F) int {
	return slices.IndexFunc(h.Events, func(e history.Event) bool { return e.Process == process && e.F == f && e.Type == history.OK })
}
