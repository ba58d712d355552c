package checker

import (
	"testing"

	"pgregory.net/rapid"
)

func TestGuardedStoreNeverFails(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t, byOffset)
		h := w.play()
		if w.stale || w.usurped || w.leapt || w.wrong || w.revived {
			t.Fatalf("the world itself is broken: %v %v %v %v %v", w.stale, w.usurped, w.leapt, w.wrong, w.revived)
		}
		for _, p := range Check(h).Properties {
			if p.Property == OffsetMonotonic && w.fell || p.Property == SingleOwner && w.shared {
				continue // no store can help it
			}
			if p.Property != Progress && (p.Verdict == Fail || p.Verdict == Unknown) {
				t.Fatalf("%s: %s: %s %v", p.Property, p.Verdict, p.Summary, p.Witness)
			}
		}
	})
}

func TestUnguardedStoresAgainstTheTruth(t *testing.T) {
	seen, happened := map[string]int{}, map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t, storeKind(rapid.IntRange(int(byClock), int(deaf)).Draw(t, "store")))
		h := w.play()
		rep := Check(h)
		stale, incomplete, cut, leapt := slowly(h)
		revived, fell := slowlyCommitted(h)
		for _, c := range []struct {
			name string
			// happened: only then may it fail. visible: then it must.
			happened, visible bool
		}{
			{NoStaleOverwrite, w.stale, stale},
			{SingleWriter, w.usurped, false},
			{NoLeap, w.leapt, leapt},
			{NoResurrection, w.revived, revived},
			{OffsetMonotonic, w.fell, fell || fellInLog(h)},
			{SingleOwner, w.shared, w.shared && w.logged},
			{DurableFold, w.wrong, false},
			{RecoveryComplete, incomplete, incomplete},
			{RecoveryCut, cut, cut},
			{Linearizable, w.ignored, w.store == deaf && overApplied(h)},
			{LWWRegister, false, false},
		} {
			p, _ := rep.Property(c.name)
			if c.happened {
				happened[c.name]++
			}
			if p.Verdict == Fail {
				seen[c.name]++
			}
			if p.Verdict == Fail && !c.happened {
				t.Fatalf("%s is claimed and did not happen: %s %v", c.name, p.Summary, p.Witness)
			}
			if p.Verdict != Fail && c.visible {
				t.Fatalf("%s happened for all to see and was not found", c.name)
			}
			switch c.name {
			case NoStaleOverwrite, SingleWriter, RecoveryComplete, NoResurrection, SingleOwner, OffsetMonotonic, Linearizable:
				if p.Verdict == Fail && verdictOf(only(h, p.Witness), c.name) != Fail {
					t.Fatalf("%s: the witness alone does not prove it: %v", c.name, p.Witness)
				}
			}
		}
	})
	t.Logf("found %v of %v", seen, happened)
}

// The offset that the checker takes the committed one not to be below never was above it; and after a log that is whole
// and has everything it is the committed one.
func TestFloorsAgainstTheTruth(t *testing.T) {
	exact := 0
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t, byOffset)
		h := w.play()
		c := NewRun(h).commits[0]
		if c.contradicted || w.logged != c.whole {
			t.Fatalf("the log: whole %v, contradicted %v", c.whole, c.contradicted)
		}
		for i, least := range w.least {
			if f := c.floorAt(i); f.known && f.offset > least {
				t.Fatalf("after event %d the floor is %d, and %d was committed", i, f.offset, least)
			}
		}
		if w.logged && len(w.floating) == 0 {
			exact++
			if f := c.floorAt(len(h.Events) - 1); f.offset != w.committed {
				t.Fatalf("in the end the floor is %d, and %d is committed", f.offset, w.committed)
			}
		}
	})
	if exact == 0 {
		t.Error("no world had a whole log with nothing in doubt")
	}
}
