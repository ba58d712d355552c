package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/history"
)

// Replayed is what came of doing a recorded run again in the simulator.
type Replayed struct {
	*Recorded
	// Times is how often it was done, up to the first that was not the same.
	Times int
	// Lines are the lines that were recorded, the header with them.
	Lines int
	// Difference is the first line that is not the same; nil when all are.
	Difference *Difference
	// Failure is the error by which the rig ended the run, now; it is nothing new where the recorded one ended so too.
	Failure error
	// Said is what a history of the same bytes is judged by otherwise than it was.
	Said []Judged
}

// Difference is the first line in which a run is not as recorded.
type Difference struct {
	Line int `json:"line"`
	// Recorded and Here are the two lines; empty where one has come to its end.
	Recorded string `json:"recorded"`
	Here     string `json:"here"`
	// In are the fields of the two that differ, Means what that tells.
	In    []string `json:"in,omitempty"`
	Means string   `json:"means"`
}

// Judged is a property whose verdict is another than was recorded.
type Judged struct {
	Property string          `json:"property"`
	Recorded checker.Verdict `json:"recorded"`
	Here     checker.Verdict `json:"here"`
}

// Exit is the exit code.
func (r *Replayed) Exit() int {
	if r.Difference != nil || len(r.Said) > 0 {
		return controller.ExitDeviates
	}
	return controller.ExitExpected
}

// Replay does a recorded run again, so many times, on a simulator that has the same facts, and compares every line. A run that
// was cut is compared as far as it goes.
func Replay(ctx context.Context, r *Recorded, on cluster.Cluster, times int) (*Replayed, error) {
	if err := r.replayableOn(on.Facts()); err != nil {
		return nil, &controller.Usage{Err: err}
	}
	out := &Replayed{Recorded: r, Lines: len(r.lines)}
	for out.Times < times && out.Difference == nil {
		m := history.NewMemory(r.Job.Header(on.Facts()))
		out.Failure = controller.Execute(ctx, r.Job, on, m)
		if ctx.Err() != nil {
			return out, fmt.Errorf("replay %s: %w", r.Folder, context.Cause(ctx))
		}
		out.Times++
		var err error
		if out.Difference, err = r.compare(&m.History); err != nil {
			return out, err
		}
		if out.Difference == nil && out.Times == 1 && r.History.Ended() {
			e, _ := r.Job.Scenario.Expectation(r.Job.Arm.Name)
			out.Said = r.judgedOtherwise(controller.Judge(&m.History, e))
		}
	}
	return out, nil
}

// replayableOn tells why a run cannot be done again on a simulator with these facts.
func (r *Recorded) replayableOn(facts history.ClusterFacts) error {
	was := r.History.Header.Cluster
	switch {
	case was.Kind != facts.Kind:
		return &Unfit{Folder: r.Folder,
			Problem: fmt.Sprintf("it was recorded on %s, where servers and clocks decide what comes first, so that no simulator does it line by line", was.Kind),
			Hint: fmt.Sprintf("chaos run %s/scenario.yaml --arm %s --seed %d runs its plan in the simulator",
				r.Folder, r.Job.Arm.Name, r.Job.Seed)}
	case was != facts:
		return &Unfit{Folder: r.Folder, Problem: fmt.Sprintf("it was recorded in the simulator of the rig %s as %+v, and this one (%s) would be %+v",
			r.named(), was, thisRig(), facts)}
	}
	return nil
}

// compare finds the first line that differs. That the rig has another version is said and not compared.
func (r *Recorded) compare(h *history.History) (*Difference, error) {
	lines, err := linesOf(h, r.History.Header.Version)
	if err != nil {
		return nil, err
	}
	line := func(of [][]byte, i int) []byte {
		if i < len(of) {
			return of[i]
		}
		return nil
	}
	all := max(len(lines), len(r.lines))
	if !r.History.Ended() {
		all = len(r.lines)
	}
	for i := range all {
		if was, is := line(r.lines, i), line(lines, i); !bytes.Equal(was, is) {
			return r.difference(i+1, was, is), nil
		}
	}
	return nil, nil
}

// linesOf are the lines of a history's file, as a rig of that version writes them.
func linesOf(h *history.History, version string) ([][]byte, error) {
	header := h.Header
	header.Version = version
	line, err := history.AppendHeader(nil, header)
	lines := [][]byte{line}
	for _, e := range h.Events {
		if err != nil {
			return nil, fmt.Errorf("write the history: %w", err)
		}
		line, err = history.AppendLine(nil, e)
		lines = append(lines, line)
	}
	return lines, err
}

func (r *Recorded) difference(line int, was, is []byte) *Difference {
	d := &Difference{Line: line, Recorded: strings.TrimSpace(string(was)), Here: strings.TrimSpace(string(is)), Means: r.means()}
	var a, b map[string]json.RawMessage
	if json.Unmarshal(was, &a) != nil || json.Unmarshal(is, &b) != nil {
		return d
	}
	for name := range a {
		if !bytes.Equal(a[name], b[name]) {
			d.In = append(d.In, name)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			d.In = append(d.In, name)
		}
	}
	slices.Sort(d.In)
	return d
}

// means says what a difference tells. A simulated run is decided by its seed, its scenario and the rig: the first two are the
// same.
func (r *Recorded) means() string {
	was, is := r.named(), thisRig()
	switch {
	case was != is:
		return fmt.Sprintf("it was recorded by another rig (%s) than this one (%s), which draws or does something else", was, is)
	case r.Facts.Build == "":
		return fmt.Sprintf("both rigs are of version %s, and nobody knows of which build: if it is the same, a seed has given two histories, "+
			"which is a defect of the rig, or history.jsonl was changed after the run", was)
	}
	return fmt.Sprintf("both are by the same rig (%s): a seed has given two histories, which is a defect of the rig, or history.jsonl was "+
		"changed after the run", was)
}

// judgedOtherwise lists the properties that the checker says something else of than was recorded.
func (r *Recorded) judgedOtherwise(v controller.Verdict) (out []Judged) {
	if r.Verdict == nil {
		return nil
	}
	for _, p := range v.Report().Properties {
		if was, ok := r.Verdict.Properties[p.Property]; !ok || was.Verdict != p.Verdict {
			out = append(out, Judged{p.Property, was.Verdict, p.Verdict})
		}
	}
	return out
}
