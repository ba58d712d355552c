package sim

import (
	"errors"

	"github.com/single-writer/chaos/workload/persistence"
)

// rules are the facts of Cassandra that the tables obey, one function each: package conformance says which fact is which,
// and looks for all of them in real servers too. A test of this package breaks them one by one, to see that it is missed.
type rules struct {
	// invalid says why a statement is refused as such, whatever is stored.
	invalid func(s persistence.Statement) error
	// holds tells whether the condition holds of what is found, refusal what is said of it when not.
	holds   func(s persistence.Statement, f found) bool
	refusal func(f found) persistence.Answer
	// ballot is the timestamp of a conditional write on a row whose last one was at last.
	ballot func(last stamp, clock int64) stamp
	// marks tells whether the verb writes the row's marker, and how, by how it writes cells.
	marks func(v persistence.Verb, w written) (written, bool)
	// ends is the second at which the cells end that a statement writes in the given one, 0 for never.
	ends func(s persistence.Statement, second int64) int64
	// wins tells whether a cell takes the place of another; greater compares their values.
	wins func(write, old written, greater bool) bool
	// outlives tells whether what was written at a time is there in spite of a removal.
	outlives func(at, removed stamp) bool
	// there tells whether there is a row, by its marker, by its offset, or by its other cells.
	there func(marker, offset, others bool) bool
}

// found is what a condition is about.
type found struct {
	row, offset, value bool
	stored             int64
}

// errNullBound is the server's "Invalid comparison with null for operator <=".
var errNullBound = &persistence.Error{Code: "invalid", NoEffect: true, Err: errors.New("invalid comparison with null")}

func cassandra() *rules {
	return &rules{
		invalid: func(s persistence.Statement) error {
			if s.If == persistence.IfOffsetAtMost && s.NoOffset {
				return errNullBound
			}
			return nil
		},
		holds: holds,
		// Only the columns of the condition are named, none when there is no row.
		refusal: func(f found) persistence.Answer {
			switch {
			case f.offset:
				return persistence.Answer{Refusal: persistence.OffsetStored, Stored: f.stored}
			case f.row:
				return persistence.Answer{Refusal: persistence.OffsetNull}
			}
			return persistence.Answer{Refusal: persistence.RowAbsent}
		},
		// It is the coordinator's clock in milliseconds, lifted above the last one: the rounds of a row are in order.
		ballot: func(last stamp, clock int64) stamp { return max(last+1, stamp(clock/1000*1000)) },
		marks:  func(v persistence.Verb, w written) (written, bool) { return w, v == persistence.Insert },
		ends: func(s persistence.Statement, second int64) int64 {
			if s.TTL == 0 {
				return 0
			}
			return second + int64(s.TTL)
		},
		wins:     wins,
		outlives: func(at, removed stamp) bool { return at > removed },
		there:    func(marker, offset, others bool) bool { return marker || offset || others },
	}
}

func holds(s persistence.Statement, f found) bool {
	switch s.If {
	case persistence.IfOffsetAtMost:
		return f.offset && f.stored <= s.Offset
	case persistence.IfOffsetNull:
		return !f.offset
	case persistence.IfExists:
		return f.row
	}
	return !f.row
}

// wins is Cassandra's reconciliation of cells (Cells.reconcile, CASSANDRA-14592): of equal timestamps the null wins, then what
// ends, later rather than earlier, then the greater value.
func wins(write, old written, greater bool) bool {
	switch {
	case write.at != old.at:
		return write.at > old.at
	case write.null != old.null:
		return write.null
	case write.ends != old.ends:
		return write.ends > old.ends
	}
	return greater
}
