package containers

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/moby/moby/client"

	"github.com/single-writer/chaos/cluster/containers/harm"
	"github.com/single-writer/chaos/history"
)

const (
	needProcessors = 2
	// needRoom is what one Kafka and one Cassandra take of the memory: heaps of 512 MiB and what the JVMs have beside them.
	// On the disk the commit log and the containers' own layers are not more. Three of each take less than three times as
	// much, as heaps are seldom full.
	needRoom, needRoomOfThree = 2 * gib, 4 * gib

	gib = 1 << 30
)

func (x *examination) processors(ctx context.Context) Check {
	info, err := x.engine.Info(ctx, client.InfoOptions{})
	if err != nil {
		return problem("look into the engine's own log", "%v", err)
	}
	return enoughProcessors(info.Info.NCPU)
}

func enoughProcessors(n int) Check {
	if n < needProcessors {
		return problem(fmt.Sprintf("give the machine %d: two servers that start on one may miss the time-outs of a scenario", needProcessors),
			"%d", n)
	}
	return fine("%d", n)
}

// memory is what the engine's machine has left, or all it has where that can't be seen.
func (x *examination) memory(ctx context.Context) Check {
	if x.here() {
		f, err := os.Open("/proc/meminfo")
		if err == nil {
			defer f.Close()
			for lines := bufio.NewScanner(f); lines.Scan(); {
				var kib uint64
				if n, _ := fmt.Sscanf(lines.Text(), "MemAvailable: %d kB", &kib); n == 1 {
					return enough("memory", "available", kib<<10)
				}
			}
		}
	}
	info, err := x.engine.Info(ctx, client.InfoOptions{})
	if err != nil {
		return problem("look into the engine's own log", "%v", err)
	}
	return enough("memory", "in all", uint64(info.Info.MemTotal))
}

func (x *examination) disk(ctx context.Context) Check {
	info, err := x.engine.Info(ctx, client.InfoOptions{})
	if err != nil {
		return problem("look into the engine's own log", "%v", err)
	}
	var s syscall.Statfs_t
	if !x.here() {
		return Check{State: Unchecked, Found: "the engine is on another machine"}
	}
	if err := syscall.Statfs(info.Info.DockerRootDir, &s); err != nil {
		return Check{State: Unchecked, Found: fmt.Sprintf("%s can't be seen from here: %v", info.Info.DockerRootDir, err)}
	}
	return enough("disk", "free in "+info.Info.DockerRootDir, s.Bavail*uint64(s.Bsize))
}

func enough(what, which string, have uint64) Check {
	if have < needRoom {
		return problem(fmt.Sprintf("make room: a Kafka and a Cassandra take %d GiB of %s", needRoom/gib, what),
			"%.1f GiB %s", float64(have)/gib, which)
	}
	short := ""
	if have < needRoomOfThree {
		short = fmt.Sprintf("; three of each take %d", needRoomOfThree/gib)
	}
	return fine("%.1f GiB %s%s", float64(have)/gib, which, short)
}

// here says that the engine is on this machine.
func (x *examination) here() bool { return strings.HasPrefix(x.engine.DaemonHost(), "unix://") }

// network makes the networks as a start does, which takes bridges and rules of the packet filter, and looks whether this
// machine is on that of the clients: Cassandra is reached at its own address there.
func (x *examination) network(ctx context.Context) Check {
	began := time.Now()
	run := randomID()
	made := networksOf(run)
	if err := made.make(ctx, engine{x.engine}, x.self.Labels(run)); err != nil {
		err = errors.Join(err, removeRun(ctx, x.engine, run))
		return problem("look into the engine's own log: it needs bridges and iptables, and the right to make them", "%v", err)
	}
	gateway, err := reachable(made.clients)
	if e := removeRun(ctx, x.engine, run); e != nil {
		return problem("look into the engine's own log", "networks were made and could not be removed: %v", e)
	}
	if err != nil {
		return problem("run chaos on the engine's own machine, in its own network namespace", "%v", err)
	}
	return fine("two bridges were made and removed in %d ms, this machine at %s", time.Since(began).Milliseconds(), gateway)
}

// reachable gives this machine's address in a network.
func reachable(n subnet) (at netip.Addr, err error) {
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return at, fmt.Errorf("look at the addresses of this machine: %w", err)
	}
	for _, a := range addresses {
		if p, err := netip.ParsePrefix(a.String()); err == nil && n.prefix.Contains(p.Addr()) {
			return p.Addr(), nil
		}
	}
	return at, errors.New("this machine has no address in the engine's networks: nothing in them could be reached")
}

// serverFaults tells what of harm can be done to servers here. What cannot is no problem of a run that does not do it.
func (x *examination) serverFaults(context.Context) Check {
	return harmless(x.here(), harm.Lacks(harm.Programs()...))
}

func harmless(here bool, lacks error) Check {
	switch {
	case !here:
		return fine("%s and %s; for others chaos must run on the engine's machine", history.FaultKillServer, history.FaultPauseServer)
	case lacks != nil:
		return fine("%s and %s; for others %v", history.FaultKillServer, history.FaultPauseServer, lacks)
	}
	return fine("all of them: root, and %s are there", strings.Join(harm.Programs(), ", "))
}
