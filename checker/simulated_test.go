package checker

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
)

// A small world of workers, zombies, one store and one group, written without a thought of the checker, which gives random
// histories together with the truth about them: what the store held at each moment. Under a guarded store nothing may ever
// fail; under a last-write-wins one the checker must not claim what did not happen, and must find what a reader could see.

// world is the truth, and the history that a rig outside would have recorded.
type world struct {
	t         *rapid.T
	m         *history.Memory
	store     storeKind
	input     []ledger.Entry
	rows      map[string]*simRow
	committed int64
	highest   int64 // of what was ever committed
	gen       int32
	ballot    int64
	members   []*member
	floating  []func()
	applied   []history.Write
	// group is what the group's coordinator wrote to its log; logged: the history has all that there was when it was read.
	group  []history.GroupLogEntry
	logged bool
	// least is, by event, the least offset that was committed between it and the next one.
	least []int64
	// What really happened, whether or not anybody saw it.
	stale, usurped, leapt, wrong, revived, fell, ignored, shared bool
}

type simRow struct {
	write history.Write
	gone  bool
	ts    int64
}

// storeKind is how the store decides: all by the stored offset; all by timestamps, of clocks that may be skewed; persists
// by the offset and deletes by timestamps; or all by the stored offset, which it does not always listen to.
type storeKind int

const (
	byOffset storeKind = iota
	byClock
	mixed
	deaf
)

// member is one owner, or what once was one.
type member struct {
	name   string
	gen    int32
	next   int64
	states map[string]ledger.State
	floors map[string]int64
	// dirty keys have a folded record that is not stored; the value is the first such offset.
	dirty  map[string]int64
	todo   []func() // the rest of what it is doing, step by step
	dead   bool
	writes int
	skew   int64
}

var simKeys = []string{"k1", "k2"}

func newWorld(t *rapid.T, store storeKind) *world {
	arm := map[storeKind]string{byOffset: armCAS, byClock: armLWW, mixed: armCASPersist, deaf: armCAS}[store]
	w := &world{t: t, m: history.NewMemory(history.Header{Schema: history.Schema, Arm: arm}), store: store, rows: map[string]*simRow{}}
	for o := range int64(10) {
		e := event(o)
		e.Account = simKeys[rapid.IntRange(0, 1).Draw(t, "key")]
		if rapid.IntRange(0, 6).Draw(t, "close") == 0 {
			e.Kind, e.Amount = ledger.Close, ledger.State{}.Balance
		}
		w.input = append(w.input, ledger.Entry{Offset: o, Event: e})
	}
	truth("start", -1)(w.m)
	return w
}

func (w *world) chance(of int, what string) bool { return rapid.IntRange(0, of-1).Draw(w.t, what) == 0 }

// takeOver makes a new owner: the group's generation goes up, and whoever owned before does not know it yet.
func (w *world) takeOver() {
	w.gen++
	n := &member{name: fmt.Sprintf("w%d/1", w.gen), gen: w.gen, next: w.committed,
		states: map[string]ledger.State{}, floors: map[string]int64{}, dirty: map[string]int64{}}
	if w.chance(3, "skewed") {
		n.skew = int64(rapid.IntRange(-60, 60).Draw(w.t, "skew"))
	}
	stored := []history.LoggedMember{{Member: n.name, Client: n.name, Partitions: []int32{0}}}
	if len(w.members) > 0 && w.chance(20, "shared") { // an assignor that gives the partition to two
		stored = append(stored, history.LoggedMember{Member: "x", Client: "x", Partitions: []int32{1, 0}})
		w.shared = true
	}
	w.group = append(w.group, history.GroupLogEntry{Group: &history.LoggedGroup{Generation: history.Some(int64(w.gen)), Members: stored}})
	w.members = append(w.members, n)
	v := &history.Recovery{Start: w.committed, Keys: simKeys}
	id := begin(w.m, n.name, history.Recover, v)
	for _, k := range simKeys {
		n.todo = append(n.todo, w.read(n.name, history.ForRecovery, k, func(row *history.Row) {
			n.floors[k] = -1
			if row != nil {
				n.floors[k] = row.Offset.N
				if row.State != nil {
					n.states[k] = *row.State
				}
			}
		})...)
	}
	n.todo = append(n.todo, func() { add(w.m, n.name, history.OK, history.Recover, id, v) })
}

