package main

import (
	"context"
	"fmt"

	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/controller/replay"
	"github.com/single-writer/chaos/reports"
)

// redrive does a recorded run on real servers, in its order.
func (c *cli) redrive(ctx context.Context, folder string, f replayFlags) error {
	r, err := replay.Open(folder)
	if err != nil {
		return err
	}
	q, err := c.request(folder, f.clusterFlags)
	if err != nil {
		return err
	}
	q.Out, q.Again = f.out, "chaos replay "+reports.Word(r.Folder)+f.again()
	done, err := replay.Redrive(ctx, replay.Redriving{Run: r, Slower: f.slower, Property: f.property, Request: q})
	if err != nil {
		return err
	}
	c.exit = done.Exit()
	if c.json {
		c.print(redrivenDocument{
			Schema: 1, Of: r.Folder, Scenario: r.Job.Scenario.Name, Arm: r.Job.Arm.Name, Without: append([]string{}, r.Job.Arm.Without...),
			Seed: r.Job.Seed, Redriven: done, Folder: done.Run.Folder, Seconds: done.Run.Took.Seconds(), Verdict: done.Run.Verdict, Exit: c.exit,
		})
		return nil
	}
	arm := reports.Run{Arm: r.Job.Arm.Name, Without: r.Job.Arm.Without}
	told := reports.Redriven{
		What: fmt.Sprintf("%s · %s · %s · seed %d", r.Job.Scenario.Name, arm.Label(), reports.ClusterLabel(done.Cluster), r.Job.Seed),
		Of:   r.Folder, Property: done.Property, Confirmed: done.Confirmed, Unproven: done.Unproven, Sentence: done.Run.Verdict.Properties[done.Property].Summary,
		Driven: done.Driven, Events: done.Of, Slower: done.Slower, Took: done.Run.Took, Folder: done.Run.Folder,
	}
	if u := done.Undriven; u != nil {
		told.Line, told.Recorded, told.Came, told.Why = u.Line, u.Recorded, u.Came, u.Why
	}
	for _, j := range done.Judged {
		told.Judged = append(told.Judged, fmt.Sprintf("%s was %s and is %s", j.Property, j.Recorded, j.Here))
	}
	reports.Redrove(c.out, told)
	return c.finish(nil)
}

// again is the part of a command line that asks for the same: the cluster, how slow, and what is to be confirmed.
func (f replayFlags) again() string {
	text := f.clusterFlags.again()
	if f.slower != slower {
		text += fmt.Sprintf(" --slower %d", f.slower)
	}
	if f.property != "" {
		text += " --property " + reports.Word(f.property)
	}
	return text
}

// redrivenDocument is what `chaos replay --cluster containers --json` prints.
type redrivenDocument struct {
	Schema int `json:"schema"`
	// Of is the folder of the recorded run, Folder that of the new one.
	Of       string   `json:"of"`
	Scenario string   `json:"scenario"`
	Arm      string   `json:"arm"`
	Without  []string `json:"without"`
	Seed     int64    `json:"seed"`
	*replay.Redriven
	Folder  string             `json:"folder"`
	Seconds float64            `json:"seconds"`
	Verdict controller.Verdict `json:"verdict"`
	Exit    int                `json:"exit"`
}
