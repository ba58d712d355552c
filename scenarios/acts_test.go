package scenarios

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What the plan alone shows to be impossible is refused with its place, and what only looks like it is not.
func TestActs(t *testing.T) {
	v := testVocabulary()
	v.Faults = append(v.Faults, "fail", "evict")
	const whole = "  - {when: {worker: b, point: persist-answered, answer: refused}, do: [{stop: a}]}\n"
	for steps, want := range map[string]string{
		"  - {start: b}\n":                                  "mine.yaml:19:13: b runs already: line 18 starts it",
		"  - {stop: a}\n  - {evict: a}\n":                   "mine.yaml:20:13: a does not run any more: line 19 ends it",
		"  - {kill: b}\n  - {release: b}\n":                 "mine.yaml:20:15: b does not run any more: line 19 ends it",
		"  - {release: b}\n":                                "mine.yaml:19:15: b is not held here",
		"  - {release: a}\n  - {release: a}\n":              "mine.yaml:20:15: a is not held here",
		"  - {fail: a}\n  - {release: a}\n":                 "mine.yaml:20:15: a is not held here",
		"  - {stop: a}\n  - {start: a}\n  - {release: a}\n": "mine.yaml:21:15: a is not held here",
		"  - {when: {worker: b, point: polled}, do: [{probe: all}, {fail: b}]}\n": "mine.yaml:19:66: b stands still at the moment of " +
			"this step until the step is over, and comes to no error before",
		"  - {stop: a}\n  - {start: a}\n":                                                        "",
		"  - {release: a}\n  - {hold: a}\n  - {release: a}\n":                                    "",
		"  - {hold: b}\n  - {fail: b}\n":                                                         "",
		"  - {when: {worker: b, point: polled}, do: [{fail: a}]}\n":                              "",
		"  - {when: {worker: b, point: polled}, maybe: true, do: [{stop: b}]}\n  - {start: b}\n": "",
	} {
		_, err := Parse("mine.yaml", []byte(strings.Replace(mine, whole, steps, 1)), v)
		got := ""
		if err != nil {
			got, _, _ = strings.Cut(err.Error(), "\n")
		}
		if got != want {
			t.Errorf("%s%s\nnot %s", steps, got, want)
		}
	}
}

func TestPlanWithoutAWorker(t *testing.T) {
	from := strings.Index(mine, "workers:")
	idle := strings.Replace(mine[:from], ", when: {evicted: a, within: 1m}", "", 1) +
		"plan: [{probe: all}]\nexpect: {cassandra/cas: {holds: all}}\n"
	_, err := Parse("mine.yaml", []byte(idle), testVocabulary())
	if err == nil || !strings.HasPrefix(err.Error(), "mine.yaml:11:7: the plan starts no worker\n") {
		t.Error(err)
	}
}

// A file that may have no end, or never a beginning, is not read.
func TestLoadReadsFilesOnly(t *testing.T) {
	dir := t.TempDir()
	pipe, large := filepath.Join(dir, "pipe"), filepath.Join(dir, "large")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 1<<40); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		pipe:        pipe + ": this is no regular file, but a pipe\n",
		"/dev/zero": "/dev/zero: this is no regular file, but a device\n",
		large:       large + ": the file has 1099511627776 bytes; a scenario has at most 65536",
	} {
		if _, err := Load(path, testVocabulary()); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