// read is a read in three steps: called, served, answered.
func (w *world) read(process string, p history.Purpose, k string, got func(*history.Row)) []func() {
	var id int64
	var row *history.Row
	return []func(){
		func() { id = begin(w.m, process, history.Read, &history.RowRead{Key: k, Purpose: p}) },
		func() { row = w.row(k) },
		func() {
			add(w.m, process, history.OK, history.Read, id, &history.RowRead{Key: k, Purpose: p, Row: row})
			got(row)
		},
	}
}

// readBack is a committed offset read back, in the same three steps.
func (w *world) readBack() []func() {
	var id, offset int64
	return []func(){
		func() { id = begin(w.m, "observer", history.Committed, &history.CommittedOffset{}) },
		func() { offset = w.committed },
		func() {
			v := &history.CommittedOffset{}
			if offset > 0 {
				v.Offset = history.Some(offset)
			}
			add(w.m, "observer", history.OK, history.Committed, id, v)
		},
	}
}

func (w *world) row(k string) *history.Row {
	r := w.rows[k]
	if r == nil || r.gone {
		return nil
	}
	return &history.Row{Offset: history.Some(r.write.Offset), State: r.write.State, Write: r.write.Write}
}

// step lets a member do the next small thing.
func (w *world) step(n *member) {
	switch {
	case n.dead:
	case len(n.todo) > 0:
		next := n.todo[0]
		n.todo = n.todo[1:]
		next()
	case len(n.dirty) > 0 && w.chance(2, "flush"):
		for _, k := range simKeys {
			if _, ok := n.dirty[k]; ok {
				w.flush(n, k)
				return
			}
		}
	case w.chance(3, "commit"):
		w.commit(n)
	case n.next < int64(len(w.input)):
		w.fold(n)
	}
}

func (w *world) fold(n *member) {
	e := w.input[n.next]
	n.next++
	k := e.Event.Account
	if e.Offset <= n.floors[k] {
		return
	}
	n.states[k] = n.states[k].Fold(e.Event, e.Offset)
	n.floors[k] = e.Offset
	if _, ok := n.dirty[k]; !ok {
		n.dirty[k] = e.Offset
	}
}

// flush persists or deletes a key, at the offset of its last record.
func (w *world) flush(n *member, k string) {
	n.writes++
	v := history.Write{Key: k, Offset: n.floors[k], Write: fmt.Sprintf("%s#%d", n.name, n.writes), Owner: history.Owner{Generation: n.gen}}
	f := history.Delete
	if st := n.states[k]; st.Open() {
		f, v.State = history.Persist, &st
	}
	if w.store == byClock || w.store == mixed && f == history.Delete {
		v.Timestamp = history.Some(w.clock(n.skew) + int64(n.gen))
	}
	id := begin(w.m, n.name, f, &v)
	stored, refused := int64(0), false
	apply := func() { stored, refused = w.write(f, v) }
	n.todo = append(n.todo, w.mayFloat(n, apply, func() { add(w.m, n.name, history.Info, f, id, &v) }), func() {
		switch {
		case w.chance(12, "answer lost"):
			n.dead = true
		case refused:
			answer := v
			answer.Code, answer.Stored = history.CodeCondition, history.Some(stored)
			add(w.m, n.name, history.Fail, f, id, &answer)
			n.dead = true
		default:
			add(w.m, n.name, history.OK, f, id, &v)
			delete(n.dirty, k)
		}
	})
}

// mayFloat applies a request, or leaves it on its way for ever or a while: then its sender is told nothing and ends.
func (w *world) mayFloat(n *member, apply, lost func()) func() {
	return func() {
		if !w.chance(10, "floats") {
			apply()
			return
		}
		w.floating = append(w.floating, apply)
		n.dead = true
		lost()
	}
}

