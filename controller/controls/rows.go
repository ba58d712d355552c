package controls

import (
	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/workload/persistence"
)

// All are all controls, in the order of the models.
func All() []Control {
	var out []Control
	for _, rows := range [][]Control{ofSingleWriter(), ofSnapshots(), ofEvents(), ofFirstWrites(), ofFlushes()} {
		for _, c := range rows {
			c.Arm = persistence.CassandraCAS
			out = append(out, c)
		}
	}
	return out
}

// The numbers of seeds: of cases that hold, and of those that search several times what any base has needed.
const (
	holding = 300
	finding = 1000
	seldom  = 3000
)

// What the models' runner declares of a case.
const (
	holds    = "HOLDS"
	temporal = "VIOLATES-TEMPORAL RefLive"
	refSafe  = "VIOLATES-REFINEMENT RefSafeSpec"
	corrupt  = "VIOLATES INV_NoCorruptDurable"
)

func ofSingleWriter() []Control {
	return []Control{{
		Case: "sws_holds", Declared: holds, Scenario: "one-owner", Shows: handedOver, Seeds: holding,
		Why: "The specification that the others refine: what is stored and what is committed go on together. It is lawful to begin " +
			"with: an owner that is killed, stopped and started again, and never late, breaks nothing.",
	}}
}

func ofSnapshots() []Control {
	const scenario = "one-key-random"
	return []Control{{
		Case: "cassandra_refines", Declared: holds, Scenario: scenario, Shows: lateRefused, Seeds: holding,
		Why: "With every guard a late write is refused by the row's offset, or is what its owner would have stored too.",
	}, {
		Case: "cassandra_unguarded", Declared: refSafe, Scenario: scenario,
		Without:  []string{persistence.PersistCondition, persistence.DeleteCondition},
		Property: checker.NoStaleOverwrite, Seeds: finding,
		Why: "Nothing asks for the offset: a late flush, or a late delete, replaces what is newer.",
	}, {
		Case: "cassandra_notomb", Declared: corrupt, Scenario: scenario, Without: []string{persistence.TombstoneGuard},
		Property: checker.DurableFold, Seeds: seldom,
		Why: "A delete takes the row away, and the offset with it: a late write brings the old life back, and the next owner folds " +
			"onto it.",
	}, {
		Case: "cassandra_skiptomb", Declared: "VIOLATES INV_NoResurrection", Scenario: scenario,
		Without: []string{persistence.NeverPersisted}, Property: checker.NoResurrection, Seeds: seldom,
		Why: "A key that is closed before it was ever stored leaves nothing, and nothing refuses a late first write of it. Only what " +
			"is committed says that it had been closed.",
	}, {
		Case: "cassandra_replay_fixoff", Declared: temporal, Scenario: scenario, Without: []string{persistence.MonotoneBuffer},
		Property: checker.Progress, Seeds: finding,
		Why: "An owner replays what lies below its own row, is refused by it, restarts, and is refused again. The worker's replay filter " +
			"keeps live keys from that, so that it takes a tombstone here; the model's one buffer does the work of both.",
	}, {
		Case: "cassandra_replay_fixoff_safe", Declared: holds + " (safety only)", Scenario: scenario,
		Also: []string{persistence.MonotoneBuffer}, May: []string{checker.Progress}, Shows: livelocked, Seeds: holding,
		Why: "That livelock is refused writes and nothing else: it costs progress, and no state.",
	}, {
		Case: "cassandra_reap", Declared: refSafe, Scenario: "one-key-reaped", Property: checker.SingleWriter, Seeds: finding,
		Why: "A stated boundary, and no guard's doing: the row goes by its TTL, the offset with it, and a late write lands. A TTL must " +
			"be longer than owners can overlap. In the model the reap itself is the fall of the offset; here an expiry is lawful, and " +
			"what fails is what the older owner then does to the newer one's state.",
	}, {
		Case: "cassandra_tombstone_replay", Declared: temporal, Scenario: scenario, Without: []string{persistence.TombstoneFloor},
		Property: checker.Progress, Seeds: finding,
		Why: "A recovery that finds a tombstone and does not keep its offset replays below it, and is refused by it for ever.",
	}, {
		Case: "cassandra_init_clobber", Declared: temporal, Scenario: "one-key-events",
		Without: []string{persistence.MonotoneInit},
		Also:    []string{persistence.JournalFloorFilter, persistence.JournalFloor}, Property: checker.Progress, Seeds: seldom,
		Why: "What a recovery makes of an old journal lowers the floor that the row has set, and the owner is refused below it for ever. " +
			"The worker puts nothing but a journal over a row, and two other guards keep an old one from it: they are off with the " +
			"guard and without.",
	}, {
		Case: "cassandra_firstwrite_spurious", Declared: holds, Scenario: "first-writes-phantom", Shows: spurious, Seeds: holding,
		Why: "A first write that lost to a row which is gone again is refused, though nobody is newer: the worker restarts, reads " +
			"again and goes on. In the model nobody made that row; here the worker is told of one that nobody made (phantom).",
	}}
}

