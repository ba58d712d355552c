package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/single-writer/chaos/controller"
)

// print prints the one JSON document of a call.
func (c *cli) print(document any) {
	b, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		fmt.Fprintln(c.errs, err)
		return
	}
	fmt.Fprintln(c.out, string(b))
}

// speakJSON makes one document of what cobra would print as text: the help and the version.
func (c *cli) speakJSON(root *cobra.Command) {
	document := func(key string, value any) map[string]any {
		return map[string]any{"schema": 1, "exit": controller.ExitExpected, key: value}
	}
	version, err := json.Marshal(document("version", root.Version))
	if err == nil {
		root.SetVersionTemplate(string(version) + "\n")
	}
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		var text strings.Builder
		cmd.SetOut(&text)
		help(cmd, args)
		c.print(document("help", text.String()))
	})
}