func (w *world) commit(n *member) {
	offset := n.next
	for _, first := range n.dirty {
		offset = min(offset, first)
	}
	v := &history.OffsetCommit{Offset: offset, Owner: history.Owner{Member: n.name, Generation: n.gen}}
	id := begin(w.m, n.name, history.Commit, v)
	refused := false
	apply := func() {
		if refused = n.gen != w.gen; !refused {
			w.commits(offset, &history.LoggedCommit{Offset: history.Some(offset), Member: n.name, Generation: n.gen})
		}
	}
	if w.chance(20, "commit late") { // its owner goes on, so that it may arrive after the next one
		w.floating = append(w.floating, apply)
		add(w.m, n.name, history.Info, history.Commit, id, v)
		return
	}
	n.todo = append(n.todo, w.mayFloat(n, apply, func() {}), func() {
		if refused {
			add(w.m, n.name, history.Fail, history.Commit, id, v)
			n.dead = true
			return
		}
		add(w.m, n.name, history.OK, history.Commit, id, v)
	})
}

// commits is the coordinator accepting a commit.
func (w *world) commits(offset int64, entry *history.LoggedCommit) {
	w.fell = w.fell || offset < w.committed
	w.follow()
	w.committed, w.highest = offset, max(w.highest, offset)
	w.least[len(w.m.Events)-1] = min(w.least[len(w.m.Events)-1], offset)
	w.group = append(w.group, history.GroupLogEntry{Commit: entry})
	w.look()
}

// follow notes what was committed at the events since it was last called.
func (w *world) follow() {
	for len(w.least) < len(w.m.Events) {
		w.least = append(w.least, w.committed)
	}
}

// clock gives no two members the same time, nor anybody that of the store.
func (w *world) clock(skew int64) int64 { return (int64(len(w.m.Events)) + skew) * 16 }

// write is the store.
func (w *world) write(f history.F, v history.Write) (stored int64, refused bool) {
	old, ts := w.rows[v.Key], v.Timestamp.N
	conditional := !v.Timestamp.Known
	if conditional {
		if old != nil && !old.gone && old.write.Offset > v.Offset {
			if w.store != deaf || !w.chance(2, "does not listen") {
				return old.write.Offset, true
			}
			w.ignored = true
		}
		w.ballot = max(w.ballot+1, w.clock(0))
		ts = w.ballot
	}
	wins := old == nil || ts > old.ts || w.store == byOffset || w.store == deaf
	for _, x := range w.applied {
		other := x.Offset == v.Offset && (x.State == nil) != (v.State == nil) ||
			x.Offset == v.Offset && x.State != nil && v.State != nil && !x.State.Equal(*v.State)
		if x.Key == v.Key && x.Generation > v.Generation && (x.Offset > v.Offset || other) {
			w.usurped = w.usurped || wins || conditional
		}
	}
	w.applied = append(w.applied, v)
	w.wrong = w.wrong || v.State != nil && !w.log(v.Key).Fold(v.Offset).Equal(*v.State)
	if wins {
		w.rows[v.Key] = &simRow{write: v, gone: f == history.Delete && w.store != byOffset && w.store != deaf, ts: ts}
	}
	w.look()
	return 0, false
}

// look sees what is true at this moment.
func (w *world) look() {
	for _, k := range simKeys {
		row, highest := w.rows[k], int64(-1)
		for _, x := range w.applied {
			if x.Key == k {
				highest = max(highest, x.Offset)
			}
		}
		shown := int64(-1)
		if row != nil {
			shown = row.write.Offset
		}
		w.stale = w.stale || shown < highest
		last, ok := lastBelow(w.log(k), w.committed)
		alive := row != nil && row.write.State != nil
		if ok && shown < last.Offset && (alive || last.Event.Kind != ledger.Close) {
			w.leapt = true
		}
		for _, e := range w.log(k) {
			closed := e.Event.Kind == ledger.Close && e.Offset < w.highest
			w.revived = w.revived || closed && alive && !row.gone && row.write.State.Offset <= e.Offset
		}
	}
}

func (w *world) log(k string) ledger.Log {
	var l ledger.Log
	for _, e := range w.input {
		if e.Event.Account == k {
			l = append(l, e)
		}
	}
	return l
}

