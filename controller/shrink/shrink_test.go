package shrink

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/controller/failure"
	"github.com/single-writer/chaos/controller/replay"
	"github.com/single-writer/chaos/controller/runtest"
	"github.com/single-writer/chaos/nemesis"
	"github.com/single-writer/chaos/scenarios"
	"github.com/single-writer/chaos/workload/persistence"
)

func simulators(schedule string) (cluster.Cluster, error) { return sim.Scheduled(schedule) }

// opened is the run in a folder.
func opened(t testing.TB, folder string) *replay.Recorded {
	t.Helper()
	r, err := replay.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// minimal fails unless nothing can be left out of the trial by itself.
func minimal(t testing.TB, r *reducer, small trial) {
	for _, kind := range scenarios.Reductions() {
		for i := range kind.Parts(small.scenario) {
			if less, ok := r.kept(context.Background(), kind.Without(small.scenario, i, i+1), small); ok {
				t.Fatalf("of the %s one more can be left out, with seed %d:\n%s", kind.Of, less.seed, less.scenario.YAML())
			}
		}
	}
}

// What is left fails, and would not if one part more were left out: whatever it is that makes it fail.
func TestReducedIsMinimal(t *testing.T) {
	random := runtest.Find(t, "overlap-random")
	lww, err := persistence.NewArm(persistence.CassandraLWW, nil)
	if err != nil {
		t.Fatal(err)
	}
	for n := range uint64(4) {
		draw := rand.New(rand.NewPCG(n, 1))
		s := random.Draw(draw.Int64N(1000))
		var needed []string
		for _, step := range s.Plan {
			if draw.IntN(4) == 0 {
				needed = append(needed, fmt.Sprint(step.Do))
			}
		}
		events, keys, from := 1+draw.Int64N(s.Events()), 1+draw.IntN(s.Keys), draw.Int64N(3)
		r := &reducer{Request: Request{Run: &replay.Recorded{Job: controller.Job{Scenario: s, Arm: lww, Seed: 1}},
			Seeds: 4, Most: 1 << 30}}
		r.fails = func(_ context.Context, try trial) bool {
			does := func(do string) bool {
				return slices.ContainsFunc(try.scenario.Plan, func(step nemesis.Step) bool { return fmt.Sprint(step.Do) == do })
			}
			for _, do := range needed {
				if !does(do) {
					return false
				}
			}
			return try.scenario.Events() >= events && try.scenario.Keys >= keys && try.seed >= from
		}
		small, whole := r.reduce(context.Background(), trial{s, 7, "pct loss-0.01"})
		if !whole || !r.fails(context.Background(), small) {
			t.Fatalf("%d: whole %v, and it does not fail:\n%s", n, whole, small.scenario.YAML())
		}
		if small.scenario.Events() != events || small.scenario.Keys != keys || small.schedule != "" {
			t.Fatalf("%d: %d events, %d keys, schedule %q are left; it needs %d and %d:\n%s", n,
				small.scenario.Events(), small.scenario.Keys,
				small.schedule, events, keys, small.scenario.YAML())
		}
		minimal(t, r, small)
	}
}

// A failure that explore has found is made smaller: the file that comes out fails by a witness of the same shape, anybody can run
// it, and its run is the same every time.
func TestShrink(t *testing.T) {
	for _, c := range []struct {
		seed     int64
		on       sim.Cluster
		property string
		// most are the steps, members and events that may be left.
		most [3]int
	}{
		{63, sim.Cluster{}, checker.NoLeap, [3]int{1, 1, 3}},
		{27, sim.Cluster{}, checker.NoStaleOverwrite, [3]int{6, 2, 3}},
	} {
		folder := runtest.Record(t, c.on, "overlap-random", c.seed, "cassandra/lww")[0]
		run := opened(t, folder)
		q := Request{Run: run, Seeds: 2, Most: 5000, On: simulators, Command: []string{"test"}}
		small, err := Do(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		if small.Property != c.property || !small.Whole {
			t.Errorf("seed %d: %+v", c.seed, small)
		}
		s, err := scenarios.Load(small.File, controller.Vocabulary())
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Plan) > c.most[0] || len(s.Workers) > c.most[1] || s.Events() > int64(c.most[2]) {
			t.Errorf("seed %d: much is left:\n%s", c.seed, s.YAML())
		}
		h := runtest.Execute(t, sim.Cluster{}, s, "cassandra/lww", small.Seed)
		e, _ := s.Expectation("cassandra/lww")
		i := slices.IndexFunc(failure.ByCause(controller.Judge(h, e)),
			func(p checker.Result) bool { return failure.Fingerprint(h, p) == small.Fingerprint })
		if i < 0 {
			t.Errorf("seed %d: it fails in another way: %+v", c.seed, controller.Judge(h, e).Failing())
		}
		on, err := simulators(small.Schedule)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := replay.Replay(context.Background(), opened(t, small.Folder), on, 3); err != nil ||
			again.Exit() != controller.ExitExpected {
			t.Errorf("%v: %+v", err, again)
		}
		r := &reducer{Request: q}
		r.goal, err = q.Run.Goal("")
		r.fails = r.run
		if err != nil {
			t.Fatal(err)
		}
		minimal(t, r, trial{s, small.Seed, small.Schedule})
		var exists *controller.FolderExists
		if _, err := Do(context.Background(), q); !errors.As(err, &exists) {
			t.Errorf("a second time: %v", err)
		}
	}
}

// Where a property that should fail does not, the failure that is kept is of one that does.
func TestShrinkKeepsWhatFails(t *testing.T) {
	run := opened(t, runtest.Record(t, sim.Cluster{}, "stale-periodic-flush", 1, "cassandra/lww")[0])
	s := *run.Job.Scenario
	s.Expect = slices.Clone(s.Expect)
	for i := range s.Expect {
		s.Expect[i].Holds, s.Expect[i].Violates = false, append(slices.Clone(s.Expect[i].Violates), checker.Loud)
	}
	run.Job.Scenario = &s
	v, e := run.Judge()
	if found := failure.Of(run.History, v, e); len(found) != 1 || found[0].Property != checker.Loud {
		t.Fatalf("explore tells of no property that did not fail, so that this shows nothing: %+v", found)
	}
	if goal, err := run.Goal(""); err != nil || !slices.Contains(goal.Failing, goal.Property) {
		t.Errorf("%v: %+v", err, goal)
	}
}

// No more runs are done than may be, all told; and with several nodes of the store no decisions are looked for.
func TestShrinkMost(t *testing.T) {
	run := opened(t, runtest.Record(t, sim.Cluster{Replicas: 3}, "stale-periodic-flush", 1, "cassandra/lww")[0])
	for _, most := range []int{3, 20} {
		opens := 0
		small, err := Do(context.Background(), Request{Run: run, Seeds: 1, Most: most, Out: filepath.Join(t.TempDir(), "small"),
			On: func(schedule string) (cluster.Cluster, error) { opens++; return simulators(schedule) }})
		if err != nil {
			t.Fatal(err)
		}
		if most == 3 && (small.Schedule != "replicas-3" || !small.Beyond || small.Bare) {
			t.Errorf("of a store with several nodes: %+v", small)
		}
		if opens > most || small.Runs != opens || small.Whole {
			t.Errorf("%d runs, said to be %d, of %d at most; whole %v", opens, small.Runs, most, small.Whole)
		}
	}
	for schedule, want := range map[string]bool{"": false, "pct loss-0.01": false, "replicas-3": true,
		"loss-0.01 skew-1s": true} {
		if beyond(schedule, &scenarios.Scenario{Cluster: scenarios.Cluster{Kafka: 1, Cassandra: 1}}) != want {
			t.Errorf("%q: %v", schedule, !want)
		}
		if !beyond(schedule, &scenarios.Scenario{Cluster: scenarios.Cluster{Kafka: 3, Cassandra: 1}}) {
			t.Error("of several brokers the seed decides more than the schedule")
		}
		if !beyond(schedule, &scenarios.Scenario{Cluster: scenarios.Cluster{Kafka: 1, Cassandra: 3}}) {
			t.Errorf("%q, of a scenario that has three nodes", schedule)
		}
	}
}

// What does not fail, or not by what is asked for, or not again, cannot be made smaller.
func TestShrinkRefuses(t *testing.T) {
	shrink := func(folder, property string) string {
		_, err := Do(context.Background(), Request{Run: opened(t, folder), Property: property, Seeds: 1, Most: 10,
			On: simulators})
		var usage *controller.Usage
		if !errors.As(err, &usage) {
			t.Fatalf("%v", err)
		}
		return err.Error()
	}
	folders := runtest.Record(t, sim.Cluster{}, "stale-periodic-flush", 1, "cassandra/lww", "cassandra/cas")
	for got, want := range map[string]string{
		shrink(folders[1], ""):               "no property fails in it",
		shrink(folders[0], checker.Loud):     "loud does not fail in ",
		shrink(folders[0], "no-stale-write"): "what does: no-stale-overwrite, durable-fold",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nsays nothing of %q", got, want)
		}
	}
	// The run of an arm without a fence, called one with it: it fails no more when it is done again.
	for _, name := range []string{"run.json", "history.jsonl", "verdict.json"} {
		path := filepath.Join(folders[0], name)
		b, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, []byte(strings.ReplaceAll(string(b), "cassandra/lww", "cassandra/cas")), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	got := shrink(folders[0], checker.NoStaleOverwrite)
	for _, want := range []string{"no-stale-overwrite failed in it, and does not when it is done again",
		"from line 1 on it is another run"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nsays nothing of %q", got, want)
		}
	}
}
