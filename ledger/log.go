package ledger

import "sort"

// Entry is an event at its place in the input log.
type Entry struct {
	Offset int64
	Event  Event
}

// Log is the records of one account in the order of their offsets: what the reference fold is computed from.
type Log []Entry

// Fold folds the records up to and including the offset, from the last close on. Of an account that is closed there, or
// of which there is no record, it returns the zero State.
func (l Log) Fold(upTo int64) State {
	var s State
	for _, e := range l.UpTo(upTo) {
		s = s.Fold(e.Event, e.Offset)
	}
	return s
}

// UpTo gives the records up to and including the offset.
func (l Log) UpTo(offset int64) Log {
	return l[:sort.Search(len(l), func(i int) bool { return l[i].Offset > offset })]
}

// At gives the record at the offset.
func (l Log) At(offset int64) (Entry, bool) {
	part := l.UpTo(offset)
	if len(part) == 0 || part[len(part)-1].Offset != offset {
		return Entry{}, false
	}
	return part[len(part)-1], true
}

// life gives the records that a correct state at the offset is made of: those after the last close.
func (l Log) life(upTo int64) Log {
	part := l.UpTo(upTo)
	for i := len(part) - 1; i >= 0; i-- {
		if part[i].Event.Kind == Close {
			return part[i+1:]
		}
	}
	return part
}
