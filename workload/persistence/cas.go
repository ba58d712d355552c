package persistence

import "github.com/single-writer/chaos/history"

// The full fence (kafka-flow pull request 834): each write is a Paxos round that asks for the stored offset. What a
// refusal shows decides what comes next; it rests on a fact of Cassandra, that a conditional statement on a row which
// does not exist returns [applied] and nothing else, and on a row whose cell is null returns the cell as null.

// condition is what the fence asks of the row. Without its guard the statement stays conditional, on the row alone: a
// plain write beside conditional ones would add the hazard of clocks and blur what broke.
func (a *Arm) condition(guard string) Condition {
	if a.Has(guard) {
		return IfOffsetAtMost
	}
	return IfExists
}

// casPersist stores the state unless a newer one is stored.
func casPersist(c *compound) error {
	cond := c.store.Arm.condition(PersistCondition)
	a, err := c.send(Update, cond)
	if err != nil || a.Applied {
		return err
	}
	switch a.Refusal {
	case OffsetStored:
		return c.conflict(history.Some(a.Stored))
	case OffsetNull:
		return c.repair()
	}
	if a, err = c.first(cond); err != nil || a.Applied {
		return err
	}
	switch a.Refusal {
	case OffsetStored:
		return c.conflict(history.Some(a.Stored))
	case OffsetNull:
		return c.repair()
	}
	// The row went away between the two: a spurious conflict, after which the worker recovers.
	return c.conflict(history.Opt{})
}

// first is the first write of a key that a statement has found no row of: the one place in the fence that is not atomic.
// Who loses the race for the row asks it once more, as the winner may be older. Without that guard who found no row takes
// it, whoever has it by now: what a plain INSERT would do, and conditional all the same.
func (c *compound) first(cond Condition) (Answer, error) {
	a, err := c.send(Insert, IfNotExists)
	if err != nil || a.Applied {
		return a, err
	}
	if !c.store.Arm.Has(FirstWrite) {
		cond = IfExists
	}
	return c.send(Update, cond)
}

// repair overwrites a row that is there but whose offset is gone (its cell expired): nothing is left to compare with. Who
// loses the race for it to a newer write is told so; to an older one, or to its own write sent twice, the conflict is as
// spurious as one with no row.
func (c *compound) repair() error {
	if !c.store.Arm.Has(Repair) {
		return c.conflict(history.Opt{})
	}
	a, err := c.send(Update, IfOffsetNull)
	switch {
	case err != nil || a.Applied:
		return err
	case a.Refusal == OffsetStored && a.Stored > c.value.Offset:
		return c.conflict(history.Some(a.Stored))
	}
	return c.conflict(history.Opt{})
}

// casDelete leaves a tombstone with the delete's offset, in the place of the row, unless a newer state is stored. Without
// the guard that is called so, it removes the row on the same condition, and nothing is left to refuse a stale write.
func casDelete(c *compound) error {
	cond := c.store.Arm.condition(DeleteCondition)
	verb := Update
	if !c.store.Arm.Has(TombstoneGuard) {
		verb = Remove
	}
	a, err := c.send(verb, cond)
	if err != nil || a.Applied {
		return err
	}
	switch {
	case a.Refusal == OffsetStored:
		return c.conflict(history.Some(a.Stored))
	case a.Refusal == OffsetNull || verb == Remove:
		return nil
	}
	if a, err = c.first(cond); err == nil && !a.Applied && a.Refusal == OffsetStored {
		return c.conflict(history.Some(a.Stored))
	}
	return err
}
