// Package replay does recorded runs again: in the simulator line by line, and on other servers in the order in which they were
// recorded.
package replay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/nemesis"
	"github.com/single-writer/chaos/scenarios"
	"github.com/single-writer/chaos/workload/persistence"
)

// Recorded is a run as its folder has it, with the job that does it again.
type Recorded struct {
	Folder  string
	Facts   controller.RunFacts
	Job     controller.Job
	History *history.History
	// Verdict is what was said of it; nil where the rig failed, or was killed, before it said anything.
	Verdict *controller.Verdict

	// lines are those of history.jsonl.
	lines [][]byte
}

// Unfit is a folder that is no run that this rig can do again: what is wrong, and what can be done.
type Unfit struct {
	Folder, Problem, Hint string
	Err                   error
}

func (u *Unfit) Unwrap() error { return u.Err }
func (u *Unfit) Error() string {
	s := u.Folder + " cannot be replayed: " + u.Problem
	if u.Err != nil {
		s += ": " + u.Err.Error()
	}
	if u.Hint != "" {
		s += "\n  " + u.Hint
	}
	return s
}

// Open reads the folder of a run, and refuses what does not fit together, or does not fit this rig. Its error is a
// *controller.Usage.
func Open(path string) (*Recorded, error) {
	r := &Recorded{Folder: filepath.Clean(path)}
	for _, read := range []func() *Unfit{r.isFolder, r.readFacts, r.readHistory, r.readScenario, r.readPlan, r.readVerdict} {
		if bad := read(); bad != nil {
			bad.Folder = r.Folder
			return nil, &controller.Usage{Err: bad}
		}
	}
	return r, nil
}

func (r *Recorded) isFolder() *Unfit {
	info, err := os.Stat(r.Folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Unfit{Problem: "there is no such folder", Hint: "chaos run says at its end where it recorded"}
	case err != nil:
		return &Unfit{Problem: "it cannot be looked at", Err: err}
	case !info.IsDir():
		return &Unfit{Problem: "it is a file", Hint: "the folder that a run has recorded is replayed: " +
			filepath.Dir(r.Folder)}
	}
	if _, err := os.Stat(filepath.Join(r.Folder, "run.json")); err == nil {
		return nil
	}
	for _, inside := range []string{"*/run.json", "*/*/run.json"} {
		if runs, err := filepath.Glob(filepath.Join(r.Folder, inside)); err == nil && len(runs) > 0 {
			return &Unfit{Problem: fmt.Sprintf("it has %d runs in it, each in a folder of its own", len(runs)),
				Hint: "chaos replay " + filepath.Dir(runs[0])}
		}
	}
	return &Unfit{Problem: "there is no run.json in it, so that nobody knows what was run",
		Hint: "the folder of a run has run.json, scenario.yaml and history.jsonl"}
}

// decode reads a JSON document of the folder.
func (r *Recorded) decode(name string, into any) *Unfit {
	b, err := os.ReadFile(filepath.Join(r.Folder, name))
	if err == nil {
		err = json.Unmarshal(b, into)
	}
	if err != nil {
		return &Unfit{Problem: name + " cannot be read", Err: err}
	}
	return nil
}

func (r *Recorded) readFacts() *Unfit {
	if bad := r.decode("run.json", &r.Facts); bad != nil {
		return bad
	}
	switch f := r.Facts; {
	case f.Schema != 1:
		return &Unfit{Problem: fmt.Sprintf("run.json has schema %d, and this version of the rig (%s) reads 1", f.Schema,
			controller.Version)}
	case f.Digest == "":
		return &Unfit{Problem: "it was recorded by a version of the rig that did not keep the scenario's text, which may be another by now",
			Hint: "its command does it again with the scenario of today: " + strings.Join(f.Command, " ")}
	}
	return nil
}

func (r *Recorded) readHistory() *Unfit {
	name := filepath.Join(r.Folder, "history.jsonl")
	b, err := os.ReadFile(name)
	if err != nil {
		return &Unfit{Problem: "history.jsonl cannot be read", Err: err}
	}
	h, err := history.ReadFrom(name, bytes.NewReader(b))
	if err != nil {
		return &Unfit{Problem: "its history is broken", Err: err}
	}
	r.History, r.lines = h, bytes.SplitAfter(b, []byte("\n"))
	r.lines = r.lines[:len(h.Events)+1] // without a torn last line, and what is behind the last line end
	if !reflect.DeepEqual(plain(h.Header), plain(r.Facts.Header)) {
		return &Unfit{Problem: fmt.Sprintf("history.jsonl is of another run than run.json: of %s, and not of %s",
			headed(h.Header), headed(r.Facts.Header))}
	}
	return nil
}

