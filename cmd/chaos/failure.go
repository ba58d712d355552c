package main

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"syscall"

	"github.com/single-writer/chaos/cluster/clients"
	"github.com/single-writer/chaos/cluster/containers/images"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/reports"
)

// exitOf is the exit code of an error: 64 for a mistake of whoever asked, 70 for all else.
func exitOf(err error) int {
	var usage *controller.Usage
	var keyspace *clients.KeyspaceError
	if errors.As(err, &usage) || errors.As(err, &keyspace) {
		return controller.ExitUsage
	}
	return controller.ExitRig
}

// finish ends a call that has told what it had to tell: with its exit code, or with an error that stopped it.
func (c *cli) finish(err error) error {
	if err == nil && c.exit != controller.ExitExpected {
		c.sayExit(c.exit)
	}
	return err
}

func (c *cli) sayExit(code int) { fmt.Fprintf(c.errs, "exit %d\n", code) }

// failed prints an error, and gives its exit code.
func (c *cli) failed(err error) int {
	if name, ok := cobraUnknown(err); ok {
		err = unknownCommand(c.root(), name)
	}
	code, text := exitOf(err), explained(err)
	if c.json {
		c.print(map[string]any{"schema": 1, "error": text, "exit": code})
		return code
	}
	printError(c.errs, text)
	c.sayExit(code)
	return code
}

// interruptedError is what was going on when the user ended the program.
type interruptedError struct{ during error }

func (e *interruptedError) Error() string { return "interrupted: " + explained(e.during) }
func (e *interruptedError) Unwrap() error { return e.during }

// explained is the text of an error: of those that a newcomer meets first, with what to do about them.
func explained(err error) string {
	var engine *images.NoEngineError
	var image *images.NoImageError
	var interrupted *interruptedError
	var keyspace *clients.KeyspaceError
	switch {
	case errors.As(err, &interrupted):
		return interrupted.Error()
	case errors.As(err, &engine):
		cause := engine.Cause.Error()
		var errno syscall.Errno
		if errors.As(engine.Cause, &errno) {
			cause = errno.Error()
		}
		return fmt.Sprintf("no Docker engine answers at %s (%s)\n"+
			"  start it, or set DOCKER_HOST to where one runs; chaos doctor checks the rest\n"+
			"  the simulator needs none: drop --cluster", engine.Host, cause)
	case errors.As(err, &image):
		return fmt.Sprintf("no image of %s: the engine has none of %s, and could not pull it\n  %s\n"+
			"  see `docker images` for those that are there; `chaos images build` builds local ones from packages",
			image.Kind, strings.Join(image.Tried, ", "), image.Cause)
	case errors.As(err, &keyspace):
		return fmt.Sprintf("%s\n  name another by --keyspace, or name none; or drop it: DROP KEYSPACE %s", keyspace, keyspace.Keyspace)
	}
	return err.Error()
}

// drawn are lines whose form is their meaning: the excerpt of a scenario, and the stack of a goroutine.
var drawn = regexp.MustCompile(`^ *\d* \| |^\t|^goroutine `)

// printError prints an error in the width of a terminal.
func printError(w io.Writer, text string) {
	for _, line := range strings.Split(text, "\n") {
		if len([]rune(line)) <= reports.Width || drawn.MatchString(line) {
			fmt.Fprintln(w, line)
			continue
		}
		margin := line[:len(line)-len(strings.TrimLeft(line, " "))]
		reports.Indented(w, margin, line)
	}
}
