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
