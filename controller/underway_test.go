package controller

import (
	"testing"
	"time"

	"github.com/single-writer/chaos/history"
)

// TestUnsettled: what is waited for at the end of a run is counted from when the write in doubt can have left its worker last.
func TestUnsettled(t *testing.T) {
	const persist, read = history.Persist, history.Read
	type events []history.Event
	at := func(s int64, process string, kind history.Type, f history.F, op int64) history.Event {
		return history.Event{Time: s * int64(time.Second), Process: process, Type: kind, F: f, Op: op}
	}
	killed := func(s int64, life string) history.Event {
		return history.Event{Time: s * int64(time.Second), Process: history.Nemesis, Type: history.Note, F: history.Fault,
			Value: &history.FaultDone{Fault: history.FaultKill, Target: "a", Life: life, Phase: history.PhaseDone}}
	}
	healed := func(s int64) history.Event {
		return history.Event{Time: s * int64(time.Second), Process: history.Nemesis, Type: history.Note, F: history.Fault,
			Value: &history.FaultDone{Fault: history.FaultHealServer, Target: "cassandra-1", Server: "cassandra-1",
				Phase: history.PhaseDone}}
	}
	for name, c := range map[string]struct {
		events
		want time.Duration
	}{
		"nothing":                    {events{}, 0},
		"answered":                   {events{at(9, "a/1", history.Invoke, persist, 1), at(9, "a/1", history.OK, persist, 1)}, 0},
		"unknown long ago":           {events{at(1, "a/1", history.Invoke, persist, 1), at(2, "a/1", history.Info, persist, 1)}, 0},
		"unknown just now":           {events{at(1, "a/1", history.Invoke, persist, 1), at(9, "a/1", history.Info, persist, 1)}, 2 * time.Second},
		"a server healed since":      {events{at(1, "a/1", history.Invoke, persist, 1), at(2, "a/1", history.Info, persist, 1), healed(8)}, time.Second},
		"killed, healed since":       {events{at(1, "a/1", history.Invoke, persist, 1), killed(2, "a/1"), healed(9)}, 2 * time.Second},
		"healed, nothing in doubt":   {events{at(1, "a/1", history.Invoke, persist, 1), at(9, "a/1", history.OK, persist, 1), healed(10)}, 0},
		"an unknown read":            {events{at(1, "a/1", history.Invoke, read, 1), at(9, "a/1", history.Info, read, 1)}, 0},
		"under way, killed":          {events{at(1, "a/1", history.Invoke, persist, 1), killed(8, "a/1")}, time.Second},
		"under way, killed long ago": {events{at(1, "a/1/flush", history.Invoke, persist, 1), killed(2, "a/1")}, 0},
		"under way, another killed":  {events{at(1, "a/1", history.Invoke, persist, 1), killed(2, "a/2")}, 3 * time.Second},
		"the later of two":           {events{at(1, "a/1", history.Invoke, persist, 1), killed(8, "a/1"), at(7, "b/1", history.Invoke, persist, 2), at(7, "b/1", history.Info, persist, 2)}, time.Second},
	} {
		u := &underWay{Recorder: history.NewMemory(history.Header{Schema: history.Schema})}
		for _, e := range c.events {
			u.Record(e)
		}
		if got := u.unsettled(10*time.Second, 3*time.Second); got != c.want {
			t.Errorf("%s: %s, not %s", name, got, c.want)
		}
	}
}
