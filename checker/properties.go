// Package checker reads a history and says which properties of a single-writer store it breaks.
//
// A property is one file, and a page in explained/ which defines it and has the smallest histories that break it; a test holds
// these against the check. The comment of the check says how it goes about it.
//
// Two rules hold for all of them. A failure is proved by the events of its witness, whatever else may have happened: an
// operation whose outcome is unknown excuses, it never accuses, unless a read shows what it wrote. And a pass rests on
// evidence: where the history does not hold it, the verdict is unknown, and where it holds nothing that the property speaks
// of, vacuous.
//
// The package imports the ledger, the history and its own search for an order (register), does no I/O, and never panics on a
// well-formed history.
package checker

// Property is one thing that must hold in every history.
type Property struct {
	// Name is used in verdicts, in scenarios and on the command line.
	Name string
	// Brief says it in a word.
	Brief string
	check func(*Run) Result
}

// Check gives the property's verdict on a run.
func (p Property) Check(r *Run) Result {
	res := p.check(r)
	res.Property = p.Name
	return res
}

// Properties are all properties, in the order in which they are reported: the damage first, then who did it, then whether the
// store kept its own promise, then how the committed offset went and whether it came to the end.
func Properties() []Property {
	return []Property{
		{NoStaleOverwrite, "nothing shows a key older than what took effect before", checkNoStaleOverwrite},
		{DurableFold, "every stored value is the fold of the log up to its own offset", checkDurableFold},
		{RecoveryCut, "what a new owner recovers covers all below the offset it starts from", checkRecoveryCut},
		{RecoveryComplete, "a recovery returns what was acknowledged before it began", checkRecoveryComplete},
		{NoLeap, "no committed offset is ahead of what is stored", checkNoLeap},
		{NoResurrection, "once a close is committed, nobody reads the life that it ended", checkNoResurrection},
		{SingleWriter, "an older owner changes nothing that a newer one wrote", checkSingleWriter},
		{SingleOwner, "no partition is given to two members, nobody else commits", checkSingleOwner},
		{Linearizable, "each key is one register guarded by its offset", checkLinearizable},
		{LWWRegister, "a plain read returns the greatest timestamp that it can", checkLWWRegister},
		{OffsetMonotonic, "the committed offset never goes back", checkOffsetMonotonic},
		{Loud, "a recovery that cannot finish fails before its member is put out", checkLoud},
		{FenceAudit, "what came of the writes of members that had lost their partition; it never fails", checkFenceAudit},
		{Progress, "after the heal the whole input is folded and committed", checkProgress},
	}
}

// The names of the properties.
const (
	NoStaleOverwrite = "no-stale-overwrite"
	DurableFold      = "durable-fold"
	RecoveryCut      = "recovery-cut"
	RecoveryComplete = "recovery-complete"
	NoLeap           = "no-leap"
	NoResurrection   = "no-resurrection"
	SingleWriter     = "single-writer"
	SingleOwner      = "single-owner"
	Linearizable     = "linearizable"
	LWWRegister      = "lww-register"
	OffsetMonotonic  = "offset-monotonic"
	Loud             = "loud"
	FenceAudit       = "fence-audit"
	Progress         = "progress"
)

// PropertyNames are the names of all properties, in order.
func PropertyNames() []string {
	var names []string
	for _, p := range Properties() {
		names = append(names, p.Name)
	}
	return names
}

// finding is the first failure of a property, and how many there are.
type finding struct {
	at      int
	summary string
	proof   []int
	total   int
}

// add counts a failure and keeps the first: that whose last event comes first in the history, which is also the one
// closest to the cause. Text is made only for a failure that is kept.
func (f *finding) add(at int, say func() (string, []int)) {
	f.total++
	if f.total > 1 && at >= f.at {
		return
	}
	f.at = at
	f.summary, f.proof = say()
}

// instead is a verdict that a history gets in place of a pass, where it is so.
type instead struct {
	so      bool
	verdict Verdict
	summary string
}

// result is that of a property: it fails by what was found, else it gets the first of the verdicts in place of a pass that is
// so, else it passes.
func (f *finding) result(r *Run, counts map[string]int, pass string, others ...instead) Result {
	if f.total > 0 {
		counts["violations"] = f.total
		return Result{Verdict: Fail, Summary: f.summary, Witness: r.witness(f.proof...), Counts: counts}
	}
	for _, o := range others {
		if o.so {
			return Result{Verdict: o.verdict, Summary: o.summary, Counts: counts}
		}
	}
	return Result{Verdict: Pass, Summary: pass, Counts: counts}
}
