package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/cluster/clients"
	"github.com/single-writer/chaos/cluster/containers"
	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/internal/nearest"
	"github.com/single-writer/chaos/reports"
)

// clusterFlags say which cluster a command does its runs on.
type clusterFlags struct {
	cluster string
	containerFlags
	simFlags
}

// simFlags are those that only the simulator has.
type simFlags struct {
	strategy string
	loss     float64
	replicas int
	skew     time.Duration
	only     string
}

// plainSim are these flags where none is given.
var plainSim = simFlags{strategy: sim.Walk}

// containerFlags are those that only real servers have.
type containerFlags struct {
	kafka, cassandra string
	keyspace         string
	keep, cold       bool
	driver           clients.Driver
}

func (f *clusterFlags) add(flags *pflag.FlagSet) {
	f.addServers(flags)
	flags.StringVar(&f.strategy, "strategy", sim.Walk, "`HOW` the simulator draws a schedule: walk, pct")
	f.addFaults(flags)
	flags.StringVar(&f.only, "decisions", "", "the `NUMBERS` of the decisions of a schedule that are the seed's, as 3-40,77 or none, where chaos shrink says so (default: all)")
}

// addServers adds those of a command that draws no schedules.
func (f *clusterFlags) addServers(flags *pflag.FlagSet) {
	f.simFlags = plainSim
	flags.StringVar(&f.cluster, "cluster", "sim", "the `KIND` of cluster to run on: sim, containers")
	f.addImages(flags)
	flags.StringVar(&f.keyspace, "keyspace", "", "`NAME` of a keyspace to make for the rows and to leave there (default: one that goes)")
	flags.BoolVar(&f.keep, "keep", false, "leave the servers that this starts as a warm cluster for the next run")
	flags.BoolVar(&f.cold, "cold", false, "start servers also when a warm cluster is up")
	flags.StringVar(&f.driver.Name, "driver", "", "the client `LIBRARY` for Cassandra of --cluster containers: gocql2 (the default), gocql1")
	flags.IntVar(&f.driver.Retries, "retries", 0, "let that library send a statement again up to `N` times after an error, as it sees fit")
	flags.DurationVar(&f.driver.Pause, "retry-pause", 0, "the `TIME` that it waits before each of them")
}

func (f *simFlags) addFaults(flags *pflag.FlagSet) {
	flags.Float64Var(&f.loss, "loss", 0, "the `PART` of the workers' messages that the simulator loses each way, from 0 to 0.5; between replicas too")
	flags.IntVar(&f.replicas, "replicas", plainSim.replicas, "how many nodes `N` the simulated Cassandra has, each with all rows: 1 to 5 (default: as the scenario says)")
	flags.DurationVar(&f.skew, "skew", 0, "the most `TIME` that the clock of a node of the simulated Cassandra is ahead or behind")
}

// simulated gives the simulator.
func (f simFlags) simulated() (cluster.Cluster, error) {
	if !slices.Contains(sim.Strategies(), f.strategy) {
		return nil, mistake("no strategy is called %q%s; there are: %s", f.strategy, nearest.Hint(f.strategy, sim.Strategies()),
			strings.Join(sim.Strategies(), ", "))
	}
	if !(f.loss >= 0 && f.loss <= 0.5) {
		return nil, mistake("--loss takes a number from 0 to 0.5, not %g", f.loss)
	}
	if f.replicas < 0 || f.replicas > sim.MaxReplicas {
		return nil, mistake("--replicas takes a number from 1 to %d, not %d", sim.MaxReplicas, f.replicas)
	}
	if f.skew < 0 || f.skew > sim.MaxSkew {
		return nil, mistake("--skew takes a time from 0s to %s, not %s", sim.MaxSkew, f.skew)
	}
	if f.only != "" && (f.replicas > 1 || f.skew > 0) {
		return nil, mistake("--decisions does not go with --replicas above 1, nor with --skew: what the nodes of the store lose, who of them\n" +
			"  coordinates and how wrong their clocks are is the seed's, whatever decisions are left to it")
	}
	c := sim.Cluster{Strategy: f.strategy, Loss: f.loss, Replicas: f.replicas, Skew: f.skew, Only: f.only}
	if _, err := sim.Scheduled(c.Facts().Schedule); err != nil {
		return nil, mistake("--decisions: %v", err)
	}
	return c, nil
}

