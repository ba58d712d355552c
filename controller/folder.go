package controller

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/single-writer/chaos/history"
)

// Folder is what a run leaves behind: it explains itself, and nothing in it is half written but a history that was cut.
type Folder struct{ Path string }

// FolderName says what ran: the scenario, the arm, what it was without, the kind of cluster and the seed.
func FolderName(h history.Header) string {
	parts := []string{h.Scenario, strings.ReplaceAll(h.Arm, "/", "-")}
	for _, g := range h.Without {
		parts = append(parts, "without-"+g)
	}
	if h.Cluster.Schedule != "" {
		parts = append(parts, strings.ReplaceAll(h.Cluster.Schedule, " ", "."))
	}
	parts = append(parts, h.Cluster.Kind, fmt.Sprintf("seed-%d", h.Seed))
	return strings.Join(parts, ".")
}

// FolderExists is a run that was recorded there before: it is not written over.
type FolderExists struct{ Path string }

func (e *FolderExists) Error() string {
	return fmt.Sprintf("%s exists already; what was recorded is not written over: give another --out", e.Path)
}

// Vacant tells whether a run can be recorded inside dir, before anything is started for it.
func Vacant(dir string, h history.Header) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("look at the folder for the runs: %w", err)
	case !info.IsDir():
		return fmt.Errorf("%s is a file; --out takes a folder, which need not exist yet", dir)
	}
	path := filepath.Join(dir, FolderName(h))
	if _, err := os.Lstat(path); err == nil {
		return &FolderExists{path}
	}
	return nil
}

// newFolder makes the folder of a run inside dir.
func newFolder(dir string, h history.Header) (Folder, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return Folder{}, fmt.Errorf("make the folder of runs: %w", err)
	}
	path := filepath.Join(dir, FolderName(h))
	switch err := os.Mkdir(path, 0o755); {
	case errors.Is(err, fs.ErrExist):
		return Folder{}, &FolderExists{path}
	case err != nil:
		return Folder{}, fmt.Errorf("make the folder of the run: %w", err)
	}
	return Folder{path}, nil
}

// history makes history.jsonl and a recorder on it.
func (f Folder) history(h history.Header) (*history.File, func() error, error) {
	file, err := os.OpenFile(filepath.Join(f.Path, "history.jsonl"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, nil, fmt.Errorf("make the history: %w", err)
	}
	recorder, err := history.NewFile(file, h)
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return recorder, func() error { return errors.Join(recorder.Err(), file.Close()) }, nil
}

// Write writes a JSON document whole: under another name first, so that there is never half of it.
func (f Folder) Write(name string, document any) error {
	b, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	return f.Put(name, append(b, '\n'))
}

// Put writes a file whole.
func (f Folder) Put(name string, b []byte) error {
	path := filepath.Join(f.Path, name)
	if err := os.WriteFile(path+".part", b, 0o644); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return os.Rename(path+".part", path)
}

// RunFacts is run.json: what was asked, what ran, and how long it took.
type RunFacts struct {
	Schema  int    `json:"schema"`
	Version string `json:"version"`
	// Build is the commit that the rig was built from, where that is known.
	Build    string   `json:"build,omitempty"`
	Command  []string `json:"command"`
	Scenario string   `json:"scenario"`
	// File is what messages call the scenario's file; scenario.yaml has what was in it, or what the seed has drawn from it.
	// Digest is of that text: a file that was changed since is not what was run.
	File   string         `json:"file"`
	Drawn  bool           `json:"drawn,omitempty"`
	Digest string         `json:"digest"`
	Header history.Header `json:"header"`
	Began  time.Time      `json:"began"`
	// Ended and Seconds are of the run itself, without starting the cluster; empty while it runs.
	Ended   *time.Time `json:"ended,omitempty"`
	Seconds float64    `json:"seconds,omitempty"`
	// Error is the rig's own: then there is no verdict.
	Error string `json:"error,omitempty"`
}

// PlanFacts is plan.json: what the nemesis did, when, and the proof.
type PlanFacts struct {
	Schema int          `json:"schema"`
	Seed   int64        `json:"seed"`
	Done   []PlanAction `json:"done"`
}

// PlanAction is one action of the plan, with its times on the run's clock in nanoseconds.
type PlanAction struct {
	Fault  string `json:"fault"`
	Target string `json:"target"`
	Life   string `json:"life,omitempty"`
	Server string `json:"server,omitempty"`
	With   string `json:"with,omitempty"`
	Begin  int64  `json:"begin"`
	End    int64  `json:"end,omitempty"`
	Proof  string `json:"proof,omitempty"`
	// Line is the line of its end in the history.
	Line int `json:"line"`
}

// PlanOf reads the plan that was carried out from the history.
func PlanOf(h *history.History) PlanFacts {
	p := PlanFacts{Schema: 1, Seed: h.Header.Seed, Done: []PlanAction{}}
	for _, e := range h.Events {
		v, ok := e.Value.(*history.FaultDone)
		switch {
		case !ok:
		case v.Phase == history.PhaseBegin:
			p.Done = append(p.Done, PlanAction{Fault: v.Fault, Target: v.Target, Life: v.Life, Server: v.Server,
				With: v.With, Begin: e.Time, Line: e.Line()})
		default:
			if a := p.underWay(v); a != nil {
				a.Life, a.End, a.Proof, a.Line = v.Life, e.Time, v.Proof, e.Line()
			}
		}
	}
	return p
}

// underWay finds the action that has come to its end: actions overlap where one waits for the worker to come to it. A start
// has no life, or the one before, when it begins, so that the life tells only between several of the same fault and target.
func (p PlanFacts) underWay(v *history.FaultDone) *PlanAction {
	var found *PlanAction
	for i := range p.Done {
		a := &p.Done[i]
		switch {
		case a.End > 0 || a.Fault != v.Fault || a.Target != v.Target || a.Server != v.Server || a.With != v.With:
		case a.Life == v.Life:
			return a
		default:
			found = a
		}
	}
	return found
}
