package history

import (
	"strings"

	"github.com/single-writer/chaos/ledger"
)

// Write is one persist or delete: the whole compound of the arm.
type Write struct {
	Partition int32  `json:"partition"`
	Key       string `json:"key"`
	// Offset is the write's own: that of the last record folded into it.
	Offset int64 `json:"offset"`
	Owner
	// Write identifies it: the process and a number, also stored in the row's metadata.
	Write string `json:"write"`
	// State is what is stored; nil for a delete.
	State *ledger.State `json:"state,omitempty"`
	// Timestamp is the client's, in microseconds since 1970, taken after any hold; unknown for conditional writes, whose
	// timestamp the server sets.
	Timestamp Opt `json:"timestamp,omitzero"`
	// Statements are those sent for it, with what came of each; in the answer only.
	Statements []StatementDone `json:"statements,omitempty"`
	// Settled is SettledOwn where the row refused the write because it held it already; in ok only.
	Settled string `json:"settled,omitempty"`
	// Code is why it was refused or is unknown; in fail and info only. CodeCondition is the row's own refusal.
	Code string `json:"code,omitempty"`
	// Stored is the offset that the refusal named.
	Stored Opt    `json:"stored,omitzero"`
	Error  string `json:"error,omitempty"`
}

// CodeCondition is the Code of a write that the row's condition refused. CodeResent is that of one which was refused when
// the driver sent it again: an earlier sending may have taken effect.
const (
	CodeCondition = "condition"
	CodeResent    = "resent"
)

// SettledOwn is how a write was settled whose refusal was by its own earlier sending: a read found its id in the row.
const SettledOwn = "own-write"

// StatementDone is one statement of a compound.
type StatementDone struct {
	// CQL names the statement's form: "update-if-offset", "insert-if-not-exists", "update", "delete", ...; what it asks the
	// row before it changes it comes after an "if".
	CQL string `json:"cql"`
	// Result is "applied", "absent" (refused: no row), "null" (refused: the offset is null), "refused", or an error.
	Result string `json:"result"`
	Stored Opt    `json:"stored,omitzero"`
	// Earlier are the errors after which the driver sent it again by itself, by the names of results.
	Earlier []string `json:"earlier,omitempty"`
}

// Conditional tells whether the statement asked the row before it changed it.
func (s StatementDone) Conditional() bool { return strings.Contains(s.CQL, "-if-") }

// The results of statements that were answered.
const (
	ResultApplied = "applied"
	ResultRefused = "refused"
	// ResultAbsent: there is no row. ResultNull: the row's offset is null.
	ResultAbsent = "absent"
	ResultNull   = "null"
)
