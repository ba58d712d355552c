package workload_test

import (
	"fmt"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is one run in the simulator, with a script of the test's own in the place of the plan.
type rig struct {
	*sim.World
	t      *testing.T
	memory *history.Memory
	crew   *workload.Crew
	feeder *workload.Feeder
}

// quick is a worker that flushes and commits after every poll.
func quick(name string) workload.Config {
	c := workload.DefaultConfig(name)
	c.PersistEvery, c.CommitEvery, c.MaxPollRecords = 0, 0, 1
	c.Member.HeartbeatInterval, c.Member.SessionTimeout, c.Member.MaxPollInterval = 100*time.Millisecond, 3*time.Second, 10*time.Second
	return c
}

func posts(first, last int64) workload.Stage {
	return workload.Stage{First: first, Last: last, Kind: ledger.Post}
}

func newRig(t *testing.T, arm string, in *workload.Input, workers ...workload.Config) *rig {
	t.Helper()
	a, err := persistence.NewArm(arm, nil)
	if err != nil {
		t.Fatal(err)
	}
	memory := history.NewMemory(history.Header{})
	w := sim.New(1, in.Partitions, memory)
	return &rig{
		World: w, t: t, memory: memory,
		crew:   &workload.Crew{Input: in, Arm: a, Rows: w, Consumers: w, Configs: workers, Consistency: "QUORUM"},
		feeder: &workload.Feeder{Input: in, Producer: w, Moments: w.Board()},
	}
}

// play runs the producer and the script, which is over when the run is.
func (r *rig) play(script func(w workload.World)) {
	r.t.Helper()
	err := r.Board().Run("drain", func(w workload.World) {
		w.Go("producer", r.feeder.Run)
		script(w)
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) start(w workload.World, name string) {
	if _, err := r.crew.Start(w, name); err != nil {
		panic(err)
	}
}

// at stops the worker at the point, in whatever life, when it covers the event, lets the test act, and lets it go on.
func (r *rig) at(w workload.World, worker, point string, event int64, act func()) {
	t := workload.Trigger{Worker: worker, Point: point, Event: event, Answer: workload.AnyAnswer}
	watch := workload.WatchFor(r.Board(), t, r.crew.Input)
	if _, ok := watch.Await(workload.DefaultWithin); !ok {
		panic(fmt.Sprintf("no %s; %s", t, r.Board().Where()))
	}
	act()
	watch.Done()
}

// kill ends a worker as a crash does, evict takes it out of its group.
func (r *rig) kill(w workload.World, name string) {
	process, _ := r.crew.Life(name)
	r.Board().Unwind(process)
	w.Await(time.Minute, func() bool { _, _, running := r.Board().Standing(process); return !running })
	r.crew.Sever(name)
}

func (r *rig) evict(name string) { r.Evict(r.member(name)).Await() }

// member is the member that a worker's present life acts as; empty before it has acted at all.
func (r *rig) member(name string) (id string) {
	process, _ := r.crew.Life(name)
	for _, p := range values[history.PointReached](r, process, history.Note) {
		id = p.Member
	}
	return id
}

// values are the values of one type in the history, of the given event type, by one process or by all.
func values[V any](r *rig, process string, t history.Type) []V {
	var out []V
	for _, e := range r.memory.Events {
		if v, ok := e.Value.(*V); ok && e.Type == t && (process == "" || e.Process == process) {
			out = append(out, *v)
		}
	}
	return out
}

// accepted are the offsets that the process committed.
func (r *rig) accepted(process string) []int64 {
	var out []int64
	for _, c := range values[history.OffsetCommit](r, process, history.OK) {
		out = append(out, c.Offset)
	}
	return out
}

// persisted are the states that the process stored.
func (r *rig) persisted(process string) []int64 {
	var out []int64
	for _, v := range values[history.Write](r, process, history.OK) {
		out = append(out, v.Offset)
	}
	return out
}

// wantRow compares what is stored of the key with the fold of the input up to the offset.
func (r *rig) wantRow(key string, offset int64) {
	r.t.Helper()
	want := ledger.State{}
	for _, e := range r.crew.Input.Events(1, r.crew.Input.Len()) {
		if e.Event.Account == key && e.Offset <= offset {
			want = want.Fold(e.Event, e.Offset)
		}
	}
	a, _, _ := r.Start(persistence.Statement{Verb: persistence.Select, Key: key}).Await()
	got := a.Row.Decode()
	if got == nil || got.State == nil || !got.State.Equal(want) {
		r.t.Errorf("%s is stored as %+v, not as %s", key, got, want)
	}
}
