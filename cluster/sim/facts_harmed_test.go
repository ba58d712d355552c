package sim

import (
	"testing"

	"github.com/single-writer/chaos/conformance"
)

// otherHarmed is, for each fact about servers in trouble, a world in which it is false, in the way in which the fact says that it could be.
var otherHarmed = map[string]func(w *World){
	"a-paused-broker-commits-late": func(w *World) { w.kafka.brokers[0].forgets = true },
	"a-paused-node-writes-late":    func(w *World) { w.between.nodes[0].forgets = true },
	"a-group-outlives-its-broker":  kafkaWith(func(r *groupRules) { r.load = newGroup }),
}

// Each fact about servers in trouble is one of the simulator's, and its script fails in a world in which it is false.
func TestHarmedFactsCanFail(t *testing.T) { canFail(t, conformance.Harmed(), otherHarmed, 1) }