func ofEvents() []Control {
	const scenario, longer, flushes = "one-key-events", "one-key-events-longer", "one-key-flushes"
	return []Control{{
		Case: "cassandra_events_refines", Declared: holds, Scenario: scenario, Shows: residue, Seeds: holding,
		Why: "What the journal has lies below the floor, or goes on right above it. That is so in the model's alphabet, in which a row of " +
			"the journal and its snapshot are one step, and a delete and the end of the journal another: here every event is flushed " +
			"by itself, and nobody is killed or held between the two. Where somebody is, the fence is not enough: journal-hole.",
	}, {
		Case: "cassandra_events_refines_mo4", Declared: holds, Scenario: longer, Shows: residue, Seeds: holding,
		Why: "The same with more events. The model's bound rises from three to four; the rig's inputs have twelve and twenty.",
	}, {
		Case: "cassandra_events_journal_revive", Declared: corrupt, Scenario: scenario,
		Without:  []string{persistence.JournalFloorFilter, persistence.JournalFloor},
		Property: checker.DurableFold, Seeds: seldom,
		Why: "The journal is folded whole: rows that a former owner left in it come back into a life that is not theirs.",
	}, {
		Case: "cassandra_events_revive_reentry", Declared: corrupt, Scenario: scenario,
		Without: []string{persistence.JournalFloorFilter}, Property: checker.DurableFold, Seeds: seldom,
		Why: "An old journal is found out by what it comes to, and not row by row: under newer rows it comes to enough. (In three " +
			"events the model has room for the dual alone, a late writer's one row without those before it. The rig's late writers " +
			"journal all that they fold, so that what comes back is residue.)",
	}, {
		Case: "cassandra_events_revive_reentry_mo4", Declared: corrupt, Scenario: longer,
		Without: []string{persistence.JournalFloorFilter}, Property: checker.DurableFold, Seeds: seldom,
		Why: "The same with more events, for which the model has room from four on: the residue of a life that was closed.",
	}, {
		Case: "cassandra_events_nofloor", Declared: temporal, Scenario: scenario, Without: []string{persistence.TombstoneFloor},
		Property: checker.Progress, Seeds: finding,
		Why: "As cassandra_tombstone_replay, of a worker that restores from a journal: a tombstone sets the floor there too.",
	}, {
		Case: "cassandra_events_unordered", Declared: temporal, Scenario: flushes, Without: []string{persistence.JournalOrder},
		Also:     []string{persistence.JournalFloorFilter, persistence.JournalFloor, persistence.MonotoneInit},
		Property: checker.Progress, Seeds: seldom,
		Why: "The snapshot is stored before its events, and a kill comes between: the journal alone is recovered, which is behind, and " +
			"the owner is refused by its own snapshot for ever. Each of three other guards would keep the snapshot's offset: they are " +
			"off with the guard and without.",
	}, {
		Case: "cassandra_events_unordered_guarded", Declared: holds, Scenario: flushes, Also: []string{persistence.JournalOrder},
		Shows: behind, Seeds: holding,
		Why: "A journal that is read from the row on cannot be behind: what it lacks, the snapshot has. The filter does the work of " +
			"the order.",
	}}
}

func ofFirstWrites() []Control {
	const two, reaped = "first-writes", "first-writes-reaped"
	return []Control{{
		Case: "casfw_guarded", Declared: holds, Scenario: two, Shows: lostFirst, Seeds: holding,
		Why: "Two owners find no row and make one: who is second asks once more, and is refused by a newer row or takes an older one's " +
			"place.",
	}, {
		Case: "casfw_3w", Declared: holds, Scenario: "first-writes-three", Shows: lostFirst, Seeds: holding,
		Why: "The same with three owners, of which two can be late.",
	}, {
		Case: "casfw_reap", Declared: holds, Scenario: reaped, Only: []string{checker.NoStaleOverwrite},
		Shows: reapedAmidFirst, Seeds: holding,
		Why: "A row that goes in the middle of a first write is as if nobody had made it: nothing newer that is there is replaced. " +
			"(That it takes what was committed with it is no matter of the first write: cassandra_reap.)",
	}, {
		Case: "casfw_refines", Declared: holds + " RefinesAtomic", Scenario: reaped,
		Only: []string{checker.Linearizable}, Shows: reapedAmidFirst, Seeds: holding,
		Why: "To everybody else the statements of a first write are one conditional write, also while rows go: there is an order of " +
			"all writes, reads and reaps in which that is so.",
	}, {
		Case: "casfw_refines_vacuous", Declared: "VIOLATES-REFINEMENT RefinesAtomic", Scenario: two,
		Without: []string{persistence.PersistCondition}, Property: checker.Linearizable, Seeds: finding,
		Why: "Apparatus: that search for an order can fail. The writes ask for nothing, and no order of guarded ones explains them.",
	}, {
		Case: "casfw_spurious", Declared: "VIOLATES INV_NeverSpurious", Scenario: reaped, Shows: spurious, Reach: true,
		Seeds: seldom,
		Why: "Apparatus, and no defect: it is reached that a first write loses to another's row, which is reaped before it looks again, so " +
			"that it is refused and nobody is named. What that costs says cassandra_firstwrite_spurious.",
	}, {
		Case: "casfw_unguarded", Declared: "VIOLATES INV_NoStaleOverwrite", Scenario: two,
		Without: []string{persistence.PersistCondition}, Property: checker.NoStaleOverwrite, Seeds: finding,
		Why: "The updates ask for the row alone: a first write that comes late takes the newer row's place.",
	}}
}

func ofFlushes() []Control {
	const scenario = "flush-apart"
	return []Control{{
		Case: "serial_holds", Declared: holds, Scenario: scenario, Shows: flushUnderWay, Seeds: holding,
		Why: "The flush and the poll loop take turns at an account: nothing is taken for stored that was folded meanwhile.",
	}, {
		Case: "serial_race", Declared: "VIOLATES INV_NoLostWrite", Scenario: scenario, Without: []string{persistence.SerialFlush},
		Property: checker.NoLeap, Seeds: finding,
		Why: "What is folded while a flush writes is marked as stored by it: its offset is committed, and the event is nowhere.",
	}}
}
