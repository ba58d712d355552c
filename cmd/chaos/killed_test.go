package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/single-writer/chaos/cluster/containers/enginetest"
	"github.com/single-writer/chaos/cluster/containers/owner"
	"github.com/single-writer/chaos/controller"
)

// TestContainersKilledRig ends the program at its worst moments, by kill -9 and by Ctrl-C. What it had recorded must be
// there to the last line, and nothing that it had started may stay for good.
func TestContainersKilledRig(t *testing.T) {
	enginetest.Need(t)
	binary := build(t)
	var all []*rig
	// start starts a run on real servers that records below dir.
	start := func(t *testing.T, dir string) (r *rig, lww, cas string) {
		t.Helper()
		r = startRig(t, binary, "run", "stale-periodic-flush", "--cluster", "containers", "--out", dir)
		all = append(all, r)
		folder := func(arm string) string {
			return filepath.Join(dir, "stale-periodic-flush."+arm+".containers.seed-1")
		}
		return r, folder("cassandra-lww"), folder("cassandra-cas")
	}
	evicted := func(folder string) func() bool {
		return func() bool { return holds(filepath.Join(folder, "history.jsonl"), `"f":"evicted"`) }
	}

	t.Run("killed before any container", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "out")
		r, _, _ := start(t, dir)
		r.until("the first line", func() bool { return strings.Contains(r.said(), "\n") })
		r.kill()
		if exists(dir) {
			t.Errorf("there is a folder %s already", dir)
		}
		t.Logf("left: %v", left(t, r))
	})

	t.Run("killed in the middle", func(t *testing.T) {
		r, lww, cas := start(t, t.TempDir())
		r.until("the eviction", evicted(lww))
		r.kill()
		if code := recorded(t, filepath.Join(lww, "history.jsonl")); code == controller.ExitExpected {
			t.Error("half a run passes")
		}
		if facts := runFacts(t, lww); facts.Ended != nil || facts.Error != "" {
			t.Errorf("run.json says that it ended: %+v", facts)
		}
		if exists(filepath.Join(lww, "verdict.json")) || exists(cas) {
			t.Error("there is a verdict, or the next arm, of a run that was killed before")
		}
		// What the next run is to remove.
		t.Logf("left: %v", left(t, r))
	})

	t.Run("killed after the first arm", func(t *testing.T) {
		r, lww, cas := start(t, t.TempDir())
		r.until("the first verdict", func() bool { return exists(filepath.Join(lww, "verdict.json")) })
		r.kill()
		if code := recorded(t, filepath.Join(lww, "history.jsonl")); code != controller.ExitDeviates {
			t.Errorf("the check of the arm that was done exits %d", code)
		}
		if history := filepath.Join(cas, "history.jsonl"); holds(history, "\n") {
			recorded(t, history)
		}
	})

	t.Run("interrupted in the middle", func(t *testing.T) {
		dir := t.TempDir()
		r, lww, cas := start(t, dir)
		r.until("the eviction", evicted(lww))
		interrupted(t, r)
		recorded(t, filepath.Join(lww, "history.jsonl"))
		if facts := runFacts(t, lww); facts.Ended == nil || !strings.Contains(facts.Error, "interrupted") {
			t.Errorf("run.json does not say that the run was interrupted: %+v", facts)
		}
		if exists(filepath.Join(lww, "verdict.json")) || exists(cas) {
			t.Error("there is a verdict, or the next arm, of a run that was interrupted")
		}
		if parts, _ := filepath.Glob(filepath.Join(dir, "*", "*.part")); len(parts) > 0 {
			t.Errorf("half written: %v", parts)
		}
	})

	t.Run("interrupted while the servers start", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "out")
		r, _, _ := start(t, dir)
		r.until("a container", func() bool { return madeContainers(left(t, r)) > 0 })
		interrupted(t, r)
		if exists(dir) {
			t.Errorf("there is a folder %s of a run that was not begun", dir)
		}
	})

	t.Run("interrupted twice", func(t *testing.T) {
		r, _, _ := start(t, filepath.Join(t.TempDir(), "out"))
		// Both are there: what the engine is still making when its client dies would come after the next run's sweep.
		r.until("both containers", func() bool { return madeContainers(left(t, r)) == 2 })
		r.interrupt()
		r.until("word of it", func() bool { return strings.Contains(r.said(), "interrupted: ") })
		r.interrupt()
		if code, by := r.end(2 * time.Second); by != syscall.SIGINT {
			t.Errorf("the second Ctrl-C did not end it at once: exit %d, signal %s", code, by)
		}
	})

	t.Run("a whole run after all that", func(t *testing.T) {
		r, lww, cas := start(t, t.TempDir())
		if code, by := r.end(patience); code != controller.ExitExpected {
			t.Errorf("exit %d, signal %s", code, by)
		}
		if !strings.HasPrefix(r.printed(), "AS EXPECTED: stale-periodic-flush · containers (Kafka ") {
			t.Error("the answer is not in the first line")
		}
		complete(t, lww)
		complete(t, cas)
		facts := runFacts(t, cas).Header.Cluster
		enginetest.Ran(t, facts.Kafka, facts.Cassandra)
	})

	if things := left(t, all...); len(things) > 0 {
		t.Errorf("after a whole run there is still, of it and of those before: %v", things)
	}
}

