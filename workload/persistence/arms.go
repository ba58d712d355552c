package persistence

import (
	"fmt"
	"slices"
	"strings"

	"github.com/single-writer/chaos/history"
)

// ArmInfo is an arm as the command line lists it, with how it writes.
type ArmInfo struct {
	Name, About string
	Guards      []Guard
	writes
}

// writes says which of an arm's writes are conditional: its persists, its deletes. Deletes that are not are plain, and leave
// nothing.
type writes struct{ persists, deletes bool }

// The arms' names.
const (
	CassandraLWW        = "cassandra/lww"
	CassandraCASPersist = "cassandra/cas-persist"
	CassandraCAS        = "cassandra/cas"
)

// Arms are all arms.
func Arms() []ArmInfo {
	return []ArmInfo{
		{CassandraLWW, "plain UPDATE and DELETE: the greater timestamp wins, whoever wrote it",
			pick(ReplayFilter, SerialFlush, PersistErrors), writes{}},
		{CassandraCASPersist, "every persist conditional on the stored offset; a delete is plain and leaves nothing",
			pick(ReplayFilter, PersistCondition, FirstWrite, Repair, SerialFlush, PersistErrors), writes{persists: true}},
		{CassandraCAS, "every persist and delete conditional on the stored offset; a delete leaves a tombstone with its offset",
			guards, writes{persists: true, deletes: true}},
	}
}

func pick(names ...string) []Guard {
	var out []Guard
	for _, g := range guards {
		if slices.Contains(names, g.Name) {
			out = append(out, g)
		}
	}
	return out
}

// ArmNames are the names of all arms.
func ArmNames() []string {
	var names []string
	for _, a := range Arms() {
		names = append(names, a.Name)
	}
	return names
}

// Arm is how a worker keeps its snapshots: the strategy and the guards that it has in this run.
type Arm struct {
	Name string
	// Guards are those present, Without those taken from it.
	Guards, Without []string
	writes
	has map[string]bool
}

// NewArm makes an arm without some of its guards. The error says which arms or guards there are.
func NewArm(name string, without []string) (*Arm, error) {
	all := Arms()
	i := slices.IndexFunc(all, func(a ArmInfo) bool { return a.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("no arm is called %q; there are: %s", name, strings.Join(ArmNames(), ", "))
	}
	a := &Arm{Name: name, Guards: []string{}, Without: []string{}, writes: all[i].writes, has: map[string]bool{}}
	if err := all[i].spares(without); err != nil {
		return nil, err
	}
	for _, g := range all[i].Guards {
		if slices.Contains(without, g.Name) {
			a.Without = append(a.Without, g.Name)
			continue
		}
		a.Guards, a.has[g.Name] = append(a.Guards, g.Name), true
	}
	return a, nil
}

// spares tells why the arm cannot be run without those guards: it has no such one, or with one of them gone another has
// nothing to do, so that the run could not tell what it was for.
func (a ArmInfo) spares(without []string) error {
	for n, name := range without {
		i := slices.IndexFunc(a.Guards, func(g Guard) bool { return g.Name == name })
		switch {
		case i < 0:
			return fmt.Errorf("%s has no guard %q; its guards: %s", a.Name, name, guardNames(a.Guards))
		case slices.Contains(without[:n], name):
			return fmt.Errorf("the guard %s is taken away twice; once is enough", name)
		case slices.Contains(without, a.Guards[i].Of):
			return fmt.Errorf("%s has nothing to do without %s, so that a run without both shows no more than one without %[2]s: "+
				"leave out one of the two", name, a.Guards[i].Of)
		}
	}
	return nil
}

// Has tells whether the arm has the guard in this run.
func (a *Arm) Has(guard string) bool { return a.has[guard] }

// conditional tells whether the arm's persists, or its deletes, ask the row before they change it. What does not ask is
// plain, and carries the client's timestamp.
func (a *Arm) conditional(f history.F) bool {
	if f == history.Delete {
		return a.deletes
	}
	return a.persists
}

// fenced tells whether deletes too leave an offset behind that refuses what is older: then the row says from where on a
// journal counts.
func (a *Arm) fenced() bool { return a.persists && a.deletes }

// strategy is how the arm persists, or deletes.
func (a *Arm) strategy(f history.F) func(*compound) error {
	switch {
	case f == history.Delete && a.conditional(f):
		return casDelete
	case f == history.Delete:
		return plainDelete
	case a.conditional(f):
		return casPersist
	}
	return plainPersist
}
