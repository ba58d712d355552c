package containers

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/moby/moby/client"

	"github.com/single-writer/chaos/cluster/containers/owner"
)

func TestContainersSweep(t *testing.T) {
	e := testEngine(t)
	self, err := owner.Self()
	if err != nil {
		t.Fatal(err)
	}
	network := func(run string, labels map[string]string) {
		t.Helper()
		if _, err := e.NetworkCreate(t.Context(), "chaos-"+run, client.NetworkCreateOptions{Labels: labels}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { removeRun(context.Background(), e, run) })
	}
	killed, live, halfway := randomID(), randomID(), randomID()
	network(live, self.Labels(live))

	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "CHAOS_TEST_START="+killed)
	output, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer removeRun(context.Background(), e, killed)
	defer child.Process.Kill()
	for lines := bufio.NewScanner(output); lines.Scan(); {
		t.Log("child:", lines.Text())
		if strings.HasPrefix(lines.Text(), "starting") {
			break
		}
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for len(of(t, e, killed)) < 4 {
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatal("the child started no container")
		}
	}

	// While the child lives, its things stay.
	if _, err := sweep(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if len(of(t, e, killed)) < 4 {
		t.Error("a living owner's things were removed")
	}

	child.Process.Kill()
	child.Wait()
	dead := self
	dead.PID, dead.Started = child.Process.Pid, "1"
	network(halfway, dead.WarmLabels(halfway))

	removed, err := sweep(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	t.Log("removed", removed)
	if left := of(t, e, killed); len(left) > 0 {
		t.Errorf("of the killed run there is still %v", left)
	}
	if len(of(t, e, live)) != 1 {
		t.Error("the network of this living process is gone")
	}
	if left := of(t, e, halfway); len(left) > 0 {
		t.Errorf("of warm servers that were never complete there is still %v", left)
	}
}

func TestAbandoned(t *testing.T) {
	self := owner.Owner{PID: os.Getpid(), Started: "never", Boot: "now", Namespace: "n"}
	labels := self.Labels("r")
	before := owner.Owner{PID: 1, Started: "1", Boot: "before", Namespace: "n"}
	elsewhere := owner.Owner{PID: 1, Started: "1", Boot: "now", Namespace: "other"}
	for name, c := range map[string]struct {
		t    thing
		here bool
		want bool
	}{
		"its process was replaced":         {thing{owner: self, labels: labels, running: true}, true, true},
		"kept warm":                        {thing{owner: self, labels: self.WarmLabels("r"), warm: true}, true, false},
		"to be kept, and killed before":    {thing{owner: self, labels: self.WarmLabels("r")}, true, true},
		"before a restart of the machine":  {thing{owner: before, labels: labels}, true, true},
		"another boot, and it runs":        {thing{owner: before, labels: labels, running: true}, true, false},
		"another boot, the engine is away": {thing{owner: before, labels: labels}, false, false},
		"another pid namespace":            {thing{owner: elsewhere, labels: labels}, true, false},
	} {
		if got, err := c.t.abandoned(self, c.here); got != c.want || err != nil {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
	}
}
