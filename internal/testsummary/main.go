// Command testsummary runs commands that end in `go test -json`, all at once, and says what they came to: each package in a
// line, whatever failed in full, what was skipped and why, and in its last line whether the tests on real servers ran.
//
// A test that is skipped without anybody seeing it is as bad as none; so the summary counts them and tells the reasons.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout)) }

// run runs commands of the shell side by side. The exit code is 0 when each of them ended well and a test has passed.
func run(commands []string, out io.Writer) int {
	s := newSummary(out)
	var running sync.WaitGroup
	for _, command := range commands {
		running.Go(func() {
			tests := exec.Command("sh", "-c", command)
			tests.Stderr = os.Stderr
			in, err := tests.StdoutPipe()
			if err == nil {
				err = tests.Start()
			}
			if err == nil {
				s.read(in)
				err = tests.Wait()
			}
			s.ended(command, err)
		})
	}
	running.Wait()
	return s.end()
}

// event is one line of `go test -json` (go doc test2json).
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64
}

// test is one test, or one package when it has no name.
type test struct{ pkg, name string }

// summary is what came of all of them.
type summary struct {
	mu                      sync.Mutex
	out                     io.Writer
	broken                  bool
	output                  map[test][]string
	passed, failed, skipped []test
	servers                 map[string]bool
	// real are the tests that ran on real servers, by their own word.
	real []string
}

func newSummary(out io.Writer) *summary {
	return &summary{out: out, output: map[test][]string{}, servers: map[string]bool{}}
}

// read takes what one command prints.
func (s *summary) read(in io.Reader) {
	of := stream{summary: s, counts: map[string]int{}}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		s.mu.Lock()
		var e event
		switch {
		case len(line) == 0:
		case json.Unmarshal(line, &e) != nil:
			// Not of the test runner: a build error, on its way to the reader.
			fmt.Fprint(s.out, string(line))
		default:
			s.broken = of.take(e) || s.broken
		}
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// ended is told how a command ended. One that cannot be run, or was killed, has left tests out.
func (s *summary) ended(command string, err error) {
	if err == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = true
	fmt.Fprintf(s.out, "%v: %s\n", err, command)
}

// stream is the events of one command.
type stream struct {
	*summary
	// counts is how many tests of a package passed, without their parts.
	counts map[string]int
}

// take takes one event, and tells whether it is a failure.
func (s *stream) take(e event) (failed bool) {
	t := test{e.Package, e.Test}
	switch e.Action {
	case "output", "build-output":
		s.output[t] = append(s.output[t], e.Output)
		if at := strings.Index(e.Output, "ran on real servers: "); at >= 0 {
			s.servers[strings.TrimSpace(e.Output[at+len("ran on real servers: "):])] = true
			s.real = append(s.real, e.Test)
		}
		if e.Action == "build-output" {
			fmt.Fprint(s.out, e.Output)
		}
	case "pass", "fail", "skip":
		s.done(t, e)
	case "build-fail":
		return true
	}
	return e.Action == "fail"
}

func (s *stream) done(t test, e event) {
	if t.name == "" {
		if e.Action != "skip" {
			fmt.Fprintf(s.out, "%-4s %s %.1fs, %d passed\n", map[string]string{"pass": "ok", "fail": "FAIL"}[e.Action], t.pkg, e.Elapsed, s.counts[t.pkg])
		}
		if e.Action == "fail" {
			s.print(t)
		}
		return
	}
	switch e.Action {
	case "pass":
		s.passed = append(s.passed, t)
		delete(s.output, t)
		if !strings.Contains(t.name, "/") {
			s.counts[t.pkg]++
		}
	case "fail":
		s.failed = append(s.failed, t)
		s.print(t)
	case "skip":
		s.skipped = append(s.skipped, t)
	}
}

func (s *summary) print(t test) {
	for _, line := range s.output[t] {
		fmt.Fprint(s.out, line)
	}
}

// end prints the last lines and gives the exit code.
func (s *summary) end() int {
	for _, t := range s.skipped {
		fmt.Fprintf(s.out, "skipped %s %s: %s\n", t.pkg, t.name, reason(s.output[t]))
	}
	for _, t := range s.failed {
		fmt.Fprintf(s.out, "failed %s %s\n", t.pkg, t.name)
	}
	fmt.Fprintf(s.out, "tests: %d passed, %d failed, %d skipped\n", len(s.passed), len(s.failed), len(s.skipped))
	switch {
	case len(s.real) > 0:
		slices.Sort(s.real)
		servers := make([]string, 0, len(s.servers))
		for v := range s.servers {
			servers = append(servers, v)
		}
		slices.Sort(servers)
		without := ""
		if n := s.skippedContainers(); n > 0 {
			without = fmt.Sprintf(" (and %d were skipped, see above)", n)
		}
		fmt.Fprintf(s.out, "container tests ran on %s: %s%s\n", strings.Join(servers, "; "),
			strings.Join(slices.Compact(s.real), ", "), without)
	default:
		fmt.Fprintln(s.out, "container tests did NOT run: no test reached real servers (see what was skipped)")
	}
	if s.broken || len(s.failed) > 0 || len(s.passed) == 0 {
		return 1
	}
	return 0
}

// skippedContainers counts the tests that need real servers, by their names, and were skipped.
func (s *summary) skippedContainers() (n int) {
	for _, t := range s.skipped {
		if strings.HasPrefix(t.name, "TestContainers") {
			n++
		}
	}
	return n
}

// reason is what a test said when it was skipped: its last line that is not the runner's own.
func reason(output []string) string {
	said := "no reason given"
	for _, line := range output {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "===") && !strings.HasPrefix(line, "---") {
			said = line
		}
	}
	return said
}
