package sim

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// A worker's write whose request or whose answer is lost has an outcome that nobody knows; what was done is what the note says.
// Nothing that the rig asks for is lost.
func TestLoss(t *testing.T) {
	memory := history.NewMemory(history.Header{})
	c, err := Cluster{Loss: 0.3}.Open(context.Background(), cluster.Spec{Seed: 1, Partitions: 1}, memory)
	if err != nil {
		t.Fatal(err)
	}
	w := c.(*World)
	insert := func(key string) persistence.Statement {
		return persistence.Statement{Verb: persistence.Insert, If: persistence.IfNotExists, Key: key}
	}
	fates, applied := map[persistence.Outcome]int{}, map[string]bool{}
	err = w.Board().Run("drain", func(p workload.World) {
		p.Go("a/1", func(p workload.World) {
			for n := range 200 {
				key := strings.Repeat("k", n+1)
				_, outcome, err := w.Start(insert(key)).Await()
				fates[outcome]++
				if outcome == persistence.Unknown && persistence.CodeOf(err) != "connection-closed" {
					t.Errorf("%v", err)
				}
			}
		})
		p.Sleep(time.Minute)
		for n := range 200 {
			key := strings.Repeat("k", n+1)
			a, outcome, _ := w.Start(persistence.Statement{Verb: persistence.Select, Key: key}).Await()
			if outcome != persistence.Answered {
				t.Fatal("the rig's own read was lost")
			}
			applied[key] = a.Row != nil
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	noted, there := map[string]int{}, 0
	for _, e := range memory.Events {
		if v, ok := e.Value.(*history.FaultDone); ok {
			if e.Process != "wire" || v.Target != "a" || v.Life != "a/1" || v.Phase != "done" {
				t.Fatalf("%s: %+v", e.Process, v)
			}
			noted[v.Fault]++
		}
	}
	for _, is := range applied {
		if is {
			there++
		}
	}
	if noted[history.LostRequest]+noted[history.LostAnswer] != fates[persistence.Unknown] || there != 200-noted[history.LostRequest] {
		t.Errorf("noted %v, outcomes %v, %d of 200 took effect", noted, fates, there)
	}
	for _, n := range noted {
		if n < 30 {
			t.Errorf("of 200 at 0.3: %v", noted)
		}
	}
	if got := (Cluster{Strategy: PCT, Loss: 0.3}).Facts().Schedule; got != "pct loss-0.3" {
		t.Errorf("the header says %q", got)
	}
	if got := (Cluster{Strategy: Walk}).Facts().Schedule; got != "" {
		t.Errorf("the header of a plain walk says %q", got)
	}
}
