// Package controller runs scenarios: here the workload, the nemesis, a cluster and the checker, which know little of each
// other, are put together. One run is one scenario under one arm with one seed; around it are the loops over arms and seeds,
// and the folder that a run leaves behind.
package controller

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/cluster/board"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/nemesis"
	"github.com/single-writer/chaos/scenarios"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// Version is the rig's own.
const Version = "0.1.0"

// Job is one run to do.
type Job struct {
	Scenario *scenarios.Scenario
	Arm      *persistence.Arm
	Seed     int64
	// Drawn tells that the scenario left something to the seed, which is settled in Scenario.
	Drawn bool

	// Follow is the order that the run is to come in; nil where that is left to the cluster.
	Follow Order
}

// Order is what a run is made to follow, as `chaos replay` on real servers does: it decides what a cluster else would.
type Order interface {
	// Drive is called before anything happens on the board.
	Drive(*board.Board)
	// Consumers and Moments stand between the workers and the plan, and what they wait for.
	Consumers(workload.Consumers) workload.Consumers
	Moments(*board.Board) workload.Moments
	// Due tells whether a flush or a commit of a worker is due.
	Due(process string, partition int32, what history.F) bool
	// Watch is a process of the run's, by the name of WatchedBy; it records nothing.
	Watch(workload.World)
}

// WatchedBy is the process that watches over an order.
const WatchedBy = "order"

// NewJob makes a job; what the scenario leaves to the seed is settled here.
func NewJob(s *scenarios.Scenario, arm *persistence.Arm, seed int64) Job {
	return Job{Scenario: s.Draw(seed), Arm: arm, Seed: seed, Drawn: !s.Random.None()}
}

// text is the scenario as it is run: what somebody wrote, or what the seed has drawn.
func (j Job) text() []byte {
	if len(j.Scenario.Text) == 0 {
		return j.Scenario.YAML()
	}
	return j.Scenario.Text
}

// Label says what is run.
func (j Job) Label() string {
	return fmt.Sprintf("%s under %s, seed %d", j.Scenario.Name, j.Arm.Name, j.Seed)
}

// input is the job's input: the same for every arm.
func (j Job) input() *workload.Input {
	return workload.NewInput(j.Scenario.Partitions, j.Scenario.Keys, j.Scenario.Stages, j.Seed)
}

// Header is the first line of the job's history.
func (j Job) Header(facts history.ClusterFacts) history.Header {
	requires := append([]string{}, j.Scenario.Requires...)
	if e, ok := j.Scenario.Expectation(j.Arm.Name); ok {
		requires = append(requires, e.Requires...)
	}
	return history.Header{
		Schema: history.Schema, Rig: "chaos", Version: Version, Scenario: j.Scenario.Name, Arm: j.Arm.Name,
		Guards: j.Arm.Guards, Without: j.Arm.Without, Seed: j.Seed, Cluster: facts, Input: j.input().Facts(),
		Requires: requires,
	}
}

// Execute does the job on the cluster and records it. An error is the rig's or the environment's: there is no verdict
// then, though the recorder has what happened.
func Execute(ctx context.Context, j Job, c cluster.Cluster, r history.Recorder) error {
	facts := c.Facts()
	in := j.input()
	observed := &underWay{Recorder: r}
	world, err := c.Open(ctx, cluster.Spec{
		Seed: j.Seed, Partitions: in.Partitions, Arm: j.Arm.Name, Kafka: j.Scenario.Cluster.Kafka, Cassandra: j.Scenario.Cluster.Cassandra,
	}, observed)
	var small *cluster.TooSmall
	if errors.As(err, &small) {
		return tooSmall([]*scenarios.Scenario{j.Scenario}, small.There, err)
	}
	if err != nil {
		return fmt.Errorf("open a world on the cluster: %w", err)
	}
	if j.Follow != nil {
		j.Follow.Drive(world.Board())
	}
	s := assemble(j, in, world, facts.Consistency, observed)
	if err := s.runner.Cannot(); err != nil {
		return errors.Join(err, world.Close(context.WithoutCancel(ctx)))
	}
	if err := watched(world.Board(), func() error { return world.Board().Run(history.Drain, s.run) }); err != nil {
		var stuck *StuckError
		if errors.As(err, &stuck) {
			// Its process has the baton for good: closing the world would wait for it.
			return err
		}
		return errors.Join(err, world.Close(context.WithoutCancel(ctx)))
	}
	return errors.Join(s.err, world.Close(context.WithoutCancel(ctx)))
}

// assemble puts the parts of a run together.
func assemble(j Job, in *workload.Input, w cluster.World, consistency string, ops *underWay) *script {
	b := w.Board()
	crew := &workload.Crew{
		Input: in, Arm: j.Arm, Rows: w, Consumers: w, Consistency: consistency, Configs: j.Scenario.Workers,
	}
	var looks workload.Moments = b
	if j.Follow != nil {
		crew.Consumers, crew.Due, looks = j.Follow.Consumers(w), j.Follow.Due, j.Follow.Moments(b)
	}
	observer := &workload.Observer{
		Input: in, Rows: w, Truth: w, Consistency: consistency,
		Journal: slices.ContainsFunc(j.Scenario.Workers, func(c workload.Config) bool { return c.RestoreEvents }),
	}
	sentinel := &nemesis.Sentinel{Truth: w, Crew: crew}
	runs := func(process string) bool {
		_, _, running := b.Standing(process)
		return running
	}
	return &script{
		observer: observer,
		feeder:   &workload.Feeder{Input: in, Producer: w, Moments: looks},
		runner: &nemesis.Runner{
			Plan: j.Scenario.Plan, Input: in, Crew: crew, Stage: b, Moments: looks, Truth: w, Wire: w, Servers: w, Seed: j.Seed,
			Sentinel: sentinel, Observer: observer,
		},
		sentinel: sentinel, truth: w, ends: in.Ends(), unsettled: ops.unsettled, order: j.Follow,
		busy: func() bool { return ops.busy(runs) },
	}
}
