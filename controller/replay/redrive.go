package replay

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/controller/failure"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/scenarios"
)

// Redriving is what `chaos replay --cluster containers` was asked to do: a recorded run once more on other servers, in its order.
type Redriving struct {
	Run *Recorded
	// Slower is how many times as long the scenario's times are: in the simulator a message takes two milliseconds at most.
	Slower int
	// Property is the one to be confirmed; empty is the one that failed first.
	Property string
	// Request says where it is recorded, by which command, and how the cluster is opened; it names no scenario.
	controller.Request
}

// Redriven is what came of it.
type Redriven struct {
	// Property is what failed by Fingerprint in the recorded run; empty where nothing did. Confirmed tells that the same came of
	// it here: that it fails in the same way, or that all held here too, in the recorded order to the end.
	Property    string `json:"property,omitempty"`
	Fingerprint string `json:"fingerprint,omitempty"`
	Confirmed   bool   `json:"confirmed"`
	// Unproven is why a run in which nothing failed is not confirmed.
	Unproven string `json:"unproven,omitempty"`
	// Driven is how many of Of events came in the recorded order, Undriven the first that did not.
	Driven   int       `json:"driven"`
	Of       int       `json:"events"`
	Undriven *Undriven `json:"undriven,omitempty"`
	// Judged are the properties that came out otherwise, with both verdicts.
	Judged []Judged `json:"judged"`
	Slower int      `json:"slower"`

	Run     controller.Run       `json:"-"`
	Cluster history.ClusterFacts `json:"-"`
}

// Exit is the exit code.
func (r *Redriven) Exit() int {
	if r.Confirmed {
		return controller.ExitExpected
	}
	return controller.ExitDeviates
}

// Redrive does a recorded run once more, in its order, and compares what came of it. In the folder of the run that it records
// lies redriven.json.
func Redrive(ctx context.Context, q Redriving) (*Redriven, error) {
	if q.Slower < 1 {
		return nil, &controller.Usage{Err: fmt.Errorf("a run can be 1 time as slow and more, not %d", q.Slower)}
	}
	if q.Out == "" {
		q.Out = filepath.Join("runs", time.Now().UTC().Format("20060102T150405.000"))
	}
	j := q.Run.Job
	j.Scenario, j.Drawn = j.Scenario.Slower(q.Slower), false
	if err := controller.Vacant(q.Out, j.Header(history.ClusterFacts{Kind: q.Kind})); err != nil {
		return nil, &controller.Usage{Err: err}
	}
	recorded, e := q.Run.Judge()
	out := &Redriven{Slower: q.Slower, Judged: []Judged{}}
	if goal, err := q.Run.Goal(q.Property); err == nil {
		out.Property, out.Fingerprint = goal.Property, goal.Fingerprint
	} else if q.Property != "" || len(recorded.Failing()) > 0 {
		return nil, &controller.Usage{Err: err}
	}
	return out, controller.OnCluster(ctx, q.Open, []*scenarios.Scenario{j.Scenario}, func(c cluster.Cluster) error {
		out.Cluster = c.Facts()
		o := newOrder(q.Run.History, q.Slower)
		j.Follow = o
		q.Progress(fmt.Sprintf("%s, in the order of %s", j.Label(), q.Run.Folder))
		again := q.Request
		again.Replays = true
		r, err := again.One(ctx, j, c)
		if err != nil {
			return err
		}
		out.Run, out.Driven, out.Of, out.Undriven = r, o.cursor, len(o.wanted), o.undriven
		out.compare(recorded, controller.Judge(r.History, e))
		return controller.Folder{Path: r.Folder}.Write("redriven.json", out)
	})
}

// compare holds what came of it against what was recorded.
func (r *Redriven) compare(recorded, here controller.Verdict) {
	if r.Property == "" {
		r.Unproven = r.unproven(recorded, here)
		r.Confirmed = r.Unproven == ""
	}
	for _, p := range here.Report().Properties {
		was, _ := recorded.Report().Property(p.Property)
		if was.Verdict != p.Verdict {
			r.Judged = append(r.Judged, Judged{p.Property, was.Verdict, p.Verdict})
		}
		if p.Property == r.Property && p.Verdict == checker.Fail {
			r.Confirmed = failure.Fingerprint(r.Run.History, p) == r.Fingerprint
		}
	}
}

// unproven says why the run shows nothing of one in which nothing failed; nothing where it shows that all holds here
// too. Unlike a failure, which is one however it came about, what holds was put to the test only if the order was kept
// to the end, and what nobody could judge did not hold.
func (r *Redriven) unproven(recorded, here controller.Verdict) string {
	switch {
	case recorded.Verdict != checker.Pass:
		return fmt.Sprintf("the recorded run is %s: %s", recorded.Verdict, recorded.Summary)
	case here.Verdict != checker.Pass:
		return fmt.Sprintf("here it is %s: %s", here.Verdict, here.Summary)
	case r.Driven < r.Of:
		return "the order was not kept to the end, so that what was put to the test may be something else"
	}
	return ""
}
