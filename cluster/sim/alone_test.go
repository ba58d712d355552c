package sim

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// What a lone node answers, and what it then holds, is what three nodes do of which nothing is lost.
func TestALoneNodeAnswersAsThreeDo(t *testing.T) {
	answers := func(seed int64, nodes int) (out []persistence.Answer) {
		w := replicated(t, seed, nodes)
		rng := rand.New(rand.NewPCG(uint64(seed), 0))
		mustPlay(t, w, func(workload.World) {
			for range 60 {
				a, outcome, err := w.Start(anything(rng)).Await()
				if outcome == persistence.Unknown {
					t.Fatal(err)
				}
				out = append(out, a)
			}
			for table := range persistence.Keys + 1 {
				a, _, _ := w.Start(persistence.Statement{Table: table, Verb: persistence.Scan}).Await()
				out = append(out, a)
			}
		})
		return out
	}
	for seed := range int64(100) {
		if d := cmp.Diff(answers(seed, 1), answers(seed, 3)); d != "" {
			t.Fatalf("seed %d: of one node (-) and of three (+):\n%s", seed, d)
		}
	}
}

// anything is any statement that the arms could send, of a few rows. Plain ones have timestamps of their own, far behind the
// ballots or far ahead of them, so that it does not matter how long a statement took.
func anything(rng *rand.Rand) persistence.Statement {
	s := persistence.Statement{
		Table: persistence.Table(rng.IntN(3)), Verb: persistence.Verb(rng.IntN(6)), Partition: int32(rng.IntN(2)), Key: string(rune('k' + rng.IntN(2))),
		Offset: rng.Int64N(5), NoOffset: rng.IntN(8) == 0, Metadata: string(rune('a' + rng.IntN(26))), Serial: rng.IntN(2) == 0,
		Timestamp: rng.Int64N(20),
	}
	if rng.IntN(3) > 0 {
		s.Value = []byte{byte('a' + rng.IntN(26))}
	}
	if rng.IntN(10) == 0 {
		s.Timestamp += 2 * epoch
	}
	if s.Table == persistence.Snapshots && s.Verb >= persistence.Update && s.Verb <= persistence.Remove {
		s.If = persistence.Condition(rng.IntN(5))
	}
	return s
}
