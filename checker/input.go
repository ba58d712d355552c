package checker

import (
	"fmt"
	"sort"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
)

// input is what the run's input log held, by partition and by key.
//
// The log itself, read at the end, is the authority (`record` notes). A history that was cut before that has only what
// the producer was told: then the records are known up to the first offset that nobody was told of, and a question about
// what lies beyond has no answer. The same care is taken with a hole among the `record` notes, since the input is
// produced plainly: its offsets have no holes.
type input struct {
	partitions map[int32]*partitionLog
	keys       map[rowName]*keyLog
	// whole: the log was read to its end, by a run that came to its own.
	whole bool
	// missing says which record was acknowledged to the producer and is not in the log as it was read; empty where none is.
	missing string
}

// partitionLog is one partition of the input.
type partitionLog struct {
	entries []logged
	// known is the offset below which every record is known.
	known int64
	// whole: nothing lies beyond the known records either.
	whole bool
}

// logged is one record with the event that tells of it.
type logged struct {
	ledger.Entry
	at int
}

// end is the offset after the last record known.
func (p *partitionLog) end() int64 {
	if p == nil || len(p.entries) == 0 {
		return 0
	}
	return p.entries[len(p.entries)-1].Offset + 1
}

// between gives the records from one offset up to, not including, another.
func (p *partitionLog) between(from, below int64) []logged {
	if p == nil {
		return nil
	}
	lo := sort.Search(len(p.entries), func(i int) bool { return p.entries[i].Offset >= from })
	hi := sort.Search(len(p.entries), func(i int) bool { return p.entries[i].Offset >= below })
	return p.entries[lo:max(lo, hi)]
}

// keyLog is one account's records, in the order of their offsets, with the fold after each.
type keyLog struct {
	log   ledger.Log
	at    []int
	folds []ledger.State
	part  *partitionLog
}

func readInput(h *history.History, r *Run) *input {
	in := &input{partitions: map[int32]*partitionLog{}, keys: map[rowName]*keyLog{}}
	records, fromLog := h.Appended()
	for _, a := range records {
		in.add(a.Partition, logged{ledger.Entry{Offset: a.Offset, Event: a.Event}, a.At})
	}
	in.whole = fromLog && h.Ended()
	for p, log := range in.partitions {
		r.seePartition(p)
		log.know(in.whole)
		in.spread(p, log)
	}
	if fromLog {
		in.findMissing(r)
	}
	return in
}

// findMissing finds what the producer was told is in the log and the log as it was read does not have: then nothing is known
// from there on.
func (in *input) findMissing(r *Run) {
	for i, e := range r.events {
		v, ok := e.Value.(*history.Produced)
		if !ok || v == nil || e.Type != history.OK || !v.Offset.Known {
			continue
		}
		log := in.partitions[v.Partition]
		if log == nil {
			log = &partitionLog{}
			in.partitions[v.Partition] = log
		}
		if len(log.between(v.Offset.N, v.Offset.N+1)) > 0 {
			continue
		}
		log.whole, log.known = false, min(log.known, v.Offset.N)
		if in.missing == "" {
			in.missing = fmt.Sprintf(" The log as it was read lacks record %d of partition %d, which was acknowledged (line %d).",
				v.Offset.N, v.Partition, r.events[i].Line())
		}
	}
}

func (in *input) add(p int32, l logged) {
	log := in.partitions[p]
	if log == nil {
		log = &partitionLog{}
		in.partitions[p] = log
	}
	log.entries = append(log.entries, l)
}

// know finds how far the records are known.
func (p *partitionLog) know(whole bool) {
	for _, l := range p.entries {
		if l.Offset != p.known {
			break
		}
		p.known++
	}
	p.whole = whole && p.known == p.end()
}

func (in *input) spread(p int32, log *partitionLog) {
	for _, l := range log.entries {
		k := in.of(rowName{p, l.Event.Account})
		var before ledger.State
		if n := len(k.folds); n > 0 {
			before = k.folds[n-1]
		}
		k.log = append(k.log, l.Entry)
		k.at = append(k.at, l.at)
		k.folds = append(k.folds, before.Fold(l.Event, l.Offset))
	}
}

// of gives a key's records; a key without any has an empty log.
func (in *input) of(name rowName) *keyLog {
	k, ok := in.keys[name]
	if !ok {
		part := in.partitions[name.partition]
		if part == nil {
			part = &partitionLog{whole: in.whole}
			in.partitions[name.partition] = part
		}
		k = &keyLog{part: part}
		in.keys[name] = k
	}
	return k
}

// read tells whether the whole log was read, with no hole in it.
func (in *input) read() bool {
	for _, p := range in.partitions {
		if !p.whole {
			return false
		}
	}
	return in.whole
}

// knownBelow tells whether every record below the offset is known.
func (k *keyLog) knownBelow(offset int64) bool { return k.part.whole || offset <= k.part.known }

// knownAt tells whether every record up to and including the offset is known.
func (k *keyLog) knownAt(offset int64) bool { return k.part.whole || offset < k.part.known }

// below gives the last known record below the offset: its place in the key's log.
func (k *keyLog) below(offset int64) (int, bool) {
	n := sort.Search(len(k.log), func(i int) bool { return k.log[i].Offset >= offset })
	return n - 1, n > 0
}

// fold gives the fold of the key's records up to and including the offset; the state's own offset is that of the last
// one, so that a state at an offset which is none of the key's equals no fold.
func (k *keyLog) fold(offset int64) ledger.State {
	i, ok := k.below(offset + 1)
	if !ok {
		return ledger.State{}
	}
	return k.folds[i]
}

// foldFrom gives the fold of the records from one offset up to and including another: of a lineage that began anew.
func (k *keyLog) foldFrom(from, to int64) ledger.State {
	var s ledger.State
	for _, e := range k.log.UpTo(to) {
		if e.Offset >= from {
			s = s.Fold(e.Event, e.Offset)
		}
	}
	return s
}

// between gives the records after one offset up to and including another.
func (k *keyLog) between(after, upTo int64) ledger.Log {
	if upTo <= after {
		return nil
	}
	return k.log.UpTo(upTo)[len(k.log.UpTo(after)):]
}

// closes gives the places of the key's closes in its log.
func (k *keyLog) closes() []int {
	var out []int
	for i, e := range k.log {
		if e.Event.Kind == ledger.Close {
			out = append(out, i)
		}
	}
	return out
}
