package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/single-writer/chaos/cluster/containers/images"
)

func (c *cli) imagesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "images", Short: "The container images of Kafka and Cassandra", Args: onlyCommands,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.help(cmd) },
	}
	var force bool
	build := &cobra.Command{
		Use:   "build",
		Short: "Build local images, for where no image registry can be reached",
		Long: "Builds a Debian base and, on it, Kafka and Cassandra from their Maven packages at pinned versions.\n" +
			"Needs a Docker engine, root, debootstrap and mvn. What is there already is left alone.",
		Args: nothing,
		RunE: func(cmd *cobra.Command, _ []string) error {
			out := c.out
			if c.json {
				out = c.errs
			}
			if err := images.Build(cmd.Context(), images.Options{Out: out, Force: force}); err != nil {
				return fmt.Errorf("build the images: %w", err)
			}
			if c.json {
				c.print(map[string]any{"schema": 1, "built": true})
			}
			return nil
		},
	}
	build.Flags().BoolVar(&force, "force", false, "build anew also what is there")
	cmd.AddCommand(build)
	return cmd
}
