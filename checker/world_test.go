package checker

import (
	"fmt"
	"slices"

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
	w := &world{t: t, m: history.NewMemory(history.Header{Schema: history.Schema, Arm: arm}), store: store,
		rows: map[string]*simRow{}}
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
	w.group = append(w.group, history.GroupLogEntry{Group: &history.LoggedGroup{Generation: history.Some(int64(w.gen)),
		Members: stored}})
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
	v := history.Write{Key: k, Offset: n.floors[k], Write: fmt.Sprintf("%s#%d", n.name, n.writes),
		Owner: history.Owner{Generation: n.gen}}
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
