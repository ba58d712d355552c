package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/cluster/containers"
)

func (c *cli) upCommand() *cobra.Command {
	var f containerFlags
	var size cluster.Size
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Start a warm cluster: real servers that stay up for the runs to come",
		Long: "Starts one Kafka and one Cassandra, or three, and leaves them running, for `chaos run --cluster containers` to use.\n" +
			"If a warm cluster is up already that has as many, says so. Ctrl-C removes what was started. Exit: 0 it is up, 70 it is not.",
		Example: "  chaos up\n  chaos run stale-periodic-flush --cluster containers\n  chaos down\n  chaos up --kafka 3 --cassandra 3",
		Args:    nothing,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, n := range []int{size.Kafka, size.Cassandra} {
				if n != 1 && n != 3 {
					return mistake("--kafka and --cassandra take 1 or 3, not %d", n)
				}
			}
			servers, started, err := containers.Up(cmd.Context(), c.containerOptions(f, size))
			if err != nil {
				return err
			}
			c.sayUp(servers, started)
			return nil
		},
	}
	f.addImages(cmd.Flags())
	cmd.Flags().IntVar(&size.Kafka, "kafka", 1, "how many brokers there are to be: `1|3`")
	cmd.Flags().IntVar(&size.Cassandra, "cassandra", 1, "how many nodes: `1|3`")
	return cmd
}

// upDocument is what `chaos up --json` prints.
type upDocument struct {
	Schema  int          `json:"schema"`
	Started bool         `json:"started"`
	Cluster warmDocument `json:"cluster"`
	Exit    int          `json:"exit"`
}

// warmDocument is a warm cluster in JSON.
type warmDocument struct {
	Run        string          `json:"run"`
	AgeSeconds float64         `json:"age_seconds"`
	Kafka      serversDocument `json:"kafka"`
	Cassandra  serversDocument `json:"cassandra"`
}

// serversDocument are the servers of a kind.
type serversDocument struct {
	Version   string   `json:"version"`
	Image     string   `json:"image"`
	Addresses []string `json:"addresses"`
}

func warmFacts(s *containers.Servers) warmDocument {
	return warmDocument{
		Run: s.Run, AgeSeconds: s.Age().Seconds(),
		Kafka:     serversDocument{s.KafkaVersion, s.KafkaImage.Ref, addresses(s.Kafka)},
		Cassandra: serversDocument{s.CassandraVersion, s.CassandraImage.Ref, addresses(s.Cassandra)},
	}
}

// addresses are those for clients.
func addresses(servers []containers.Server) (all []string) {
	for _, s := range servers {
		all = append(all, s.Client)
	}
	return all
}

func (c *cli) sayUp(s *containers.Servers, started bool) {
	d := upDocument{Schema: 1, Started: started, Cluster: warmFacts(s)}
	if c.json {
		c.print(d)
		return
	}
	first := fmt.Sprintf("UP: a warm cluster, started in %.1f s", s.Timings.Total.Seconds())
	if !started {
		first = "UP already: a warm cluster, for " + containers.Age(s.Age())
	}
	fmt.Fprintln(c.out, first)
	for _, server := range []struct {
		name string
		serversDocument
	}{{"Kafka", d.Cluster.Kafka}, {"Cassandra", d.Cluster.Cassandra}} {
		fmt.Fprintf(c.out, "  %-9s %-6s at %s (%s)\n", server.name, server.Version, strings.Join(server.Addresses, ", "), server.Image)
	}
	fmt.Fprint(c.out, "\nNext: chaos run stale-periodic-flush --cluster containers\n      chaos down removes it\n")
}

func (c *cli) downCommand() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "down",
		Short: "Remove the warm cluster, and what killed runs left",
		Long: "Removes the servers that `chaos up` or --keep left running, and whatever killed runs left behind. It touches\n" +
			"nothing of a live run: a warm cluster with a run on it stays. Exit: 0 it is gone, 70 it is not.",
		Args: nothing,
		RunE: func(cmd *cobra.Command, _ []string) error {
			removed, err := containers.Down(cmd.Context(), containers.Options{Log: c.progress}, force)
			var used *containers.InUseError
			if err == nil || errors.As(err, &used) {
				return c.sayDown(removed, used)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "remove the warm cluster also under a live run")
	return cmd
}

func (c *cli) sayDown(removed []string, used *containers.InUseError) error {
	d := map[string]any{"schema": 1, "removed": append([]string{}, removed...)}
	if used != nil {
		c.exit = exitOf(used)
		d["error"] = used.Error()
	}
	d["exit"] = c.exit
	switch {
	case c.json:
		c.print(d)
		return nil
	case len(removed) > 0:
		fmt.Fprintf(c.out, "DOWN: removed %s\n", strings.Join(removed, ", "))
	case used == nil:
		fmt.Fprintln(c.out, "DOWN already: there is no warm cluster, and no killed run has left anything")
	}
	if used != nil {
		printError(c.errs, used.Error())
	}
	return c.finish(nil)
}
