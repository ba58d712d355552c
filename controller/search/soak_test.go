package search

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/single-writer/chaos/checker"
	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/cluster/sim"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/controller/failure"
	"github.com/single-writer/chaos/controller/runtest"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload/persistence"
)

// wrongly is a scenario of the catalogue that states that nothing fails of the arm without a fence, in a file.
func wrongly(t *testing.T, name string) string {
	t.Helper()
	s := runtest.Find(t, name)
	for i := range s.Expect {
		s.Expect[i].Violates = nil
		s.Expect[i].Holds = true
	}
	path := filepath.Join(t.TempDir(), name+".yaml")
	if err := os.WriteFile(path, s.YAML(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func aSoak(t *testing.T, on cluster.Cluster, names ...string) Soaking {
	return Soaking{
		Request: controller.Request{
			Seed: 100, Out: filepath.Join(t.TempDir(), "out"), Kind: on.Facts().Kind, Progress: func(string) {},
			Open: func(context.Context, cluster.Size) (cluster.Cluster, error) { return on, nil },
		},
		Scenarios: names, For: time.Nanosecond, Workers: 2, Repeat: func(s string) string { return "chaos run " + s },
	}
}

// onServers is the simulator, as if it were real servers: what it does is recorded as it does it.
type onServers struct{ cluster.Cluster }

func (onServers) Facts() history.ClusterFacts {
	f := sim.Facts()
	f.Kind = "containers"
	return f
}

// A soak finds what is not as stated, in both worlds alike: one group for one bug in however many scenarios, with its smallest
// seed, the command that repeats it, and the folder of that run and no other.
func TestSoakFinds(t *testing.T) {
	one, two := wrongly(t, "stale-periodic-flush"), wrongly(t, "stale-revoke-flush")
	for _, on := range []cluster.Cluster{sim.Cluster{}, onServers{sim.Cluster{}}} {
		q := aSoak(t, on, one, two, "calm")
		q.For = time.Hour
		ctx, enough := context.WithCancel(t.Context())
		q.Look = func(s Tally) {
			if s.Runs >= 60 {
				enough()
			}
		}
		if on.Facts().Kind != "sim" {
			q.Workers = 1
		}
		s, err := Soak(ctx, q)
		if !errors.Is(err, context.Canceled) || s == nil || s.Runs < 60 || s.Exit != controller.ExitRig || s.Error == "" {
			t.Fatalf("interrupted: %v, %+v", err, s)
		}
		i := slices.IndexFunc(s.Findings, func(f *Finding) bool { return f.Property == checker.NoStaleOverwrite })
		if i < 0 || s.Failures < 10 || exitOf(s.Findings) != controller.ExitDeviates || s.Unknown+s.Vacuous+s.Rig > 0 {
			t.Fatalf("on %s: %+v", on.Facts().Kind, s.Told())
		}
		f := s.Findings[i]
		if f.Seed != 100 || f.Count < 10 || f.Arm != persistence.CassandraLWW ||
			!slices.Equal(f.Scenarios, []string{"stale-periodic-flush", "stale-revoke-flush"}) {
			t.Errorf("%+v", f)
		}
		if want := fmt.Sprintf(" --arm %s --seed 100", f.Arm); !strings.HasPrefix(f.Again,
			"chaos run "+filepath.Dir(one)[:5]) || !strings.HasSuffix(f.Again, want) {
			t.Errorf("again: %s", f.Again)
		}
		var v controller.Verdict
		b, err := os.ReadFile(filepath.Join(f.Folder, "verdict.json"))
		if err = errors.Join(err, json.Unmarshal(b, &v)); err != nil || v.Seed != f.Seed ||
			v.Properties[f.Property].Summary != f.Sentence {
			t.Errorf("recorded: %v, seed %d: %+v", err, v.Seed, v.Properties[f.Property])
		}
		var kept []string
		for _, f := range s.Findings {
			kept = append(kept, f.Folder, filepath.Join(f.Folder, "story.md"))
		}
		entries, err := os.ReadDir(q.Out)
		if err != nil || len(entries) != len(s.Findings)+2 {
			t.Errorf("%v: %d findings, and in the folder are %v", err, len(s.Findings), entries)
		}
		for _, path := range append(kept, filepath.Join(q.Out, "soak.md")) {
			if _, err := os.Stat(path); err != nil {
				t.Error(err)
			}
		}
		var again Soaked
		b, err = os.ReadFile(filepath.Join(q.Out, "soak.json"))
		if err = errors.Join(err, json.Unmarshal(b, &again)); err != nil || again.Runs != s.Runs ||
			again.Exit != s.Exit || len(again.Findings) != len(s.Findings) {
			t.Errorf("soak.json: %v, %+v", err, again)
		}
	}
}

// What is as stated leaves nothing but the summary, and what may be is a number.
func TestSoakHolds(t *testing.T) {
	const may = 51 // its first run, of the arm without a fence, shows what may be
	for _, on := range []cluster.Cluster{sim.Cluster{}, onServers{sim.Cluster{}}} {
		q := aSoak(t, on, "overlap-random", "calm")
		q.For, q.Workers, q.Seed = 200*time.Millisecond, 1, may
		s, err := Soak(t.Context(), q)
		if err != nil || s.Exit != controller.ExitExpected || len(s.Findings) > 0 || s.Runs == 0 || s.Allowed == 0 {
			t.Fatalf("%v: %+v", err, s)
		}
		if rounds := int64(s.Runs / s.Arms); s.From != may || s.To < may+rounds-1 || s.To > may+rounds || s.Last < 1 ||
			s.Last > s.Arms {
			t.Errorf("%d runs of %d arms: seeds %d to %d, the last with %d", s.Runs, s.Arms, s.From, s.To, s.Last)
		}
		entries, err := os.ReadDir(q.Out)
		if err != nil || len(entries) != 2 {
			t.Errorf("%v: %v", err, entries)
		}
	}
	// However short the time is, one run is begun.
	if s, err := Soak(t.Context(), aSoak(t, sim.Cluster{}, "calm")); err != nil || s.Runs == 0 || s.Last == 0 {
		t.Errorf("%v: %+v", err, s)
	}
}

// The folder of a run that has found two things stays as long as one of them refers to it.
func TestSoakKeepsWhatIsReferredTo(t *testing.T) {
	dir := t.TempDir()
	finding := func(kind string, seed int64, folder string) *Finding {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
		return &Finding{Kind: kind, Fingerprint: kind, Count: 1, Seed: seed, Folder: filepath.Join(dir, folder)}
	}
	s := &Soaked{groups: groups{by: map[string]*Finding{}}}
	for _, run := range [][]*Finding{
		{finding("fail", 2, "two")},
		{finding("fail", 3, "three"), finding(failure.Rig, 3, "three")},
		{finding("fail", 1, "one")},
		{finding("fail", 4, "four")},
	} {
		s.took(run)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 || entries[0].Name() != "one" || entries[1].Name() != "three" {
		t.Errorf("%v: %v", err, entries)
	}
	for _, f := range s.groups.by {
		if _, err := os.Stat(f.Folder); err != nil {
			t.Error(err)
		}
	}
}

// An error of the rig is told apart, and its history is kept; several in a row end the soak.
func TestSoakRigErrors(t *testing.T) {
	q := aSoak(t, onServers{failing{}}, "calm")
	q.For, q.Workers, q.Seed = 100*time.Millisecond, 1, 102 // whose runs fail
	s, err := Soak(t.Context(), q)
	if err != nil || s.Exit != controller.ExitRig || s.Rig == 0 || s.Failures > 0 || s.Runs < s.Rig {
		t.Fatalf("%v: %+v", err, s)
	}
	for _, f := range s.Findings {
		if _, err := os.Stat(filepath.Join(f.Folder, "run.json")); f.Kind != failure.Rig || f.Folder == "" || err != nil {
			t.Errorf("%v: %+v", err, f)
		}
	}
	q = aSoak(t, onServers{gone{}}, "calm")
	q.For, q.Workers = time.Hour, 1
	if s, err = Soak(t.Context(), q); !errors.Is(err, errBroken) || s == nil || s.Runs != mostBroken ||
		s.Rig != mostBroken || s.Exit != controller.ExitRig {
		t.Errorf("%v: %+v", err, s)
	}
}

// gone is servers that are no more.
type gone struct{ sim.Cluster }

func (gone) Open(context.Context, cluster.Spec, history.Recorder) (cluster.World, error) {
	return nil, errors.New("nobody answers")
}

// However many kinds of failure there are, only so many runs are kept.
func TestSoakKeepsFewFolders(t *testing.T) {
	s := &Soaked{groups: groups{by: map[string]*Finding{}}}
	dir := t.TempDir()
	for i := range mostRecorded + 10 {
		for n := range 2 {
			f := &Finding{Fingerprint: fmt.Sprint(i), Seed: int64(n), Count: 1,
				Folder: filepath.Join(dir, fmt.Sprintf("%d-%d", i, n))}
			if err := os.Mkdir(f.Folder, 0o755); err != nil {
				t.Fatal(err)
			}
			s.took([]*Finding{f})
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != mostRecorded || len(s.groups.by) != mostRecorded+10 ||
		s.groups.all() != 2*(mostRecorded+10) {
		t.Errorf("%v: %d folders of %d groups", err, len(entries), len(s.groups.by))
	}
}

// What cannot be done is said before anything is started, and leaves nothing.
func TestSoakMistakes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Soaking){
		"no scenario is called":        func(q *Soaking) { q.Scenarios = []string{"clam"} },
		"given twice":                  func(q *Soaking) { q.Scenarios = []string{"calm", "calm"} },
		"exists already":               func(q *Soaking) { q.Out = t.TempDir() },
		"make the folder":              func(q *Soaking) { q.Out = filepath.Join(file, "out") },
		"file exists already; what wa": func(q *Soaking) { q.Out = file },
	} {
		q := aSoak(t, sim.Cluster{}, "calm")
		q.Open = func(context.Context, cluster.Size) (cluster.Cluster, error) {
			t.Errorf("%s: a cluster was started", name)
			return nil, errors.New("no")
		}
		change(&q)
		var usage *controller.Usage
		if s, err := Soak(t.Context(), q); s != nil || !errors.As(err, &usage) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	q := aSoak(t, sim.Cluster{}, "calm")
	q.Open = func(context.Context, cluster.Size) (cluster.Cluster, error) { return nil, errors.New("no engine") }
	if s, err := Soak(t.Context(), q); s != nil || err == nil {
		t.Errorf("%v: %+v", err, s)
	}
	if _, err := os.Stat(q.Out); err == nil {
		t.Error("an empty folder was left")
	}
}
