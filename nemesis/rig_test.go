package nemesis_test

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
	"github.com/single-writer/chaos/nemesis"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is one run of a plan in the simulator.
type rig struct {
	*nemesis.Runner
	world  *sim.World
	memory *history.Memory
	feeder *workload.Feeder
	// end is when the plan came to its end, on the world's clock.
	end time.Duration
}

// worker is one that flushes and commits after every poll, with a session of 3 s and a max.poll.interval of 10 s.
func worker(name string) workload.Config {
	c := workload.DefaultConfig(name)
	c.PersistEvery, c.CommitEvery, c.MaxPollRecords = 0, 0, 1
	c.Member = workload.MemberConfig{MaxPollInterval: 10 * time.Second, SessionTimeout: 3 * time.Second,
		HeartbeatInterval: 100 * time.Millisecond, RequestTimeout: 5 * time.Second}
	return c
}

// newRig makes a run of ten events under the full fence, with the workers a, b and c.
func newRig(t *testing.T, seed int64, plan ...nemesis.Step) *rig {
	t.Helper()
	arm, err := persistence.NewArm(persistence.CassandraCAS, nil)
	if err != nil {
		t.Fatal(err)
	}
	in := workload.NewInput(1, 1, []workload.Stage{{First: 1, Last: 10, Kind: ledger.Post}}, 1)
	memory := history.NewMemory(history.Header{})
	w := sim.New(seed, 1, memory)
	crew := &workload.Crew{Input: in, Arm: arm, Rows: w, Consumers: w, Configs: []workload.Config{worker("a"), worker("b"), worker("c")}}
	return &rig{
		world: w, memory: memory, feeder: &workload.Feeder{Input: in, Producer: w, Moments: w.Board()},
		Runner: &nemesis.Runner{
			Plan: plan, Input: in, Crew: crew, Stage: w.Board(), Moments: w.Board(), Truth: w, Wire: w, Servers: w,
			Sentinel: &nemesis.Sentinel{Truth: w, Crew: crew},
			Observer: &workload.Observer{Input: in, Rows: w, Truth: w},
		},
	}
}

// play carries the plan out, and whatever comes after it.
func (r *rig) play(t *testing.T, after ...func(workload.World)) {
	t.Helper()
	err := r.world.Board().Run("drain", func(w workload.World) {
		w.Go("producer", r.feeder.Run)
		w.Go("sentinel", r.Sentinel.Run)
		w.Go("nemesis", r.Run)
		w.Await(2*time.Minute, func() bool { return r.Done })
		r.end = w.Now()
		for _, f := range after {
			f(w)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// do is a step that waits for nothing; when is one that waits for a worker at a point.
func do(actions ...string) nemesis.Step { return nemesis.Step{Do: acts(actions)} }

func when(worker, point string, event int64, actions ...string) nemesis.Step {
	return nemesis.Step{When: workload.Trigger{Worker: worker, Point: point, Event: event}, Do: acts(actions)}
}

func evicted(worker string, actions ...string) nemesis.Step {
	return nemesis.Step{When: workload.Trigger{Evicted: worker}, Do: acts(actions)}
}

// acts reads actions as fault and target in turn.
func acts(words []string) []nemesis.Action {
	var out []nemesis.Action
	for i := 0; i+1 < len(words); i += 2 {
		out = append(out, nemesis.Action{Fault: words[i], Target: words[i+1]})
	}
	return out
}

// wantDone fails unless the plan was carried out.
func (r *rig) wantDone(t *testing.T) {
	t.Helper()
	if !r.Done || r.Failed != nil {
		t.Fatalf("done %v: %v", r.Done, r.Failed)
	}
}

func (r *rig) wantFailed(t *testing.T, want string) {
	t.Helper()
	if r.Failed == nil || r.Failed.Error() != want {
		t.Errorf("got  %v\nwant %s", r.Failed, want)
	}
}

// proof is what the last fault of that name proved itself by.
func (r *rig) proof(fault string) (proof string) {
	for _, e := range r.memory.Events {
		if v, ok := e.Value.(*history.FaultDone); ok && v.Fault == fault && v.Phase == "done" {
			proof = v.Proof
		}
	}
	return proof
}

// evictions are those that the sentinel noted, by life.
func (r *rig) evictions() []string {
	var out []string
	for _, e := range r.memory.Events {
		if v, ok := e.Value.(*history.Eviction); ok {
			out = append(out, v.Life)
		}
	}
	return out
}

// committed are the offsets that a process committed.
func (r *rig) committed(process string) []int64 {
	var out []int64
	for _, e := range r.memory.Events {
		if v, ok := e.Value.(*history.OffsetCommit); ok && e.Process == process && e.Type == history.OK {
			out = append(out, v.Offset)
		}
	}
	return out
}