// interrupted ends a rig by Ctrl-C: it must come to an end by itself, say so, and leave nothing.
func interrupted(t *testing.T, r *rig) {
	t.Helper()
	began := time.Now()
	r.interrupt()
	code, by := r.end(20 * time.Second)
	t.Logf("ended %.1f s after the interrupt", time.Since(began).Seconds())
	if code != controller.ExitRig {
		t.Errorf("exit %d, signal %s", code, by)
	}
	if said := r.said(); !strings.Contains(said, "\ninterrupted: ") || !strings.HasSuffix(said, "\nexit 70\n") {
		t.Errorf("it does not say that it was interrupted:\n%s", said)
	}
	if things := left(t, r); len(things) > 0 {
		t.Errorf("left: %v", things)
	}
}

func madeContainers(things []string) int {
	n := 0
	for _, name := range things {
		if !strings.HasPrefix(name, "network ") {
			n++
		}
	}
	return n
}

// TestContainersNoImage: an image that there is none of is the environment's failure, and nothing is started.
func TestContainersNoImage(t *testing.T) {
	enginetest.Need(t)
	dir := filepath.Join(t.TempDir(), "out")
	args := []string{"run", "calm", "--cluster", "containers", "--kafka-image", "nonsense:1", "--out", dir}
	var out, errs strings.Builder
	if code := run(args, &out, &errs); code != controller.ExitRig || out.Len() > 0 || exists(dir) {
		t.Errorf("exit %d, folder %v\n%s", code, exists(dir), out.String())
	}
	for _, want := range []string{
		"no image of Kafka: the engine has none of nonsense:1, and could not pull it\n", "`docker images`", "\nexit 70\n",
	} {
		if !strings.Contains(errs.String(), want) {
			t.Errorf("no %q in\n%s", want, errs.String())
		}
	}
	var printed, none strings.Builder
	code := run(append(args, "--json"), &printed, &none)
	var d struct{ Exit int }
	if err := json.Unmarshal([]byte(printed.String()), &d); err != nil || d.Exit != code || code != controller.ExitRig || none.Len() > 0 {
		t.Errorf("exit %d, %v\n%s%s", code, err, printed.String(), none.String())
	}
	self, err := owner.Self()
	if err != nil {
		t.Fatal(err)
	}
	if things := left(t, &rig{owner: self}); len(things) > 0 {
		t.Errorf("left: %v", things)
	}
}

func runFacts(t *testing.T, folder string) (f controller.RunFacts) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(folder, "run.json"))
	if err == nil {
		err = json.Unmarshal(b, &f)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}
