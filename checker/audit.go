package checker

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/single-writer/chaos/history"
)

// Fate is what came of something that a member did with a partition that it no longer owned.
type Fate string

const (
	// RefusedByCondition: the row's own condition refused it. RefusedByGeneration and RefusedByEpoch: the coordinator, or
	// the broker, knew better.
	RefusedByCondition  Fate = "refused-by-condition"
	RefusedByGeneration Fate = "refused-by-generation"
	RefusedByEpoch      Fate = "refused-by-epoch"
	// StoppedByBuffer and StoppedByFilter: a guard of the worker's own kept it from being sent at all.
	StoppedByBuffer Fate = "stopped-by-monotone-buffer"
	StoppedByFilter Fate = "stopped-by-replay-filter"
	// LandedHarmless: it took effect, and is what the owner would have stored too: not behind, and the fold of its records.
	LandedHarmless Fate = "landed-harmless"
	LandedHarmful  Fate = "landed-harmful"
	// HarmlessByLuck: it took effect and would have done harm, but lost by its clock, or was overwritten before anybody
	// recovered it.
	HarmlessByLuck Fate = "harmless-by-luck"
	// InDoubt: the history does not tell. NoEffect: it failed, or found nothing to do, for a reason that is no fence.
	InDoubt  Fate = "in-doubt"
	NoEffect Fate = "no-effect"
)

// Fates are all fates, in the order in which they are told.
func Fates() []Fate {
	return []Fate{LandedHarmful, HarmlessByLuck, LandedHarmless, RefusedByCondition, RefusedByGeneration, RefusedByEpoch,
		StoppedByBuffer, StoppedByFilter, InDoubt, NoEffect}
}

// Words is the fate as people read it.
func (f Fate) Words() string { return strings.ReplaceAll(string(f), "-", " ") }

// Audit is what members did with partitions that they no longer owned, and what came of it.
type Audit struct {
	// Entries are in the order of the history.
	Entries []Audited `json:"entries"`
	// Counts are of the entries, by fate. Owners counts apart what was refused to, or held back by, rightful owners.
	Counts map[Fate]int `json:"counts"`
	Owners map[Fate]int `json:"owners"`
}

// Audited is one of them. Its evidence is the event that tells most about it: the answer, where there is one.
type Audited struct {
	Evidence
	Process string `json:"process"`
	// Kind is persist, delete or commit, or dropped for what its own guard stopped.
	Kind history.F `json:"kind"`
	Fate Fate      `json:"outcome"`
	// Out says why the member was no owner any more, Words what came of it.
	Out   string `json:"out"`
	Words string `json:"words"`
}

// checkFenceAudit counts the audit; explained/fence-audit.md is the definition, and says what each fate is.
//
// It never fails. A fence that goes by offsets lets through what is not behind, lawfully; an arm without one may be lucky. So
// that an arm is not called safe for that, the audit says of each late write what stopped it, if anything did.
func checkFenceAudit(r *Run) Result {
	a := r.audit()
	counts := map[string]int{"entries": len(a.Entries)}
	for o, n := range a.Counts {
		counts[string(o)] = n
	}
	if len(a.Entries) == 0 {
		return Result{Verdict: Vacuous, Summary: "No member wrote or committed after it had lost its partition.", Counts: counts}
	}
	return Result{Verdict: Pass, Counts: counts, Summary: fmt.Sprintf("Of members that had lost their partition: %s.", a.Told())}
}

// Told gives the counts in words, those of the entries first.
func (a Audit) Told() string {
	var parts []string
	for _, o := range Fates() {
		if n := a.Counts[o]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, o.Words()))
		}
	}
	return strings.Join(parts, ", ")
}

// audit looks at each write, commit and drop once.
func (r *Run) audit() Audit {
	if r.audited != nil {
		return *r.audited
	}
	a := Audit{Entries: []Audited{}, Counts: map[Fate]int{}, Owners: map[Fate]int{}}
	t := r.tenures()
	for _, k := range r.keys {
		for _, w := range k.writes {
			out := t.ended(w.v.Partition, w.v.Owner, w.call)
			if out == "" && w.outcome != history.Fail {
				continue // that an owner's write landed is nothing to tell
			}
			o, words := r.cameOf(k, w)
			a.add(r, out, w.call, author(w), w.f, o, words)
		}
	}
	for i, e := range r.events {
		switch v := e.Value.(type) {
		case *history.OffsetCommit:
			if v == nil || e.Type != history.Invoke {
				continue
			}
			out := t.ended(v.Partition, v.Owner, i)
			if out == "" && r.operationAt(i).outcome != history.Fail {
				continue
			}
			o, words := r.cameOfCommit(i, v)
			a.add(r, out, i, max(i, r.partner[i]), e.F, o, words)
		case *history.DroppedHere:
			if v != nil {
				words := fmt.Sprintf("it compared @%d with its floor @%d", v.Offset, v.Floor)
				a.add(r, t.ended(v.Partition, v.Owner, i), i, i, e.F, Fate("stopped-by-"+v.By), words)
			}
		}
	}
	slices.SortStableFunc(a.Entries, func(x, y Audited) int { return cmp.Compare(x.Index, y.Index) })
	r.audited = &a
	return a
}

// add takes one in, or counts what was refused to a rightful owner.
func (a *Audit) add(r *Run, out string, call, at int, kind history.F, o Fate, words string) {
	if out == "" {
		if strings.HasPrefix(string(o), "refused-") || strings.HasPrefix(string(o), "stopped-") {
			a.Owners[o]++
		}
		return
	}
	a.Counts[o]++
	a.Entries = append(a.Entries, Audited{Evidence: r.witness(at)[0], Process: r.events[call].Process, Kind: kind,
		Fate: o, Out: out, Words: words})
}

// cameOfCommit says what came of a commit.
func (r *Run) cameOfCommit(call int, v *history.OffsetCommit) (Fate, string) {
	switch op := r.operationAt(call); op.outcome {
	case history.OK:
		if top, ok := highestBefore(r.commits[v.Partition].ranked(), call, 0); ok && top.offset > v.Offset {
			return LandedHarmful, fmt.Sprintf("%d had been committed", top.offset)
		}
		return LandedHarmless, "nothing beyond it had been committed"
	case history.Fail:
		code := ""
		if ans := answerOf[history.OffsetCommit](r, call); ans != nil {
			code = ans.Code
		}
		switch code {
		case "ILLEGAL_GENERATION", "UNKNOWN_MEMBER_ID", "STALE_MEMBER_EPOCH", "FENCED_INSTANCE_ID",
			"FENCED_MEMBER_EPOCH", "REBALANCE_IN_PROGRESS":
			return RefusedByGeneration, code
		case "INVALID_PRODUCER_EPOCH", "PRODUCER_FENCED":
			return RefusedByEpoch, code
		}
		return NoEffect, code
	}
	return InDoubt, "it was not answered"
}