// again are the flags that ask for the same schedules.
func (f simFlags) again() (text string) {
	if f.strategy != sim.Walk {
		text = " --strategy " + f.strategy
	}
	if f.loss > 0 {
		text += fmt.Sprintf(" --loss %g", f.loss)
	}
	if f.replicas > 0 {
		text += fmt.Sprintf(" --replicas %d", f.replicas)
	}
	if f.skew > 0 {
		text += fmt.Sprintf(" --skew %s", f.skew)
	}
	if f.only != "" {
		text += " --decisions " + f.only
	}
	return text
}

func (f *containerFlags) addImages(flags *pflag.FlagSet) {
	flags.StringVar(&f.kafka, "kafka-image", "", "`IMAGE` of Kafka for --cluster containers")
	flags.StringVar(&f.cassandra, "cassandra-image", "", "`IMAGE` of Cassandra for --cluster containers")
}

// kinds are the clusters that there are.
var kinds = []string{"sim", "containers"}

// keyspaceName is what Cassandra takes for a name without quotes, in the form that it keeps.
var keyspaceName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,47}$`)

// opener gives what opens a cluster of the size that is needed: a warm one, or one that is started for this call.
func (c *cli) opener(f clusterFlags) (func(context.Context, cluster.Size) (cluster.Cluster, error), error) {
	switch {
	case f.cluster == "sim" && (f.kafka != "" || f.cassandra != ""):
		return nil, mistake("an image needs servers to start, and the simulator has none: add --cluster containers")
	case f.cluster == "sim" && f.driver != clients.Driver{}:
		return nil, mistake("a driver talks to real servers, and the simulator has none: add --cluster containers")
	case f.cluster == "sim" && f.containerFlags != containerFlags{}:
		return nil, mistake("--keep, --cold and --keyspace are about servers, and the simulator has none: add --cluster containers")
	case f.cluster == "sim":
		c, err := f.simulated()
		return func(context.Context, cluster.Size) (cluster.Cluster, error) { return c, nil }, err
	case f.cluster != "containers":
		return nil, mistake("no cluster is called %q%s; there are: sim (the default), containers", f.cluster, nearest.Hint(f.cluster, kinds))
	case f.simFlags != plainSim:
		return nil, mistake("--strategy, --loss, --replicas, --skew and --decisions are the simulator's: a real cluster draws its schedule itself, loses what " +
			"a plan says, and has as many servers as the scenario")
	case f.keyspace != "" && !keyspaceName.MatchString(f.keyspace):
		return nil, mistake("--keyspace takes a small letter and then small letters, digits and _, 48 at most; not %q", f.keyspace)
	}
	if err := wrongDriver(f.driver); err != nil {
		return nil, err
	}
	return func(ctx context.Context, size cluster.Size) (cluster.Cluster, error) {
		o := c.containerOptions(f.containerFlags, size)
		if !f.cold {
			warm, err := containers.OpenWarm(ctx, o)
			if err == nil {
				return warm, nil
			}
			if !errors.Is(err, containers.ErrNoWarm) {
				return nil, err
			}
		}
		started, err := containers.Open(ctx, o)
		if err != nil {
			return nil, err
		}
		return started, nil
	}, nil
}

func (c *cli) containerOptions(f containerFlags, size cluster.Size) containers.Options {
	return containers.Options{
		Kafka: size.Kafka, Cassandra: size.Cassandra, KafkaImage: f.kafka, CassandraImage: f.cassandra, Keyspace: f.keyspace, Warm: f.keep, Driver: f.driver, Log: c.progress,
	}
}

// again is the part of a command line that asks for the same cluster.
func (f clusterFlags) again() string {
	if f.cluster == "sim" {
		return f.simFlags.again()
	}
	text := " --cluster " + f.cluster
	for _, image := range [][2]string{{" --kafka-image ", f.kafka}, {" --cassandra-image ", f.cassandra}} {
		if image[1] != "" {
			text += image[0] + reports.Word(image[1])
		}
	}
	if f.cold {
		text += " --cold"
	}
	return text + asked(f.driver)
}

// wrongDriver says what is wrong with the driver that was asked for.
func wrongDriver(d clients.Driver) error {
	err := d.Check()
	switch {
	case err == nil:
		return nil
	case slices.Contains(clients.DriverNames(), d.Name):
		return mistake("%v", err)
	}
	return mistake("%v%s", err, nearest.Hint(d.Name, clients.DriverNames()))
}

// asked are the flags that ask for the driver.
func asked(d clients.Driver) (text string) {
	if d.Name != "" {
		text += " --driver " + d.Name
	}
	if d.Retries > 0 {
		text += fmt.Sprintf(" --retries %d", d.Retries)
	}
	if d.Pause > 0 {
		text += fmt.Sprintf(" --retry-pause %s", d.Pause)
	}
	return text
}
