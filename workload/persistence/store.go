package persistence

import (
	"fmt"

	"github.com/single-writer/chaos/history"
)

// Process is what the arms need of the process that they run in.
type Process interface {
	Name() string
	Clock() int64
	Point(p history.PointReached)
	Invoke(f history.F, value any) (op int64)
	Answer(op int64, t history.Type, f history.F, value any)
	Note(f history.F, value any)
}

// Store is an arm at work for one partition under one ownership.
type Store struct {
	Arm       *Arm
	Process   Process
	Rows      Rows
	Partition int32
	Owner     history.Owner
	// Life is the worker's life, by which its writes are known whichever of its tasks sends them; NextWrite numbers them.
	Life      string
	NextWrite func() int64
	// Consistency is that of the cluster's plain reads, for the record.
	Consistency string
	// Events: keys are restored from their journals, which are kept beside the snapshots.
	Events bool
}

// Conflict is a write that the row's condition refused: another writer is likely to own the key now. Like the original's,
// it is handled nowhere on the way: the worker fails, restarts and recovers.
type Conflict struct {
	Key       string
	Attempted int64
	// Stored is the offset that the refusal named; unknown when it named none.
	Stored history.Opt
}

func (c *Conflict) Error() string {
	return fmt.Sprintf("conflict on %s: write @%d refused, stored offset %s", c.Key, c.Attempted, c.Stored)
}

// Recover reads a key's row and begins its buffer with it.
func (s *Store) Recover(key string) (*Snapshot, error) {
	row, err := s.read(key, history.ForRecovery)
	if err != nil {
		return nil, err
	}
	b := &Snapshot{store: s, key: key, stored: row != nil}
	switch {
	case row == nil:
	case row.State != nil:
		b.cell = cell{state: *row.State, offset: row.Offset.N, known: row.Offset.Known, clean: true}
	case row.Broken != "":
		return nil, fmt.Errorf("recover %s: the stored value is no state: %s", key, row.Broken)
	case s.Arm.Has(TombstoneFloor):
		b.cell = cell{offset: row.Offset.N, known: row.Offset.Known, clean: true}
	}
	return b, nil
}

// writeID gives a write its unique id.
func (s *Store) writeID() string { return fmt.Sprintf("%s#%d", s.Life, s.NextWrite()) }

// reach reaches a point of one key's work.
func (s *Store) reach(point, key string, offset int64, outcome string) {
	s.Process.Point(history.PointReached{
		Point: point, Partition: s.Partition, Key: key, Offset: history.Some(offset), Owner: s.Owner, Outcome: outcome,
	})
}

// Drop records that a guard of the worker's own kept something at the offset from going further.
func (s *Store) Drop(key string, offset int64, by string, floor int64) {
	s.Process.Note(history.Dropped, &history.DroppedHere{
		Partition: s.Partition, Key: key, Offset: offset, By: by, Floor: floor, Owner: s.Owner,
	})
}

func (s *Store) read(key string, purpose history.Purpose) (*history.Row, error) {
	v := history.RowRead{Partition: s.Partition, Key: key, Purpose: purpose, Consistency: s.Consistency,
		Member: s.Owner.Member, Generation: s.Owner.Generation}
	return ReadRow(s.Process, s.Rows, Statement{Verb: Select, Partition: s.Partition, Key: key}, v)
}

// ReadRow reads one row and records it.
func ReadRow(p Process, rows Rows, st Statement, v history.RowRead) (*history.Row, error) {
	call := v
	op := p.Invoke(history.Read, &call)
	a, outcome, err := rows.Start(st).Await()
	if outcome != Answered {
		v.Error = err.Error()
		p.Answer(op, outcome.Type(), history.Read, &v)
		return nil, fmt.Errorf("read %s: %w", v.Key, err)
	}
	v.Row = a.Row.Decode()
	p.Answer(op, history.OK, history.Read, &v)
	return v.Row, nil
}