// play runs the world for a while and gives the history.
func (w *world) play() *history.History {
	var probes []func()
	for range 300 {
		switch what := rapid.IntRange(0, 39).Draw(w.t, "what"); {
		case len(w.members) == 0 || what == 0 && len(w.members) < 6:
			w.takeOver()
		case what == 1 && len(w.floating) > 0:
			w.floating[0]()
			w.floating = w.floating[1:]
		case what == 2 && len(probes) == 0:
			k := simKeys[rapid.IntRange(0, 1).Draw(w.t, "probed")]
			probes = w.read("observer", history.ForProbe, k, func(*history.Row) {})
			if w.chance(2, "the offset too") {
				probes = append(probes, w.readBack()...)
			}
		case what <= 4 && len(probes) > 0:
			probes[0]()
			probes = probes[1:]
		default:
			w.step(w.members[rapid.IntRange(0, len(w.members)-1).Draw(w.t, "who")])
		}
	}
	for _, e := range w.input {
		note("drain", history.Record, &history.InputRecord{Offset: e.Offset, Event: e.Event})(w.m)
	}
	w.readLog()
	end(true)(w.m)
	w.follow()
	return &w.m.History
}

// readLog reads the group's log, or a part of it, or nothing. After that some of what floats may arrive, and what is
// committed is read back.
func (w *world) readLog() {
	if w.chance(4, "the log is not read") {
		return
	}
	w.logged = !w.chance(4, "the log is cut")
	log := append(slices.Clone(w.group), history.GroupLogEntry{Ends: true})
	if !w.logged {
		log = log[:rapid.IntRange(0, len(log)-1).Draw(w.t, "cut at")]
	}
	for i := range log {
		log[i].Position = int64(i)
		note("drain", history.GroupLog, &log[i])(w.m)
	}
	for _, late := range w.floating {
		if w.chance(2, "arrives after all") {
			late()
		}
	}
	for _, step := range w.readBack() {
		step()
	}
}

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

// slowly asks the definitions of each pair of events, in the square of the history.
func slowly(h *history.History) (stale, incomplete, cut, leapt bool) {
	log := map[string]ledger.Log{}
	answer := map[int64]int{}
	for i, e := range h.Events {
		if v, ok := e.Value.(*history.InputRecord); ok {
			log[v.Event.Account] = append(log[v.Event.Account], ledger.Entry{Offset: v.Offset, Event: v.Event})
		}
		if e.Type != history.Note && e.Type != history.Invoke {
			answer[e.Op] = i
		}
	}
	began := map[string]int{}
	for c, e := range h.Events {
		if e.F == history.Recover && e.Type == history.Invoke {
			began[e.Process] = c
		}
		a, answered := answer[e.Op]
		if e.F != history.Read || e.Type != history.Invoke || !answered {
			continue
		}
		read := h.Events[a].Value.(*history.RowRead)
		older := func(than int64) bool {
			if read.Row != nil {
				return read.Row.Offset.N < than
			}
			for _, d := range h.Events[:a] {
				if v, ok := d.Value.(*history.Write); ok && d.F == history.Delete && v.Key == read.Key && v.Offset >= than {
					return false
				}
			}
			return true
		}
		for i, x := range h.Events[:c] {
			v, ok := x.Value.(*history.Write)
			if !ok || x.Type != history.OK || v.Key != read.Key || !older(v.Offset) {
				continue
			}
			stale = true
			incomplete = incomplete || read.Purpose == history.ForRecovery && i < began[e.Process]
		}
		lacks := func(below int64) bool {
			last, ok := lastBelow(log[read.Key], below)
			return ok && older(last.Offset) && (read.Row != nil && read.Row.State != nil || last.Event.Kind != ledger.Close)
		}
		leapt = leapt || lacks(certain(h, answer, c, a))
		if read.Purpose != history.ForRecovery {
			continue
		}
		recovery := h.Events[began[e.Process]].Value.(*history.Recovery)
		cut = cut || lacks(recovery.Start)
	}
	return stale, incomplete, cut, leapt
}

