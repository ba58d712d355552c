package checker

import (
	"slices"

	"github.com/single-writer/chaos/history"
)

// Most properties are asked of every history. Some ask whether a store keeps the promise that its arm makes, and so must
// know which one it is. The names are those in a history's header.
const (
	armLWW        = "cassandra/lww"
	armCASPersist = "cassandra/cas-persist"
	armCAS        = "cassandra/cas"
	// guardTombstone is the guard by which a delete leaves a tombstone with its offset, instead of removing the row.
	guardTombstone = "tombstone"
)

// removes tells whether the deletes of a conditional arm take the row away, and its offset with it.
func removes(h history.Header) bool { return slices.Contains(h.Without, guardTombstone) }

// unwatched says why nothing can be claimed of what a key's row holds: something else than the writes of the history
// changes it. It is empty where that is not so.
func (k *key) unwatched() string {
	rows := []*history.Row{k.startRow}
	for i := range k.shown {
		rows = append(rows, k.shown[i].row)
	}
	for _, row := range rows {
		switch {
		case row == nil:
		case row.TTL.Known:
			return "expires"
		case !row.Offset.Known:
			return "has lost its offset cell"
		}
	}
	for _, w := range k.writes {
		if slices.ContainsFunc(w.statements, func(s history.StatementDone) bool { return s.Result == history.ResultNull }) {
			return "has lost its offset cell"
		}
	}
	return ""
}
