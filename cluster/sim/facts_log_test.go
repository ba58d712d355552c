package sim

import "github.com/single-writer/chaos/cluster"

// otherLogs is, for each fact about Kafka's logs, a world in which it is false, in the way in which the fact says that it could be.
var otherLogs = map[string]func(w *World){
	"a-batch-sent-twice":               logWith(func(r *logRules) { r.same, r.next = anew, anyNumber }),
	"other-values-of-the-same-numbers": logWith(func(r *logRules) { r.same, r.next = anew, anyNumber }),
	"a-gap-or-an-overlap": logWith(func(r *logRules) {
		r.next = func(last, sequence int32) string {
			if sequence <= last {
				return codeOutOfOrder
			}
			return codeNone
		}
	}),
	"five-batches-are-known-again":        logWith(func(r *logRules) { r.kept = 1 }),
	"a-new-epoch-begins-at-0":             logWith(func(r *logRules) { r.renewed = func(int32) string { return codeNone } }),
	"the-last-epoch-is-fenced":            logWith(func(r *logRules) { r.fenced = func() string { return codeNone } }),
	"an-unknown-producer-begins-anywhere": logWith(func(r *logRules) { r.unknown = r.renewed }),

	"the-active-segment-is-not-cleaned": logWith(func(r *logRules) { r.cleanable = func(l *partitionLog) int { return len(l.records) } }),
	"old-values-go":                     logWith(func(r *logRules) { r.latest = func(int64, int64) bool { return true } }),
	"a-tombstone-takes-two-passes":      logWith(func(r *logRules) { r.gone = func(bool) bool { return true } }),
}

func logWith(change func(*logRules)) func(*World) { return func(w *World) { change(&w.logRules) } }

func anew(numbered, cluster.Batch) bool { return false }

func anyNumber(int32, int32) string { return codeNone }
