package main

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/single-writer/chaos/cluster/containers/enginetest"
	"github.com/single-writer/chaos/controller"
)

// fromEnv reads a number that `make killed` gives.
func fromEnv(name string, otherwise int) int {
	n, err := strconv.Atoi(os.Getenv(name))
	if err != nil {
		return otherwise
	}
	return n
}

// TestContainersKilledAtRandom kills the rig at random instants, spread from before the first container to after the
// verdict, on servers of its own and on a warm cluster. Each time every whole line of its histories is read, the next start
// removes what it left, and what others have stays as it was: the warm cluster, a live run on it, and a live run on servers
// of its own. `make killed N=20` kills more often; a seed gives the same instants again.
func TestContainersKilledAtRandom(t *testing.T) {
	enginetest.Need(t)
	n, seed := fromEnv("CHAOS_KILLS", 4), fromEnv("CHAOS_KILL_SEED", int(time.Now().UnixNano()%1e6))
	k := &killing{t: t, binary: build(t), random: rand.New(rand.NewPCG(uint64(seed), 0))}
	t.Logf("CHAOS_KILLS=%d CHAOS_KILL_SEED=%d", n, seed)
	untouched := packetFilter(t)

	ownWarmCluster(t)
	k.chaos("up")
	k.live = []*rig{k.start("testdata/live.yaml", "--cold"), k.start("testdata/live.yaml")}
	for _, r := range k.live {
		r.until("its last commit", func() bool { return holds(r.history("live", "cas"), `"offset":4`) })
	}
	k.servers = []servers{serversOf(t, k.live[0]), warmServers(t)}
	enginetest.Ran(t, k.servers[1].kafkaVersion, k.servers[1].cassandraVersion)
	k.rules = packetFilter(t)

	for _, c := range []struct {
		name  string
		args  []string
		kills int
	}{{"on servers of its own", []string{"--cold"}, n}, {"on the warm cluster", nil, (n + 1) / 2}} {
		t.Run(c.name, func(t *testing.T) {
			k.t = t
			began := time.Now()
			whole := k.start("stale-periodic-flush", append(c.args, "--arm", "cassandra/lww", "--arm", "cassandra/cas")...)
			if code, by := whole.end(patience); code != controller.ExitExpected {
				t.Fatalf("a whole run: exit %d, signal %s", code, by)
			}
			took := time.Since(began)
			t.Logf("a whole run takes %.1f s", took.Seconds())
			for i := range c.kills {
				// One in each stretch of the run: by chance alone some would be without any.
				at := time.Duration((float64(i) + k.random.Float64()) / float64(c.kills) * float64(took))
				args := slices.Clone(c.args)
				if i%2 == 1 {
					args = append(args, "--keep") // what is not complete is kept for nobody
				}
				k.kill(at, args)
			}
		})
	}
	k.t = t
	for _, r := range k.live {
		interrupted(t, r)
	}
	k.chaos("down")
	if things := left(t, k.all...); len(things) > 0 {
		t.Errorf("at the end there is still: %v", things)
	}
	// What is gone may be another's on this machine, whose servers have ended meanwhile.
	stayed := slices.DeleteFunc(packetFilter(t), func(rule string) bool { return slices.Contains(untouched, rule) })
	if len(stayed) > 0 {
		t.Errorf("rules that were not in the packet filter before:\n%s", strings.Join(stayed, "\n"))
	}
}

// killing is one test of killed rigs.
type killing struct {
	t      *testing.T
	binary string
	random *rand.Rand
	all    []*rig
	// live are the runs that go on meanwhile, and servers those that they have.
	live    []*rig
	servers []servers
	rules   []string
}

// start starts a run on real servers.
func (k *killing) start(scenario string, args ...string) *rig {
	k.t.Helper()
	dir := k.t.TempDir()
	r := startRig(k.t, k.binary, slices.Concat([]string{"run", scenario, "--cluster", "containers", "--out", dir}, args)...)
	r.dir = dir
	k.all = append(k.all, r)
	return r
}

// chaos runs a command that must do what it is asked to, and gives what it said.
func (k *killing) chaos(args ...string) string {
	k.t.Helper()
	r := startRig(k.t, k.binary, args...)
	k.all = append(k.all, r)
	if code, by := r.end(patience); code != 0 {
		k.t.Fatalf("chaos %s: exit %d, signal %s\n%s", strings.Join(args, " "), code, by, r.said())
	}
	return r.printed()
}

// kill kills a run at an instant after its start, and looks at everything.
func (k *killing) kill(at time.Duration, args []string) {
	k.t.Helper()
	r := k.start("stale-periodic-flush", append(args, "--arm", "cassandra/lww", "--arm", "cassandra/cas")...)
	select {
	case <-time.After(at):
	case <-r.ended: // quicker than the whole run before
	}
	if err := r.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		k.t.Fatal(err)
	}
	<-r.ended
	histories, err := filepath.Glob(filepath.Join(r.dir, "*", "history.jsonl"))
	if err != nil {
		k.t.Fatal(err)
	}
	for _, file := range histories {
		if holds(file, "\n") {
			recorded(k.t, file)
		}
	}
	things := left(k.t, r)
	starts := k.sweep(r)
	k.t.Logf("killed after %5.2f s, with %d histories; it left %d containers and networks; %d starts removed them",
		at.Seconds(), len(histories), len(things), starts)

	for i, live := range k.live {
		select {
		case <-live.ended:
			k.t.Fatalf("a live run has ended:\n%s%s", live.said(), live.printed())
		default:
		}
		if made := k.servers[i].of(k.t, live); len(made.Keyspaces) != 1 || len(made.Topics) == 0 {
			k.t.Errorf("a live run has on its servers: %+v", made)
		}
	}
	if now := warmServers(k.t); now != k.servers[1] {
		k.t.Errorf("the warm cluster was %v and is %v", k.servers[1], now)
	}
}

// sweep starts chaos until nothing of the killed run is there, and tells how often that took. It takes more than one start
// when the engine was just making something at the kill: that comes into being a moment later.
func (k *killing) sweep(r *rig) (starts int) {
	k.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; {
		if out := k.chaos("up"); !strings.HasPrefix(out, "UP already") {
			k.t.Errorf("chaos up says of the warm cluster:\n%s", out)
		}
		starts++
		made := k.servers[1].of(k.t, r)
		things, rules := left(k.t, r), cmp.Diff(k.rules, packetFilter(k.t))
		// A group stays until the sessions of its members have ended.
		if len(things)+len(made.Keyspaces)+len(made.Topics) == 0 && rules == "" {
			return starts
		}
		if time.Now().After(deadline) {
			k.t.Fatalf("after %d starts there is still, of the killed run: %v, %+v\nthe packet filter before (-) and now (+):\n%s",
				starts, things, made, rules)
		}
	}
}
