package reports

import (
	"slices"
	"strings"
	"time"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/measures"
)

// ComparisonSchema is the version of compare.json.
const ComparisonSchema = 1

// Comparison is what came of one scenario under several arms, with the same seeds, inputs and plan. It is what
// compare.json holds.
type Comparison struct {
	Schema   int                  `json:"schema"`
	Scenario string               `json:"scenario"`
	Cluster  history.ClusterFacts `json:"cluster"`
	Seeds    []int64              `json:"seeds"`
	Seconds  float64              `json:"seconds"`
	Exit     int                  `json:"exit"`
	// Error is the rig's own, after the runs that are listed.
	Error string `json:"error,omitempty"`
	// Arms are in the order in which they were asked for, Runs in that in which they were done.
	Arms []ComparedArm `json:"arms"`
	Runs []ComparedRun `json:"runs"`

	batch Batch
}

// ComparedArm is what all runs under one arm came to.
type ComparedArm struct {
	Arm  string `json:"arm"`
	Runs int    `json:"runs"`
	// Corrupted is how many runs broke a property, AsStated how many came out as the scenario states.
	Corrupted int `json:"corrupted"`
	AsStated  int `json:"as_stated"`
	// Properties are how many runs gave each verdict, by property.
	Properties map[string]map[checker.Verdict]int `json:"properties"`
	// Late is what came of the writes and commits of members that had lost their partition, Owners what was refused to, or
	// held back by, rightful owners.
	Late     map[checker.Fate]int `json:"late"`
	Owners   map[checker.Fate]int `json:"owners"`
	Unknowns Settled              `json:"unknowns"`
	Measures measures.Run         `json:"measures"`
	// Versus is the arm that the ratios are to. Throughput is how many rounds of a write and its commit this arm does in the
	// time in which that one does one, WriteTime how long a write takes against one of that arm's, both by medians; 0 where
	// nothing was measured.
	Versus     string  `json:"versus"`
	Throughput float64 `json:"throughput"`
	WriteTime  float64 `json:"write_time"`
}

// Settled is how many operations ended unknown, and what became known of them.
type Settled struct {
	Operations   int `json:"operations"`
	Seen         int `json:"seen"`
	NeverSeen    int `json:"never_seen"`
	StillUnknown int `json:"still_unknown"`
}

// ComparedRun is one run, in its folder.
type ComparedRun struct {
	Folder   string          `json:"folder"`
	Arm      string          `json:"arm"`
	Seed     int64           `json:"seed"`
	Verdict  checker.Verdict `json:"verdict"`
	AsStated bool            `json:"as_stated"`
	Measures measures.Run    `json:"measures"`
}

// Compare puts the runs of a batch side by side, arm by arm.
func Compare(b Batch) Comparison {
	c := Comparison{
		Schema: ComparisonSchema, Scenario: b.Scenario, Seconds: b.Took.Seconds(), Error: b.Broken, Seeds: []int64{},
		Arms: []ComparedArm{}, Runs: []ComparedRun{}, batch: b,
	}
	for _, r := range b.Runs {
		h := r.History.Header
		c.Cluster = h.Cluster
		if !slices.Contains(c.Seeds, h.Seed) {
			c.Seeds = append(c.Seeds, h.Seed)
		}
		m := r.measures()
		c.Runs = append(c.Runs, ComparedRun{
			Folder: r.Folder, Arm: r.Arm, Seed: h.Seed, Verdict: r.Report.Verdict, AsStated: r.Expected, Measures: m,
		})
		c.arm(r.Arm).add(r, m)
	}
	for i := range c.Arms {
		c.Arms[i].against(c.reference(c.Arms[i].Arm))
	}
	return c
}

// arm gives the arm of that name, new where it is the first run of it.
func (c *Comparison) arm(name string) *ComparedArm {
	i := slices.IndexFunc(c.Arms, func(a ComparedArm) bool { return a.Arm == name })
	if i < 0 {
		i = len(c.Arms)
		c.Arms = append(c.Arms, ComparedArm{
			Arm: name, Properties: map[string]map[checker.Verdict]int{}, Late: map[checker.Fate]int{},
			Owners: map[checker.Fate]int{},
		})
	}
	return &c.Arms[i]
}

func (a *ComparedArm) add(r Run, m measures.Run) {
	a.Runs++
	if r.Report.Verdict == checker.Fail {
		a.Corrupted++
	}
	if r.Expected {
		a.AsStated++
	}
	for _, p := range r.Report.Properties {
		if a.Properties[p.Property] == nil {
			a.Properties[p.Property] = map[checker.Verdict]int{}
		}
		a.Properties[p.Property][p.Verdict]++
	}
	for o, n := range r.Report.Audit.Counts {
		a.Late[o] += n
	}
	for o, n := range r.Report.Audit.Owners {
		a.Owners[o] += n
	}
	u := r.Report.Unknowns
	a.Unknowns.Operations += u.Operations
	a.Unknowns.Seen += u.Seen
	a.Unknowns.NeverSeen += u.NeverSeen
	a.Unknowns.StillUnknown += u.StillUnknown
	a.Measures.Add(m)
}

// reference is the arm that another is held against: the last-write-wins arm of the same store, or else the first.
func (c *Comparison) reference(arm string) ComparedArm {
	store, _, _ := strings.Cut(arm, "/")
	i := slices.IndexFunc(c.Arms, func(a ComparedArm) bool { return a.Arm == store+"/lww" })
	return c.Arms[max(i, 0)]
}

func (a *ComparedArm) against(ref ComparedArm) {
	a.Versus = ref.Arm
	a.Throughput = ratio(ref.Measures.Round(), a.Measures.Round())
	a.WriteTime = ratio(a.Measures.Write.Quantile(50), ref.Measures.Write.Quantile(50))
}

func ratio(a, b time.Duration) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}
