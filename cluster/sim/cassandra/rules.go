package cassandra

import (
	"errors"

	"github.com/single-writer/chaos/workload/persistence"
)

// Rules are the facts of Cassandra that a store obeys, one function each: package conformance says which fact is which, and
// looks for it in real servers too. A test breaks them one by one, to see that it is missed.
type Rules struct {
	// Invalid says why a statement is refused as such, whatever is stored.
	Invalid func(s persistence.Statement) error
	// Holds tells whether the condition holds of what is found, Refusal what is said of it when not.
	Holds   func(s persistence.Statement, f Found) bool
	Refusal func(f Found) persistence.Answer
	// Marks tells whether the verb writes the row's marker, and how, by how it writes cells.
	Marks func(v persistence.Verb, w Written) (Written, bool)
	// Ends is the second at which the cells end that a statement writes in the given one, 0 for never.
	Ends func(s persistence.Statement, second int64) int64
	// Wins tells whether a cell takes the place of another; greater compares their values.
	Wins func(write, old Written, greater bool) bool
	// Outlives tells whether what was written at a time is there in spite of a removal.
	Outlives func(at, removed Stamp) bool
	// There tells whether there is a row, by its marker, by its offset, or by its other cells.
	There func(marker, offset, others bool) bool

	Rounds
}

// Rounds are the facts that take several nodes to see.
type Rounds struct {
	// Ballot is the time of a node's next ballot, and what the node takes to be its last one then: by its last one, by what the
	// others are known to have promised or accepted (least is one above it), and by its clock in microseconds.
	Ballot func(last, least Stamp, clock int64) (at, then Stamp)
	// After tells whether a ballot is late enough to be promised by who has seen one of another time.
	After func(at, seen Stamp) bool
	// Quorum is how many of so many nodes are enough.
	Quorum func(nodes int) int
	// Begins tells whether a statement is begun at all when so many of the nodes that it needs are known to be up.
	Begins func(alive, needed int) bool
	// Serial tells whether a read is preceded by a round.
	Serial func(s persistence.Statement) bool
	// Finishes tells whether a round first finishes what it hears was accepted, by the times of that and of the last commit.
	Finishes func(accepted, committed Stamp) bool
	// Seals tells whether a round that writes nothing makes a proposal, which shuts out the unfinished ones before it.
	Seals bool
	// Unsure tells whether a proposal that so many have accepted, who are no quorum, may be finished by somebody else.
	Unsure func(accepted int) bool
	// Writes tells whether a row is written when a node hears of a proposal, by what it is told: that it is to accept it, or that
	// it is decided.
	Writes func(decided bool) bool
	// Repairs tells whether a read waits until a quorum has what it shows.
	Repairs bool
	// Says is the kind of write that a time-out names, by whether it was the decided write that timed out.
	Says func(decided bool) string
	// Clock is what a node goes by, whose own clock is so far ahead of the true time; in microseconds.
	Clock func(now, ahead int64) int64
}

// Found is what a condition is about.
type Found struct {
	Row, Offset, Value bool
	Stored             int64
}

// errNullBound is the server's "Invalid comparison with null for operator <=".
var errNullBound = &persistence.Error{Code: "invalid", NoEffect: true, Err: errors.New("invalid comparison with null")}

// Cassandra is how Cassandra is.
func Cassandra() *Rules {
	return &Rules{
		Invalid: func(s persistence.Statement) error {
			if s.If == persistence.IfOffsetAtMost && s.NoOffset {
				return errNullBound
			}
			return nil
		},
		Holds: holds,
		// Only the columns of the condition are named, none when there is no row.
		Refusal: func(f Found) persistence.Answer {
			switch {
			case f.Offset:
				return persistence.Answer{Refusal: persistence.OffsetStored, Stored: f.Stored}
			case f.Row:
				return persistence.Answer{Refusal: persistence.OffsetNull}
			}
			return persistence.Answer{Refusal: persistence.RowAbsent}
		},
		Marks: func(v persistence.Verb, w Written) (Written, bool) { return w, v == persistence.Insert },
		Ends: func(s persistence.Statement, second int64) int64 {
			if s.TTL == 0 {
				return 0
			}
			return second + int64(s.TTL)
		},
		Wins:     wins,
		Outlives: func(at, removed Stamp) bool { return at > removed },
		There:    func(marker, offset, others bool) bool { return marker || offset || others },
		Rounds:   rounds(),
	}
}

func rounds() Rounds {
	return Rounds{
		Ballot: ballotTime,
		After:  func(at, seen Stamp) bool { return at > seen },
		Quorum: func(nodes int) int { return nodes/2 + 1 },
		Begins: func(alive, needed int) bool { return alive >= needed },
		// A scan at SERIAL is a plain one, page by page.
		Serial:   func(s persistence.Statement) bool { return s.Serial && s.Verb == persistence.Select },
		Finishes: func(accepted, committed Stamp) bool { return accepted > committed },
		Seals:    true, // CASSANDRA-12126
		// Who accepted may be asked by the next round, and then it is finished (CASSANDRA-6013).
		Unsure:  func(accepted int) bool { return accepted > 0 },
		Writes:  func(decided bool) bool { return decided },
		Repairs: true,
		Says: func(decided bool) string {
			if decided {
				return "SIMPLE"
			}
			return "CAS"
		},
		Clock: func(now, ahead int64) int64 { return now + ahead },
	}
}

func holds(s persistence.Statement, f Found) bool {
	switch s.If {
	case persistence.IfOffsetAtMost:
		return f.Offset && f.Stored <= s.Offset
	case persistence.IfOffsetNull:
		return !f.Offset
	case persistence.IfExists:
		return f.Row
	}
	return !f.Row
}

// wins is Cassandra's reconciliation of cells (Cells.reconcile, CASSANDRA-14592): of equal timestamps the null wins, then what
// ends, later rather than earlier, then the greater value.
func wins(write, old Written, greater bool) bool {
	switch {
	case write.At != old.At:
		return write.At > old.At
	case write.Null != old.Null:
		return write.Null
	case write.Ends != old.Ends:
		return write.Ends > old.Ends
	}
	return greater
}

// ballotTime is the node's clock in milliseconds, above its last ballot and above what the others have seen (CASSANDRA-5667,
// CASSANDRA-7801). A time that only the others made necessary stays with this row, or one node with a clock ahead would
// carry all others along, for all rows (CASSANDRA-11991).
func ballotTime(last, least Stamp, clock int64) (at, then Stamp) {
	at = max(Stamp(clock/1000*1000), least)
	if last >= at {
		at = last + 1
	}
	if at == least {
		return at, last
	}
	return at, at
}
