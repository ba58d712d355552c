package persistence

import (
	"slices"
	"strings"
)

// Guard is one thing that stops a stale or a repeated write. Each is named, and what it prevents is seen when a run is
// done without it.
type Guard struct {
	Name string
	// Prevents goes on from the word "prevents": "a stale owner's flush from replacing newer state".
	Prevents string
	// Of is the guard whose work this one completes: with that one gone it has nothing left to do, and taking it away as
	// well would show nothing. Empty for most.
	Of string
	// Needs is the setting of a worker without which it has nothing to do; empty for most.
	Needs Setting
}

// Setting is a way in which a worker can run, as a scenario writes it.
type Setting string

// The settings that guards need.
const (
	RestoreEvents Setting = "restore: events"
	FlushApart    Setting = "flush: apart"
)

// The guards' names.
const (
	PersistCondition = "persist-condition"
	DeleteCondition  = "delete-condition"
	TombstoneGuard   = "tombstone"
	NeverPersisted   = "never-persisted-tombstone"
	FirstWrite       = "first-write-compound"
	Repair           = "repair"
	MonotoneBuffer   = "monotone-buffer"
	TombstoneFloor   = "tombstone-floor"
	ReplayFilter     = "replay-filter"
	PersistErrors    = "persist-errors"
	SerialFlush      = "serial-flush"
	// Those of a worker that restores its keys from events.
	JournalOrder       = "journal-order"
	JournalFloorFilter = "journal-floor-filter"
	JournalFloor       = "journal-floor"
	MonotoneInit       = "monotone-init"
)

// guards are all guards, from a worker's recovery to what it makes of an answer: of snapshots, of a journal, of all writes.
var guards = []Guard{
	{ReplayFilter, "a replayed record from being folded a second time onto a state that holds it already", "", ""},
	{MonotoneBuffer, "a rightful owner's flush from falling below its own recovered offset, where it is refused for ever", "", ""},
	{TombstoneFloor, "a rightful owner's flush from falling below the tombstone that its recovery found, where it is refused for ever", TombstoneGuard, ""},
	{PersistCondition, "a stale owner's flush from replacing newer state", "", ""},
	{FirstWrite, "a stale owner that found no row from taking the one that its successor has written since", "", ""},
	{Repair, "a key whose offset cell has expired from refusing every write for ever", PersistCondition, ""},
	{DeleteCondition, "a stale owner's delete from erasing newer state", "", ""},
	{TombstoneGuard, "a stale owner's flush from bringing a deleted key back to life", "", ""},
	{NeverPersisted, "a stale owner's flush from bringing back a key that was deleted before it was ever stored", TombstoneGuard, ""},
	{JournalFloorFilter, "events that a stale owner left in the journal from being folded into the state of a later life", "", RestoreEvents},
	{JournalFloor, "a journal that comes to less than the row from taking the row's place in a recovery", "", RestoreEvents},
	{MonotoneInit, "a recovery from an old journal from lowering the floor, below which a rightful owner is refused for ever", MonotoneBuffer,
		RestoreEvents},
	{JournalOrder, "a snapshot whose events the journal lacks from being stored, after which a rightful owner is refused for ever", "", RestoreEvents},
	{SerialFlush, "a state that is folded while an older one is being stored from being taken for stored", "", FlushApart},
	{PersistErrors, "an offset from being committed beyond a state whose write has failed", "", ""},
}

// Guarded is a guard with the arms that have it.
type Guarded struct {
	Guard
	Arms []string
}

// Guards are all guards.
func Guards() []Guarded {
	out := make([]Guarded, len(guards))
	for i, g := range guards {
		out[i].Guard = g
		for _, a := range Arms() {
			if slices.Contains(a.Guards, g) {
				out[i].Arms = append(out[i].Arms, a.Name)
			}
		}
	}
	return out
}

// FindGuard gives the guard of that name.
func FindGuard(name string) (Guarded, bool) {
	all := Guards()
	i := slices.IndexFunc(all, func(g Guarded) bool { return g.Name == name })
	if i < 0 {
		return Guarded{}, false
	}
	return all[i], true
}

func guardNames(gs []Guard) string {
	names := make([]string, len(gs))
	for i, g := range gs {
		names[i] = g.Name
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
