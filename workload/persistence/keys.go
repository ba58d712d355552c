package persistence

import (
	"fmt"

	"github.com/single-writer/chaos/history"
)

// The list of the keys of a partition: what a recovery from events goes by, since nobody can ask the journal which keys it
// has. A key is put on it with its first flush and taken off with its delete, plainly, as the last thing of either.

// Listed reads the keys listed of the partition.
func (s *Store) Listed() ([]string, error) {
	v := history.KeyList{Partition: s.Partition, Owner: s.Owner}
	call := v
	op := s.Process.Invoke(history.KeysRead, &call)
	a, outcome, err := s.Rows.Start(Statement{Table: Keys, Verb: Select, Partition: s.Partition}).Await()
	if outcome != Answered {
		v.Error = err.Error()
		s.Process.Answer(op, outcome.Type(), history.KeysRead, &v)
		return nil, fmt.Errorf("read the keys of partition %d: %w", s.Partition, err)
	}
	for _, r := range a.Rows {
		v.Keys = append(v.Keys, r.Key)
	}
	s.Process.Answer(op, history.OK, history.KeysRead, &v)
	return v.Keys, nil
}

// list puts a key on the list, or takes it off.
func (s *Store) list(f history.F, key string) error {
	v := history.KeyWrite{Partition: s.Partition, Key: key, Owner: s.Owner, Timestamp: s.Process.Clock()}
	call := v
	op := s.Process.Invoke(f, &call)
	st := Statement{Table: Keys, Verb: Insert, Partition: s.Partition, Key: key, Metadata: "{}", Timestamp: v.Timestamp}
	if f == history.KeyRemove {
		st.Verb = Remove
	}
	_, outcome, err := s.Rows.Start(st).Await()
	v.Code, v.Error, err = whyNot(outcome, err)
	s.Process.Answer(op, outcome.Type(), f, &v)
	if err != nil {
		return fmt.Errorf("%s %s: %w", f, key, err)
	}
	return nil
}
