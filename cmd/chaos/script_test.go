package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes this test binary be the chaos command too, for the scripts.
func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"chaos": main}) }

// TestScripts runs the scripts in testdata/script: what a user types, and what comes of it.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			// A race-built program sleeps a second before it ends; there are some hundred calls.
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "columns": columns, "json": jsonValue, "jsonkeys": jsonKeys, "lines": lineCount,
		},
	})
}

// exits runs a command, which must end with an exit code: `exits 64 chaos run`.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	if code != want {
		ts.Fatalf("exit %d, not %d", code, want)
	}
}

// columns checks that no line is wider than a terminal, but for one that is a single word: a path.
func columns(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: columns FILE...")
	}
	for _, file := range args {
		for i, line := range strings.Split(ts.ReadFile(file), "\n") {
			if n := len([]rune(line)); n > 100 && len(strings.Fields(line)) > 1 {
				ts.Fatalf("line %d of %s has %d columns:\n%s", i+1, file, n, line)
			}
		}
	}
}

// oneDocument reads a file that must be one JSON document and nothing else.
func oneDocument(ts *testscript.TestScript, file string) any {
	decoder := json.NewDecoder(strings.NewReader(ts.ReadFile(file)))
	var v any
	if err := decoder.Decode(&v); err != nil {
		ts.Fatalf("%s is not JSON: %v", file, err)
	}
	if decoder.More() {
		ts.Fatalf("%s has more than one JSON document", file)
	}
	return v
}

// at gives the value at a path like runs.0.verdict.
func at(ts *testscript.TestScript, v any, path string) any {
	for _, name := range strings.Split(path, ".") {
		if name == "" {
			continue
		}
		switch x := v.(type) {
		case map[string]any:
			next, ok := x[name]
			if !ok {
				ts.Fatalf("there is no %q in %s", name, path)
			}
			v = next
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(x) {
				ts.Fatalf("there is no %s in %s, of %d", name, path, len(x))
			}
			v = x[i]
		default:
			ts.Fatalf("there is nothing below %v in %s", v, path)
		}
	}
	return v
}

// jsonValue compares a value: `json stdout runs.0.verdict.seed 1`. Without a value it only must be there.
func jsonValue(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: json FILE PATH [VALUE]")
	}
	v := at(ts, oneDocument(ts, args[0]), args[1])
	if len(args) == 3 && fmt.Sprint(v) != args[2] {
		ts.Fatalf("%s is %v, not %s", args[1], v, args[2])
	}
}

// jsonKeys checks that an object has keys: `jsonkeys verdict.json . schema scenario`.
func jsonKeys(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: jsonkeys FILE PATH KEY...")
	}
	object, ok := at(ts, oneDocument(ts, args[0]), args[1]).(map[string]any)
	if !ok {
		ts.Fatalf("%s of %s is no object", args[1], args[0])
	}
	for _, key := range args[2:] {
		if _, ok := object[key]; !ok {
			ts.Fatalf("%s has no %q", args[0], key)
		}
	}
}

// lineCount checks how many lines a file has: `lines FILE N`.
func lineCount(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: lines FILE N")
	}
	if n := strings.Count(ts.ReadFile(args[0]), "\n"); strconv.Itoa(n) != args[1] {
		ts.Fatalf("%s has %d lines, not %s", args[0], n, args[1])
	}
}

// TestAsksJSON: a flag that is wrong before --json must not make the answer another one.
func TestAsksJSON(t *testing.T) {
	for args, want := range map[string]bool{
		"run calm --json": true, "--json list": true, "run --fo --json": true, "list --json=true": true, "list --json=1": true,
		"list": false, "list --json=false": false, "run -- --json": false, "list --json=maybe": false, "run --jsonx": false,
	} {
		if got := asksJSON(strings.Fields(args)); got != want {
			t.Errorf("%s: %v", args, got)
		}
	}
}

// TestCatalogue runs every scenario of the catalogue, as the user does who asks for JSON.
func TestCatalogue(t *testing.T) {
	var list, errs strings.Builder
	if code := run([]string{"list", "--json"}, &list, &errs); code != 0 || errs.Len() > 0 {
		t.Fatalf("exit %d, %s", code, errs.String())
	}
	var all struct {
		Scenarios []struct {
			Name   string
			Expect []struct{ Arm string }
		}
	}
	if err := json.Unmarshal([]byte(list.String()), &all); err != nil || len(all.Scenarios) == 0 {
		t.Fatalf("%v: %s", err, list.String())
	}
	for _, s := range all.Scenarios {
		t.Run(s.Name, func(t *testing.T) {
			var out, errs strings.Builder
			if code := run([]string{"run", s.Name, "--json", "--out", t.TempDir()}, &out, &errs); code != 0 || errs.Len() > 0 {
				t.Errorf("exit %d, %s", code, errs.String())
			}
			var d runDocument
			if err := json.Unmarshal([]byte(out.String()), &d); err != nil {
				t.Fatal(err)
			}
			if d.Schema != 1 || d.Scenario != s.Name || d.Exit != 0 || len(d.Runs) != len(s.Expect) {
				t.Errorf("schema %d, scenario %s, exit %d, %d runs", d.Schema, d.Scenario, d.Exit, len(d.Runs))
			}
			for i, r := range d.Runs {
				if r.Verdict.Arm != s.Expect[i].Arm || !r.Verdict.Expected || len(r.Verdict.Properties) == 0 {
					t.Errorf("run %d: arm %s, expected %v", i, r.Verdict.Arm, r.Verdict.Expected)
				}
				complete(t, r.Folder)
			}
		})
	}
}

// complete checks that a run's folder has all it should, and nothing half written.
func complete(t *testing.T, folder string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Error(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	all := []string{"history.jsonl", "plan.json", "run.json", "scenario.yaml", "story.md", "verdict.json"}
	if got, want := strings.Join(names, " "), strings.Join(all, " "); got != want {
		t.Errorf("%s has %s; it should have %s", folder, got, want)
	}
}
