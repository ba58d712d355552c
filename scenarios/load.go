package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Load reads the scenario of a file. What is wrong in the file comes as Errors.
func Load(path string, v Vocabulary) (*Scenario, error) {
	data, err := read(path)
	if err != nil {
		return nil, err
	}
	return Parse(filepath.Clean(path), data, v)
}

// read reads a file that a scenario can be in. A pipe may never say anything, and a device never end: neither is opened.
func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read scenario: %w", err)
	case !info.IsDir() && !info.Mode().IsRegular():
		return nil, &Error{File: filepath.Clean(path), Problem: "this is no regular file, but " + special(info.Mode()),
			Hint: "a scenario is read from a file that stays: write it into one"}
	case info.Size() > mostBytes && !info.IsDir():
		return nil, tooLarge(filepath.Clean(path), info.Size())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read scenario: %w", err)
	}
	return data, nil
}

// special says what a file that is not regular is.
func special(mode os.FileMode) string {
	switch {
	case mode&os.ModeNamedPipe != 0:
		return "a pipe"
	case mode&os.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}

// Parse reads a scenario; name is what messages call the file. What is wrong comes as Errors.
func Parse(name string, data []byte, v Vocabulary) (*Scenario, error) {
	src, bad := newSource(name, data)
	if bad != nil {
		return nil, Errors{bad}
	}
	l := &loader{reader: reader{src: src}, vocabulary: v, scenario: Scenario{File: name, Text: data}, started: map[string]start{},
		assignors: map[string]span{}, commits: map[string]span{}}
	if body, ok := l.document(); ok {
		l.file(body)
	}
	if len(l.errs) > 0 {
		return nil, l.errs.inOrder()
	}
	return &l.scenario, nil
}

// loader reads one file into one scenario. Names of workers and numbers of events may be used above the place that says
// which there are, so uses are noted as they come and judged at the end.
type loader struct {
	reader
	vocabulary Vocabulary
	scenario   Scenario
	// started are the workers that the plan starts. PlanRead is false after an error in the plan that may hide a start:
	// then nothing is said about names of workers, since much of it would be wrong.
	started  map[string]start
	planRead bool
	uses     []workerUse
	waits    []eventWait
	probes   []word
	acts     []act
	// wires is what is armed on the wires of workers, and lifted.
	wires []act
	// strikes is what is done to servers; strikesLost tells that an error hides some of it. ClusterRead is false after an error
	// in what the cluster has.
	strikes     []act
	strikesLost bool
	clusterRead bool
	flushes     []word
	// assignors and commits are where workers' own assignors, and how often they commit, stand, by name; empty for all of them.
	assignors, commits map[string]span
}

// file reads the whole document.
func (l *loader) file(body ast.Node) {
	top, ok := l.object(body, nodeSpan(body), aScenario, keysOf(aScenario)...)
	if !ok {
		return
	}
	if name, ok := l.name(top.need("name")); ok {
		l.scenario.Name = name.text
	}
	if about, ok := l.text(top.need("about")); ok {
		l.scenario.About = oneLine(about)
	}
	l.scenario.Source, _ = l.text(top.field("source"))
	l.scenario.Race, _ = l.text(top.field("race"))
	l.cluster(top.field("cluster"))
	l.input(top.need("input"))
	l.plan(top.need("plan"))
	l.workers(top.field("workers"))
	l.scenario.Requires = l.requirements(top.field("requires"))
	l.expect(top.need("expect"))
	l.judgeWorkers()
	l.judgeEvents()
	l.judgeProbes()
	l.judgeFlushes()
	l.judgeActs()
	l.judgeServers()
	l.judgeWires()
	l.judgeCommits()
}

// oneLine takes out the line breaks and indents of a text that the file wraps.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// cluster reads how many servers there are: one of each where the file says nothing.
func (l *loader) cluster(f *field) {
	had := len(l.errs)
	defer func() { l.clusterRead = len(l.errs) == had }()
	l.scenario.Cluster = Cluster{Kafka: 1, Cassandra: 1}
	if f == nil {
		return
	}
	l.scenario.Cluster.Where = l.src.where(f.at)
	o, ok := l.object(f.value, f.at, "a cluster", "kafka", "cassandra")
	if !ok {
		return
	}
	for name, into := range map[string]*int{"kafka": &l.scenario.Cluster.Kafka, "cassandra": &l.scenario.Cluster.Cassandra} {
		n := o.field(name)
		if n == nil {
			continue
		}
		if t := plain(n.value); t != "1" && t != "3" {
			l.fail(n.at, "", "%q takes 1 or 3, not %s", name, described(n.value))
			continue
		}
		*into = int(plain(n.value)[0] - '0')
	}
}

// requirements reads preconditions. The second of two words, if it is no number, is a worker.
func (l *loader) requirements(f *field) []string {
	ws := l.words(f)
	for _, w := range ws {
		if l.vocabulary.Requirement != nil {
			if err := l.vocabulary.Requirement(w.text); err != nil {
				problem, hint, _ := strings.Cut(err.Error(), "\n")
				l.fail(w.at, hint, "%s", problem)
				continue
			}
		}
		verb, name, two := strings.Cut(w.text, " ")
		if two && nameForm.MatchString(name) {
			at := w.at
			if at.width == len(w.text) { // written with one space and no quotes: then the name's own place is known
				at = span{at.line, at.column + len(verb) + 1, len(name)}
			}
			l.use(name, at, anywhere)
		}
	}
	return texts(ws)
}
