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
