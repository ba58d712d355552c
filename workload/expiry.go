package workload

import (
	"fmt"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload/persistence"
)

// Expire leaves of a key's row what the end of its TTL leaves where other cells of it live on: the offset and the value are
// null, with the timestamps that they had (Cassandra makes an expired cell a tombstone of the cell's own timestamp). It is
// done by the process "observer", plainly, and read back; the row that it then found is returned.
func (o *Observer) Expire(w World, key string) (*history.Row, error) {
	if err := o.known(key); err != nil {
		return nil, err
	}
	var after *history.Row
	err := o.apart(w, func(w World) error {
		row, err := o.read(w, key, history.ForProbe, false)
		if err != nil {
			return err
		}
		if row == nil || !row.WritetimeOffset.Known {
			return fmt.Errorf("the row of %s has no offset that could expire", key)
		}
		st := persistence.Statement{Verb: persistence.Expire, Partition: o.partition(key), Key: key, Timestamp: row.WritetimeOffset.N}
		if _, outcome, err := o.Rows.Start(st).Await(); outcome != persistence.Answered {
			return fmt.Errorf("expire the row of %s: %w", key, err)
		}
		if after, err = o.read(w, key, history.ForProbe, false); err != nil {
			return err
		}
		if after == nil || after.Offset.Known || after.State != nil {
			return fmt.Errorf("the row of %s has not expired", key)
		}
		return nil
	})
	return after, err
}

// Reap takes a key's row away, as the end of its TTL does where every cell of it was written with one: nothing is left that a
// condition could compare with, nor of which anybody could be told. It removes what it has read, by the timestamp of that, so
// that a row which is written meanwhile stays. The row that it removed is returned, nil where there was none.
func (o *Observer) Reap(w World, key string) (*history.Row, error) {
	if err := o.known(key); err != nil {
		return nil, err
	}
	var before *history.Row
	err := o.apart(w, func(w World) error {
		row, err := o.read(w, key, history.ForProbe, false)
		if err != nil || row == nil {
			return err
		}
		if !row.WritetimeOffset.Known {
			return fmt.Errorf("the row of %s has no offset: it is not known when it was written", key)
		}
		st := persistence.Statement{Verb: persistence.Remove, Partition: o.partition(key), Key: key, Timestamp: row.WritetimeOffset.N}
		if _, outcome, err := o.Rows.Start(st).Await(); outcome != persistence.Answered {
			return fmt.Errorf("reap the row of %s: %w", key, err)
		}
		before = row
		_, err = o.read(w, key, history.ForProbe, false)
		return err
	})
	return before, err
}
