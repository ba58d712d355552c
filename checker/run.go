package checker

import (
	"math"
	"slices"

	"github.com/single-writer/chaos/history"
)

// Time in this package is the index of an event. The recorder gives indexes in the order in which things happened, a call
// before the request leaves and an answer after it came, so "X is before Y" is: X's answer has a smaller index than Y's
// call. Clock times are used for two things only: the expiry of a row, and how long two owners were alive at once, a fact that
// no verdict rests on.

// never is the time of what the history does not show to have happened.
const never = math.MaxInt

// Run is a history made ready for questions: operations paired, the writes and reads of each key, the recoveries, the
// committed offsets, the input. It is built once, in time near-linear in the history, and every property reads it.
type Run struct {
	header history.Header
	events []history.Event
	// partner gives for each event of an operation the other one, -1 where there is none.
	partner []int
	input   *input
	// keys are in the order in which the history first names them.
	keys       []*key
	byName     map[rowName]*key
	recoveries []*recovery
	// commits are by partition; partitions lists those named anywhere, in order.
	commits    map[int32]*commits
	partitions []int32
	log        groupLog
	// start and end are the indexes of the ground truths, -1 where the history has none.
	start, end int
	// audited is what members did with partitions that they no longer owned, made when it is first asked for.
	audited *Audit
	// inJournal gives, by the write, the first event that shows a journal's row.
	inJournal map[string]int
	// ended: the rig came to its end. finished: the plan and the stages were done by then.
	ended, finished bool
}

// rowName names a row of the snapshot table within the run.
type rowName struct {
	partition int32
	name      string
}

// operation is a call and what became of it.
type operation struct {
	call int
	// answer is the index of the answer, or never.
	answer int
	// outcome is OK, Fail or Info; an operation without an answer is Info.
	outcome history.Type
	process string
}

// recovery is one recovery with the rows that its process read in the course of it.
type recovery struct {
	operation
	v     *history.Recovery
	reads []recovered
}

// recovered is what a recovery found of one key.
type recovered struct {
	key *key
	showing
	// made tells that this is what the owner made of the key's events, and not just its row: the showing's row has the floor
	// for its offset.
	made bool
}

// of tells whether the recovery was of the key too.
func (rec *recovery) of(k *key) bool {
	return rec.v.Partition == k.partition && slices.Contains(rec.v.Keys, k.name)
}

// NewRun indexes a history, which must be well-formed (history.Validate). Values of the wrong type and nil rows are
// passed over rather than trusted.
func NewRun(h *history.History) *Run {
	r := &Run{
		header: h.Header, events: h.Events,
		byName: map[rowName]*key{}, commits: map[int32]*commits{},
		start: -1, end: -1,
	}
	r.pair()
	r.input = readInput(h, r)
	r.readNotes()
	r.inJournal = r.seenInJournals()
	r.readOperations()
	for _, k := range r.keys {
		k.order(r)
	}
	r.readExpiries()
	r.readRecoveries()
	r.readGroupLog()
	for _, p := range r.partitions {
		if c := r.commits[p]; c != nil {
			c.order(&r.log)
		}
	}
	return r
}

// pair finds for each call its answer.
func (r *Run) pair() {
	r.partner = make([]int, len(r.events))
	open := map[int64]int{}
	for i, e := range r.events {
		r.partner[i] = -1
		switch e.Type {
		case history.Note:
		case history.Invoke:
			open[e.Op] = i
		default:
			if call, ok := open[e.Op]; ok {
				r.partner[i], r.partner[call] = call, i
				delete(open, e.Op)
			}
		}
	}
}

// operationAt is the operation called at the index.
func (r *Run) operationAt(call int) operation {
	op := operation{call: call, answer: never, outcome: history.Info, process: r.events[call].Process}
	if a := r.partner[call]; a >= 0 {
		op.answer, op.outcome = a, r.events[a].Type
	}
	return op
}

// answerOf gives the value of a call's answer; nil where there is none or it is of another type.
func answerOf[T any](r *Run, call int) *T {
	a := r.partner[call]
	if a < 0 {
		return nil
	}
	v, _ := r.events[a].Value.(*T)
	return v
}

// readNotes takes in the ground truths and the end.
func (r *Run) readNotes() {
	for i, e := range r.events {
		switch v := e.Value.(type) {
		case *history.GroundTruth:
			switch {
			case v == nil:
			case v.At == "start" && r.start < 0:
				r.start = i
			case v.At == "end":
				r.end = i
			}
		case *history.Ending:
			if v != nil {
				r.ended, r.finished = true, v.Finished
			}
		}
	}
	if v := r.truth(r.start); v != nil {
		for j := range v.Rows {
			row := &v.Rows[j]
			k := r.key(row.Partition, row.Key)
			k.startRow = &row.Row
			k.show(showingOf(&row.Row, r.start, r.start, sourceTruth))
		}
		for p, offset := range v.Committed {
			r.commitsOf(int32(p)).add(committing{
				operation: operation{call: r.start, answer: r.start, outcome: history.OK},
				offset:    max(offset, 0),
			})
		}
	}
}

// readExpiries takes in the faults that end the life of a row, or of its cells: what was written before may be gone from then
// on, as by its TTL. Their beginning counts, since the row is read between that and the proof.
func (r *Run) readExpiries() {
	began := map[*key]int{}
	for i, e := range r.events {
		v, ok := e.Value.(*history.FaultDone)
		if !ok || v == nil || v.Fault != history.FaultExpire && v.Fault != history.FaultReap {
			continue
		}
		for _, k := range r.keys {
			switch {
			case k.name != v.Target:
			case v.Phase == history.PhaseBegin && v.Fault == history.FaultExpire:
				k.expire(i, e.Time)
			case v.Phase == history.PhaseBegin:
				began[k] = i
			case v.Fault == history.FaultReap:
				k.reap(began[k], i, r.events[began[k]].Time)
			}
		}
	}
}