// headed says what a header is of.
func headed(h history.Header) string {
	return fmt.Sprintf("%s under %s without %v, seed %d, on %s", h.Scenario, h.Arm, h.Without, h.Seed, h.Cluster.Kind)
}

// plain makes no difference between no list and an empty one.
func plain(h history.Header) history.Header {
	for _, list := range []*[]string{&h.Guards, &h.Without, &h.Requires, &h.Input.Keys} {
		if len(*list) == 0 {
			*list = nil
		}
	}
	return h
}

// readScenario makes the job of the scenario as it was run, whatever the catalogue has under its name by now.
func (r *Recorded) readScenario() *Unfit {
	text, err := os.ReadFile(filepath.Join(r.Folder, "scenario.yaml"))
	if err != nil {
		return &Unfit{Problem: "scenario.yaml cannot be read", Err: err}
	}
	if controller.Digest(text) != r.Facts.Digest {
		return &Unfit{Problem: "scenario.yaml was changed after the run",
			Hint: "chaos run " + filepath.Join(r.Folder, "scenario.yaml") + " runs what it says now"}
	}
	s, err := scenarios.Parse(r.Facts.File, text, controller.Vocabulary())
	if err != nil {
		return &Unfit{Problem: fmt.Sprintf("version %s of the rig, by which it was recorded, understood its scenario, and this (%s) does not",
			r.named(), thisRig()), Err: err}
	}
	if r.Facts.Drawn {
		s = s.Placeless()
	}
	h := r.History.Header
	arm, err := persistence.NewArm(h.Arm, h.Without)
	if err != nil {
		return &Unfit{Problem: "its arm is none of this version of the rig", Err: err}
	}
	if _, ok := s.Expectation(h.Arm); !ok || s.Name != h.Scenario {
		return &Unfit{Problem: fmt.Sprintf("scenario.yaml is %s, which states something of %s, and the history is of %s under %s", s.Name,
			strings.Join(s.Arms(), ", "), h.Scenario, h.Arm)}
	}
	r.Job = controller.Job{Scenario: s, Arm: arm, Seed: h.Seed, Drawn: r.Facts.Drawn}
	if got := r.Job.Header(h.Cluster); !reflect.DeepEqual(plain(got).Input, plain(h).Input) {
		return &Unfit{Problem: fmt.Sprintf("scenario.yaml has %d partitions, %d keys and %d events, and the history %d, %d and %d",
			got.Input.Partitions, len(got.Input.Keys), got.Input.Events, h.Input.Partitions, len(h.Input.Keys),
			h.Input.Events)}
	}
	return nil
}

// readPlan holds plan.json, what was done, against the history that it was taken from. A killed rig has left none.
func (r *Recorded) readPlan() *Unfit {
	var p controller.PlanFacts
	if _, err := os.Stat(filepath.Join(r.Folder, "plan.json")); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if bad := r.decode("plan.json", &p); bad != nil {
		return bad
	}
	if !reflect.DeepEqual(p, controller.PlanOf(r.History)) {
		return &Unfit{Problem: "plan.json is of another run than history.jsonl: it does not have what was done in it"}
	}
	for _, a := range p.Done {
		if !isFault(a.Fault) {
			return &Unfit{Problem: fmt.Sprintf("its plan has done %s, which is no fault of this version of the rig",
				a.Fault)}
		}
	}
	return nil
}

func isFault(name string) bool {
	for _, f := range append(nemesis.FaultNames(), history.LostRequest, history.LostAnswer) {
		if f == name {
			return true
		}
	}
	return false
}

func (r *Recorded) readVerdict() *Unfit {
	if _, err := os.Stat(filepath.Join(r.Folder, "verdict.json")); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	r.Verdict = &controller.Verdict{}
	if bad := r.decode("verdict.json", r.Verdict); bad != nil {
		return bad
	}
	if r.Verdict.Scenario != r.History.Header.Scenario || r.Verdict.Arm != r.History.Header.Arm ||
		r.Verdict.Seed != r.History.Header.Seed {
		return &Unfit{Problem: "verdict.json is of another run than history.jsonl"}
	}
	return nil
}

// Judge judges the recorded history by what its scenario states.
func (r *Recorded) Judge() (controller.Verdict, scenarios.Expectation) {
	e, _ := r.Job.Scenario.Expectation(r.Job.Arm.Name)
	return controller.Judge(r.History, e), e
}

// named is the rig that recorded the run, thisRig the one that runs.
func (r *Recorded) named() string { return rig(r.Facts.Version, r.Facts.Build) }
func thisRig() string             { return rig(controller.Version, controller.Build()) }

func rig(version, build string) string {
	if build == "" {
		return version
	}
	return version + ", build " + build
}
