package workload_test

import (
	"strings"
	"testing"
	"time"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// Somebody else's record in the topic puts the events behind it elsewhere: nothing that the scenario says of offsets holds
// then, and the feeder goes no further.
func TestFeederRefusesAWrongOffset(t *testing.T) {
	r := newRig(t, persistence.CassandraLWW, workload.NewInput(1, 1, []workload.Stage{posts(1, 3)}, 1))
	r.play(func(w workload.World) {
		r.Produce(0, "", nil).Await()
		w.Await(time.Minute, func() bool { return r.feeder.Done })
	})
	want := "produce event 1: it came to offset 1 of partition 0, not 0: somebody else writes to the topic"
	if err := r.feeder.Failed; err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	if n := len(values[history.Produced](r, "producer", history.Invoke)); n != 1 {
		t.Errorf("%d events were sent", n)
	}
}

// A stage waits for its moment; when that is a point, its worker stays in it until the stage's records are there.
func TestStages(t *testing.T) {
	in := workload.NewInput(1, 1, []workload.Stage{posts(1, 2), {
		First: 3, Last: 4, Kind: "post", After: time.Second, When: workload.Trigger{Worker: "a", Point: history.PointFolded, Event: 2},
	}}, 1)
	r := newRig(t, persistence.CassandraLWW, in, quick("a"))
	r.play(func(w workload.World) {
		r.start(w, "a")
		w.Sleep(500 * time.Millisecond)
		if process, inside, _ := r.Board().Standing("a/1"); process != "folded @1" || !inside || r.feeder.Done {
			t.Errorf("a stands at %s, inside %v", process, inside)
		}
		r.at(w, "a", history.PointCommitAnswered, 4, func() {})
	})
}

// A stage whose moment does not come says what it waited for and where every worker stands.
func TestStageTimesOut(t *testing.T) {
	in := workload.NewInput(1, 1, []workload.Stage{posts(1, 1), {First: 2, Last: 2, Kind: "post", When: workload.Trigger{
		Worker: "b", Point: history.PointRecovered, Within: 2 * time.Second, Where: "x.yaml:7:20",
	}}}, 1)
	r := newRig(t, persistence.CassandraLWW, in, quick("a"))
	r.play(func(w workload.World) {
		r.start(w, "a")
		w.Await(time.Minute, func() bool { return r.feeder.Done })
		if w.Now() > 3*time.Second {
			t.Errorf("it waited until %s", w.Now())
		}
	})
	want := "x.yaml:7:20: step 2 of the input waited 2s for b at `recovered`; a/1 after commit-answered @1"
	if err := r.feeder.Failed; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// A feeder that is stopped has the record under way answered, and sends no more: one behind the rig's last reads would look
// lost.
func TestFeederStops(t *testing.T) {
	for after := time.Duration(0); after < 10*time.Millisecond; after += 300 * time.Microsecond {
		r := newRig(t, persistence.CassandraLWW, workload.NewInput(1, 1, []workload.Stage{posts(1, 500)}, 1))
		r.play(func(w workload.World) {
			w.Sleep(after)
			if err := r.feeder.Stop(w, r.Board().Unwind); err != nil {
				t.Error(err)
			}
			n := len(r.memory.Events)
			w.Sleep(time.Minute)
			if len(r.memory.Events) != n {
				t.Errorf("stopped after %s it went on", after)
			}
		})
		sent, answered := values[history.Produced](r, "", history.Invoke), values[history.Produced](r, "", history.OK)
		if len(sent) != len(answered) {
			t.Errorf("stopped after %s: %d sent, %d answered", after, len(sent), len(answered))
		}
	}
}

// The rig's reads: a probe of one key or of all, and never of one that there is not.
func TestProbe(t *testing.T) {
	in := workload.NewInput(2, 3, []workload.Stage{posts(1, 3)}, 1)
	r := newRig(t, persistence.CassandraLWW, in)
	o := &workload.Observer{Input: in, Rows: r, Truth: r, Consistency: "ONE"}
	r.play(func(w workload.World) {
		for _, target := range []string{"acct-2", workload.AllKeys} {
			if err := o.Probe(w, target); err != nil {
				t.Error(err)
			}
		}
		if err := o.Probe(w, "acct-9"); err == nil || err.Error() != "there is no key acct-9; there are: acct-1, acct-2, acct-3" {
			t.Error(err)
		}
	})
	var keys []string
	for _, v := range values[history.RowRead](r, "observer", history.OK) {
		keys = append(keys, v.Key)
		if v.Purpose != history.ForProbe || v.Consistency != "ONE" {
			t.Errorf("%+v", v)
		}
	}
	if got := strings.Join(keys, " "); got != "acct-2 acct-1 acct-2 acct-3" {
		t.Errorf("read %s", got)
	}
}

// With nothing to produce the feeder is done at once, and a worker idles: it commits nothing.
func TestEmptyInput(t *testing.T) {
	r := newRig(t, persistence.CassandraCAS, workload.NewInput(2, 1, nil, 1), quick("a"))
	r.play(func(w workload.World) {
		r.start(w, "a")
		w.Sleep(time.Minute)
	})
	if !r.feeder.Done || r.feeder.Failed != nil {
		t.Errorf("done %v, %v", r.feeder.Done, r.feeder.Failed)
	}
	recovered := values[history.Recovery](r, "a/1", history.OK)
	if len(recovered) != 2 || len(recovered[1].Keys) != 0 || len(values[history.OffsetCommit](r, "", history.Invoke)) != 0 {
		t.Errorf("recovered %+v", recovered)
	}
}