// truth gives the ground truth at an index.
func (r *Run) truth(i int) *history.GroundTruth {
	if i < 0 {
		return nil
	}
	v, _ := r.events[i].Value.(*history.GroundTruth)
	return v
}

// readOperations takes in everything that was asked of the store and of the group.
func (r *Run) readOperations() {
	r.readSettling()
	for i, e := range r.events {
		if e.Type != history.Invoke {
			continue
		}
		switch v := e.Value.(type) {
		case *history.Write:
			if v != nil {
				r.key(v.Partition, v.Key).write(newWrite(r, i, e.F, v))
			}
		case *history.RowRead:
			r.readRow(i, v)
		case *history.TableScan:
			r.readTable(i)
		case *history.OffsetCommit:
			if v != nil {
				c := r.commitsOf(v.Partition)
				c.add(committing{
					operation: r.operationAt(i), offset: v.Offset, member: v.Member, generation: v.Generation, commit: true,
				})
			}
		case *history.CommittedOffset:
			r.readCommitted(i, v)
		default:
			r.readJournal(i, e)
		}
	}
}

// readSettling finds, before anything else is read, when the rig began to settle each key.
func (r *Run) readSettling() {
	for i, e := range r.events {
		v, ok := e.Value.(*history.RowRead)
		if !ok || v == nil || e.Type != history.Invoke || v.Purpose != history.ForSettling {
			continue
		}
		k := r.key(v.Partition, v.Key)
		k.settled = min(k.settled, i)
	}
}

func (r *Run) readRow(call int, v *history.RowRead) {
	op := r.operationAt(call)
	ans := answerOf[history.RowRead](r, call)
	if v == nil || ans == nil || op.outcome != history.OK {
		return
	}
	k := r.key(v.Partition, v.Key)
	s := showingOf(ans.Row, op.call, op.answer, sourceRead)
	s.purpose = v.Purpose
	if v.Purpose == history.ForSettling {
		k.settling = append(k.settling, s)
		return
	}
	k.show(s)
}

// readTable takes in the rows of a scan. That a key is not among them is not used: the keys were read one by one.
func (r *Run) readTable(call int) {
	op := r.operationAt(call)
	ans := answerOf[history.TableScan](r, call)
	if ans == nil || op.outcome != history.OK {
		return
	}
	for j := range ans.Rows {
		row := &ans.Rows[j]
		r.key(row.Partition, row.Key).show(showingOf(&row.Row, op.call, op.answer, sourceRead))
	}
}

// readCommitted takes in an offset read back. That none is committed, for which a broker says -1, is the same as 0: no
// record is below it.
func (r *Run) readCommitted(call int, v *history.CommittedOffset) {
	op := r.operationAt(call)
	ans := answerOf[history.CommittedOffset](r, call)
	if v == nil || ans == nil || op.outcome != history.OK {
		return
	}
	r.commitsOf(v.Partition).add(committing{operation: op, offset: max(ans.Offset.N, 0)})
}

// readRecoveries puts the rows read for recovery under the recovery that they were read in: that of the same process
// and partition which was under way.
func (r *Run) readRecoveries() {
	type owner struct {
		process   string
		partition int32
	}
	open := map[owner]*recovery{}
	for i, e := range r.events {
		switch v := e.Value.(type) {
		case *history.Recovery:
			if v == nil {
				continue
			}
			at := owner{e.Process, v.Partition}
			if e.Type != history.Invoke {
				if rec := open[at]; rec != nil && rec.answer == i {
					r.returned(rec)
				}
				delete(open, at)
				continue
			}
			rec := &recovery{operation: r.operationAt(i), v: v}
			r.recoveries = append(r.recoveries, rec)
			open[at] = rec
		case *history.RowRead:
			if v == nil || e.Type != history.OK || r.partner[i] < 0 {
				continue
			}
			asked, _ := r.events[r.partner[i]].Value.(*history.RowRead)
			if asked == nil || asked.Purpose != history.ForRecovery {
				continue
			}
			rec := open[owner{e.Process, asked.Partition}]
			if rec == nil {
				continue
			}
			k := r.key(asked.Partition, asked.Key)
			s := showingOf(v.Row, r.partner[i], i, sourceRead)
			s.purpose, s.write = asked.Purpose, k.writeOf(v.Row)
			rec.reads = append(rec.reads, recovered{k, s, false})
		}
	}
	r.halfRecovered()
}

// key gives the view of a row, new where it was not named before.
func (r *Run) key(partition int32, name string) *key {
	at := rowName{partition, name}
	if k, ok := r.byName[at]; ok {
		return k
	}
	r.seePartition(partition)
	k := newKey(at, r.input.of(at))
	r.byName[at] = k
	r.keys = append(r.keys, k)
	return k
}

func (r *Run) commitsOf(partition int32) *commits {
	c, ok := r.commits[partition]
	if !ok {
		r.seePartition(partition)
		c = &commits{}
		r.commits[partition] = c
	}
	return c
}

func (r *Run) seePartition(p int32) {
	if at, ok := slices.BinarySearch(r.partitions, p); !ok {
		r.partitions = slices.Insert(r.partitions, at, p)
	}
}
