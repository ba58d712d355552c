package nemesis_test

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
	"github.com/single-writer/chaos/nemesis"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// Whatever is done to three workers under the full fence, at whatever moments: the rig itself does not fail, nothing hangs,
// and a worker that is started when all is over goes on to the end, with every account as the log says. It is not the
// checker's work that is done here; what fails here would make its verdicts worthless.
func TestRandomPlans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// All keep a journal, or none: a recovery from events counts on it. Nothing is closed then: clearing a journal that a
		// former owner writes to can leave a hole in it, against which there is no guard (scenario journal-hole).
		events := rapid.Bool().Draw(t, "events")
		kind := ledger.Close
		if events {
			kind = ledger.Post
		}
		in := workload.NewInput(2, 3, []workload.Stage{
			{First: 1, Last: 12, Kind: ledger.Post},
			{First: 13, Last: 14, Kind: kind, Key: 1 + rapid.IntRange(0, 2).Draw(t, "closed")},
			{First: 15, Last: 24, Kind: ledger.Post, After: time.Second},
		}, 1)
		arm, err := persistence.NewArm(persistence.CassandraCAS, nil)
		if err != nil {
			t.Fatal(err)
		}
		w := sim.New(rapid.Int64().Draw(t, "seed"), in.Partitions, history.NewMemory(history.Header{}))
		crew := &workload.Crew{Input: in, Arm: arm, Rows: w, Consumers: w}
		for _, name := range []string{"a", "b", "c"} {
			c := worker(name)
			c.MaxPollRecords = rapid.SampledFrom([]int{1, 3}).Draw(t, "records")
			c.PersistEvery = rapid.SampledFrom([]time.Duration{0, 50 * time.Millisecond}).Draw(t, "persist-every")
			c.RestoreEvents, c.LazyRecovery = events, rapid.Bool().Draw(t, "lazy")
			c.FlushOnRevoke = rapid.Bool().Draw(t, "flush-on-revoke")
			c.Member.MaxPollInterval = rapid.SampledFrom([]time.Duration{time.Second, 10 * time.Second}).Draw(t, "max-poll-interval")
			crew.Configs = append(crew.Configs, c)
		}
		run := &randomRun{t, w, crew, &nemesis.Sentinel{Truth: w, Crew: crew}, events, map[string]bool{}}
		err = w.Board().Run("drain", func(p workload.World) {
			p.Go("producer", (&workload.Feeder{Input: in, Producer: w, Moments: w.Board()}).Run)
			p.Go("sentinel", run.sentinel.Run)
			for range rapid.IntRange(1, 12).Draw(t, "steps") {
				run.step(p)
			}
			if err := run.runner(nemesis.Step{}).StopAll(p); err != nil {
				t.Fatal(err)
			}
			run.finish(p)
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

type randomRun struct {
	t        *rapid.T
	world    *sim.World
	crew     *workload.Crew
	sentinel *nemesis.Sentinel
	events   bool
	held     map[string]bool
}

func (r *randomRun) runner(s nemesis.Step) *nemesis.Runner {
	b := r.world.Board()
	return &nemesis.Runner{
		Plan: []nemesis.Step{s}, Input: r.crew.Input, Crew: r.crew, Stage: b, Moments: b, Truth: r.world, Servers: r.world, Sentinel: r.sentinel,
		Observer: &workload.Observer{Input: r.crew.Input, Rows: r.world, Truth: r.world},
	}
}

// step does one thing that can be done now, perhaps when a worker comes to a point, or when some time has passed.
func (r *randomRun) step(p workload.World) {
	name := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(r.t, "worker")
	s := nemesis.Step{}
	_, running := r.crew.Life(name)
	switch {
	case !running:
		s.Do = acts([]string{"start", name})
		delete(r.held, name)
	case r.held[name]:
		s.Do = acts([]string{rapid.SampledFrom([]string{"release", "kill", "stop"}).Draw(r.t, "fault"), name})
		delete(r.held, name)
	default:
		fault := rapid.SampledFrom([]string{"hold", "evict", "kill", "stop"}).Draw(r.t, "fault")
		// A worker that has nothing to do comes to no point, and cannot be held but where it stands.
		if fault == "hold" || rapid.Bool().Draw(r.t, "at a point") {
			points := history.Points()
			s.When = workload.Trigger{Worker: name, Within: time.Second, Answer: workload.AnyAnswer,
				Point: points[rapid.IntRange(0, len(points)-1).Draw(r.t, "point")].Name}
		}
		s.Do = acts([]string{fault, name})
		r.held[name] = fault == "hold"
	}
	one := r.runner(s)
	one.Run(p)
	var late *workload.Timeout
	switch {
	case one.Failed == nil:
	case errors.As(one.Failed, &late):
		delete(r.held, name)
	case s.Do[0].Fault == "evict":
		// A worker that is in no group just now cannot be put out of it.
	default:
		r.t.Fatalf("%v %v: %v", s.When, s.Do, one.Failed)
	}
	p.Sleep(time.Duration(rapid.IntRange(0, 1500).Draw(r.t, "milliseconds")) * time.Millisecond)
}

// finish starts one worker more, and waits until it has done everything.
func (r *randomRun) finish(p workload.World) {
	if _, err := r.crew.Start(p, "c"); err != nil {
		r.t.Fatal(err)
	}
	until := p.Now() + time.Minute
	for partition, end := range r.crew.Input.Ends() {
		for {
			at, _, _ := r.world.Committed(int32(partition)).Await()
			if at.N == end {
				break
			}
			if p.Now() > until {
				r.t.Fatalf("partition %d is committed up to %s of %d; %s", partition, at, end, r.world.Board().Where())
			}
			p.Sleep(100 * time.Millisecond)
		}
	}
	want := map[string]ledger.State{}
	for _, e := range r.crew.Input.Events(1, r.crew.Input.Len()) {
		want[e.Event.Account] = want[e.Event.Account].Fold(e.Event, e.Offset)
	}
	for _, key := range r.crew.Input.Keys {
		// What the next owner would make of it: a row may lag behind the journal that a recovery was made from.
		store := persistence.Store{Arm: r.crew.Arm, Process: p, Rows: r.world, Partition: int32(partitionOf(r.crew.Input, key)), Events: r.events}
		k, err := store.Restore(key, false)
		if err != nil {
			r.t.Fatal(err)
		}
		got := k.Recovered
		if !got.Equal(want[key]) {
			r.t.Fatalf("%s is stored as %s, and folds to %s", key, got, want[key])
		}
	}
}

func partitionOf(in *workload.Input, key string) int {
	for p := range in.Partitions {
		for _, k := range in.KeysOf(int32(p)) {
			if k == key {
				return p
			}
		}
	}
	return -1
}