// overApplied asks of each pair of writes whether one was applied after another of a higher offset had been.
func overApplied(h *history.History) bool {
	called := map[int64]int{}
	for i, e := range h.Events {
		v, ok := e.Value.(*history.Write)
		switch {
		case !ok:
		case e.Type == history.Invoke:
			called[e.Op] = i
		case e.Type == history.OK:
			for _, x := range h.Events[:called[e.Op]] {
				if y, ok := x.Value.(*history.Write); ok && x.Type == history.OK && y.Key == v.Key && y.Offset > v.Offset {
					return true
				}
			}
		}
	}
	return false
}

// certain gives an offset that the committed one cannot be below between two events: that of the last commit accepted
// before them, if no other commit is under way or in doubt, and nothing else was seen of the offset at the same time.
func certain(h *history.History, answer map[int64]int, from, to int) (offset int64) {
	call, latest := -1, -1
	for i, e := range h.Events[:to] {
		if e.F != history.Commit || e.Type != history.Invoke {
			continue
		}
		switch a, ok := answer[e.Op]; {
		case !ok || a > from || h.Events[a].Type == history.Info:
			return 0
		case h.Events[a].Type == history.OK:
			call, latest, offset = i, a, e.Value.(*history.OffsetCommit).Offset
		}
	}
	for i, e := range h.Events[:max(latest, 0)] {
		if a, ok := answer[e.Op]; ok && e.Type == history.Invoke && i != call && a > call && (e.F == history.Commit || e.F == history.Committed) {
			return 0
		}
	}
	return offset
}

// slowlyCommitted asks of each read what was committed before it: whether a life that had ended is back, and whether the
// offset went back.
func slowlyCommitted(h *history.History) (revived, fell bool) {
	offset := func(e history.Event) (int64, bool) {
		switch v := e.Value.(type) {
		case *history.OffsetCommit:
			return v.Offset, e.Type == history.OK
		case *history.CommittedOffset:
			return v.Offset.N, e.Type == history.OK
		}
		return 0, false
	}
	called := map[int64]int{}
	for i, e := range h.Events {
		if e.Type == history.Invoke {
			called[e.Op] = i
		}
		if e.Type != history.OK {
			continue
		}
		for _, x := range h.Events[:called[e.Op]] {
			before, ok := offset(x)
			if !ok {
				continue
			}
			if o, ok := offset(e); ok && o < before {
				fell = true
			}
			read, ok := e.Value.(*history.RowRead)
			if !ok || read.Row == nil || read.Row.State == nil {
				continue
			}
			for _, y := range h.Events {
				d, ok := y.Value.(*history.InputRecord)
				revived = revived || ok && d.Event.Account == read.Key && d.Event.Kind == ledger.Close &&
					read.Row.State.Offset <= d.Offset && d.Offset < before
			}
		}
	}
	return revived, fell
}

// fellInLog tells whether what the history has of the group's log goes back.
func fellInLog(h *history.History) bool {
	highest := int64(0)
	for _, e := range h.Events {
		if v, ok := e.Value.(*history.GroupLogEntry); ok && v.Commit != nil {
			if v.Commit.Offset.N < highest {
				return true
			}
			highest = v.Commit.Offset.N
		}
	}
	return false
}

// only gives the history of the operations and notes that a witness names, and of nothing else.
func only(h *history.History, witness []Evidence) *history.History {
	ops, notes := map[int64]bool{}, map[int]bool{}
	for _, e := range witness {
		ops[h.Events[e.Index].Op] = true
		notes[e.Index] = true
	}
	less := &history.History{Header: h.Header}
	for i, e := range h.Events {
		if e.Type != history.Note && ops[e.Op] || notes[i] {
			e.Index = len(less.Events)
			less.Events = append(less.Events, e)
		}
	}
	return less
}

// lastBelow gives the last record below an offset.
func lastBelow(l ledger.Log, offset int64) (ledger.Entry, bool) {
	part := l.UpTo(offset - 1)
	if len(part) == 0 {
		return ledger.Entry{}, false
	}
	return part[len(part)-1], true
}
