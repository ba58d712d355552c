package sim

import (
	"time"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/workload/persistence"
)

// partitionLog is one partition of a topic: records in segments, of which the last is the active one, and what it knows of
// its producers.
type partitionLog struct {
	rules     logRules
	records   []stored
	end       int64
	producers map[int64]*sequences
	// active is where the active segment begins among the records, rolled when its first record came.
	active int
	rolled time.Duration
	// clean is how many of the records no pass of the cleaner has to look at again.
	clean int
}

// stored is a record in the log; met is set of a tombstone once a pass of the cleaner has seen it (KIP-534: its delete horizon).
type stored struct {
	cluster.LogRecord
	met bool
}

// segmentTime is segment.ms of a compacted topic, cleanEvery log.cleaner.backoff.ms of its broker, as the containers have them.
const (
	segmentTime = 100 * time.Millisecond
	cleanEvery  = 200 * time.Millisecond
)

// append appends a batch, or says why not.
func (l *partitionLog) append(now time.Duration, b cluster.Batch) cluster.Appended {
	s := l.producers[b.Producer]
	code, known := s.admit(l.rules, b)
	switch {
	case code != codeNone:
		return cluster.Appended{Code: code, Base: -1}
	case known != nil:
		return cluster.Appended{Base: known.base}
	}
	base := l.end
	l.producers[b.Producer] = s.note(l.rules, b, base)
	if l.active == len(l.records) || now-l.rolled > segmentTime {
		l.active, l.rolled = len(l.records), now
	}
	for _, r := range b.Records {
		r.Offset = l.end
		l.records = append(l.records, stored{LogRecord: r})
		l.end++
	}
	return cluster.Appended{Base: base}
}

// read gives all records.
func (l *partitionLog) read() []cluster.LogRecord {
	var out []cluster.LogRecord
	for _, r := range l.records {
		out = append(out, r.LogRecord)
	}
	return out
}

// compact is one pass of the cleaner: of what lies before the active segment it keeps the last word about each key. The last
// word may be that there is nothing: it stays for one pass, so that who reads meanwhile learns of it. Without anything new
// before the active segment there is no pass.
func (l *partitionLog) compact() {
	end := l.rules.cleanable(l)
	if end <= l.clean {
		return
	}
	last := map[string]int64{}
	for _, r := range l.records[:end] {
		last[r.Key] = r.Offset
	}
	var kept []stored
	for _, r := range l.records[:end] {
		if !l.rules.latest(r.Offset, last[r.Key]) || r.Value == nil && l.rules.gone(r.met) {
			continue
		}
		r.met = r.Value == nil
		kept = append(kept, r)
	}
	l.active += len(kept) - end
	l.records, l.clean = append(kept, l.records[end:]...), len(kept)
}

// topicLog is a client's view of a partition log.
type topicLog struct {
	world *World
	log   *partitionLog
	link  link
}

// Log makes a topic of one partition, compacted or not.
func (w *World) Log(compacted bool) (cluster.Log, error) {
	l := &partitionLog{rules: w.logRules, producers: map[int64]*sequences{}}
	if compacted {
		w.compactEvery(l)
	}
	return &topicLog{world: w, log: l}, nil
}

func (w *World) compactEvery(l *partitionLog) {
	w.net.After(cleanEvery, func() {
		l.compact()
		w.compactEvery(l)
	})
}

// Append appends a batch.
func (t *topicLog) Append(b cluster.Batch) persistence.Call[cluster.Appended] {
	w := t.world
	return request(w.board, w.kafka.brokers[0].server, &t.link, adminTimeout, func(reply func(cluster.Appended)) { reply(t.log.append(w.net.now, b)) })
}

// Read reads all of it.
func (t *topicLog) Read() persistence.Call[[]cluster.LogRecord] {
	w := t.world
	return request(w.board, w.kafka.brokers[0].server, &t.link, adminTimeout, func(reply func([]cluster.LogRecord)) { reply(t.log.read()) })
}
