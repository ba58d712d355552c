package replay

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/controller/runtest"
)

// replayed does the run in a folder again.
func replayed(t testing.TB, folder string, times int) *Replayed {
	t.Helper()
	r := opened(t, folder)
	on, err := sim.Scheduled(r.History.Header.Cluster.Schedule)
	if err != nil {
		t.Fatal(err)
	}
	out, err := Replay(context.Background(), r, on, times)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func opened(t testing.TB, folder string) *Recorded {
	t.Helper()
	r, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Whatever was run in the simulator, its folder has all that is needed to do it again byte for byte.
func TestReplayCatalogue(t *testing.T) {
	for i, s := range runtest.Catalogue(t) {
		arm := s.Arms()[i%len(s.Arms())]
		for _, folder := range runtest.Record(t, sim.Cluster{}, s.Name, 3, arm) {
			if r := replayed(t, folder, 1); r.Exit() != controller.ExitExpected {
				t.Errorf("%s: %+v, %+v", folder, r.Difference, r.Said)
			}
		}
	}
	for _, on := range []sim.Cluster{{Strategy: sim.PCT}, {Loss: 0.03}, {Strategy: sim.PCT, Loss: 0.03}} {
		for _, folder := range runtest.Record(t, on, "overlap-random", 5, "cassandra/cas") {
			if r := replayed(t, folder, 2); r.Exit() != controller.ExitExpected || r.Times != 2 {
				t.Errorf("%s: %+v, %+v", folder, r.Difference, r.Said)
			}
		}
	}
}

// A rig that is killed leaves a history that is cut anywhere; what there is of it is done again, or it is refused.
func TestReplayCut(t *testing.T) {
	folder := runtest.Record(t, sim.Cluster{}, "stale-periodic-flush", 1, "cassandra/lww")[0]
	file := filepath.Join(folder, "history.jsonl")
	whole, err := os.ReadFile(file)
	if err = errors.Join(err, os.Remove(filepath.Join(folder, "plan.json")),
		os.Remove(filepath.Join(folder, "verdict.json"))); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(0, len(whole)).Draw(rt, "bytes")
		if err := os.WriteFile(file, whole[:n], 0o644); err != nil {
			rt.Fatal(err)
		}
		r, err := Open(folder)
		lines := bytes.Count(whole[:n], []byte("\n"))
		if lines == 0 {
			if err == nil || !strings.Contains(err.Error(), "its history is broken") {
				rt.Fatalf("a history of %d bytes: %v", n, err)
			}
			return
		}
		if err != nil {
			rt.Fatal(err)
		}
		out, err := Replay(context.Background(), r, sim.Cluster{}, 1)
		if err != nil || out.Difference != nil || out.Lines != lines {
			rt.Fatalf("%d bytes: %v, %+v", n, err, out)
		}
	})
}

// One digit that was changed is found, or the folder is refused: nothing that differs is called the same.
func TestReplayChanged(t *testing.T) {
	folder := runtest.Record(t, sim.Cluster{}, "stale-periodic-flush", 1, "cassandra/lww")[0]
	file := filepath.Join(folder, "history.jsonl")
	whole, err := os.ReadFile(file)
	if err = errors.Join(err, os.Remove(filepath.Join(folder, "plan.json"))); err != nil {
		t.Fatal(err)
	}
	var digits []int
	for i, b := range whole {
		if b >= '0' && b <= '9' {
			digits = append(digits, i)
		}
	}
	found := 0
	rapid.Check(t, func(rt *rapid.T) {
		changed := bytes.Clone(whole)
		i := rapid.SampledFrom(digits).Draw(rt, "at")
		changed[i] = rapid.SampledFrom([]byte("0123456789")).Filter(func(b byte) bool { return b != whole[i] }).Draw(rt, "to")
		if err := os.WriteFile(file, changed, 0o644); err != nil {
			rt.Fatal(err)
		}
		r, err := Open(folder)
		var usage *controller.Usage
		if err != nil {
			if !errors.As(err, &usage) {
				rt.Fatalf("byte %d: %v", i, err)
			}
			return
		}
		out, err := Replay(context.Background(), r, sim.Cluster{}, 1)
		switch want := 1 + bytes.Count(whole[:i], []byte("\n")); {
		case err != nil && !errors.As(err, &usage):
			rt.Fatal(err)
		case err == nil && (out.Difference == nil || out.Difference.Line != want):
			rt.Fatalf("byte %d of line %d was changed: %+v", i, want, out.Difference)
		case err == nil:
			found++
		}
	})
	if found < 10 {
		t.Errorf("only %d of the changes were left to the replay to find", found)
	}
}
