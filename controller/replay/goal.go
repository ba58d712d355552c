package replay

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/single-writer/chaos/controller/failure"
)

// Goal is the failure of a recorded run that is looked for again: a property with the shape of its witness, and all that failed
// beside it, since what fails in another run and did not in this one is another failure.
type Goal struct {
	Property, Fingerprint string
	Failing               []string
}

// Goal finds the failure of a property in the recorded history; without a name, of the one that explore tells of first.
func (r *Recorded) Goal(property string) (Goal, error) {
	v, e := r.Judge()
	failed := failure.ByCause(v)
	if len(failed) == 0 {
		return Goal{}, &Unfit{Folder: r.Folder, Err: errors.New("no property fails in it"),
			Problem: "there is nothing to keep while it is made smaller"}
	}
	first := failed[0]
	if property == "" {
		property = told(failure.Of(r.History, v, e), v.Failing())
	}
	if property != "" {
		p, ok := v.Report().Property(property)
		if !ok || !slices.Contains(v.Failing(), property) {
			return Goal{}, fmt.Errorf("%s does not fail in %s; what does: %s", property, r.Folder,
				strings.Join(v.Failing(), ", "))
		}
		first = p
	}
	return Goal{first.Property, failure.Fingerprint(r.History, first), v.Failing()}, nil
}

// told is the failing property that explore tells of first; empty where what it tells of is none that failed: one that should be
// violated and is not, or that nobody could judge.
func told(of []failure.Failure, failing []string) string {
	for _, f := range of {
		if slices.Contains(failing, f.Property) {
			return f.Property
		}
	}
	return ""
}
