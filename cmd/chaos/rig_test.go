package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/moby/moby/client"

	"github.com/single-writer/chaos/cluster/containers/owner"
)

// rig is the real program as a process of its own, which a test can kill.
type rig struct {
	t     *testing.T
	cmd   *exec.Cmd
	owner owner.Owner
	// dir is where a run records.
	dir string
	// ended is closed when the process is gone; code is its exit code, -1 after a signal.
	ended chan struct{}

	mu     sync.Mutex
	stderr bytes.Buffer
	stdout bytes.Buffer
}

// patience is how long a rig may take to come to a moment: servers on a busy machine are slow to start.
const patience = 100 * time.Second

// build builds the program.
func build(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "chaos")
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("build chaos: %v\n%s", err, out)
	}
	return path
}

// startRig starts the program. Whatever becomes of the test, the process ends with it.
func startRig(t *testing.T, binary string, args ...string) *rig {
	t.Helper()
	r := &rig{t: t, cmd: exec.Command(binary, args...), ended: make(chan struct{})}
	errs, err := r.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r.owner = ownerOf(t, r.cmd.Process.Pid)
	var reading sync.WaitGroup
	for into, from := range map[*bytes.Buffer]io.Reader{&r.stderr: errs, &r.stdout: out} {
		reading.Go(func() {
			for lines := bufio.NewScanner(from); lines.Scan(); {
				r.mu.Lock()
				fmt.Fprintln(into, lines.Text())
				r.mu.Unlock()
			}
		})
	}
	go func() {
		reading.Wait()
		r.cmd.Wait()
		close(r.ended)
	}()
	t.Cleanup(func() {
		r.cmd.Process.Kill()
		<-r.ended
		if t.Failed() {
			t.Logf("chaos %s (%s)\n%s%s", strings.Join(args, " "), r.cmd.ProcessState, r.said(), r.printed())
		}
	})
	return r
}

// ownerOf is what things that the process makes are labelled with. The process has not been waited for, so that its id is
// its own.
func ownerOf(t *testing.T, pid int) owner.Owner {
	t.Helper()
	o, err := owner.Self()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	// Field 22, counted from behind the name, which is in brackets and may hold anything.
	o.PID, o.Started = pid, strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))[19]
	return o
}

// history is the file of one arm's history, of a run on real servers.
func (r *rig) history(scenario, arm string) string {
	return filepath.Join(r.dir, scenario+".cassandra-"+arm+".containers.seed-1", "history.jsonl")
}

func (r *rig) said() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stderr.String()
}

func (r *rig) printed() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stdout.String()
}

// until waits for a moment of a process that still runs.
func (r *rig) until(what string, come func() bool) {
	r.t.Helper()
	deadline := time.Now().Add(patience)
	for !come() {
		select {
		case <-r.ended:
			r.t.Fatalf("the program ended before %s", what)
		case <-time.After(5 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			r.t.Fatalf("%s has not come in %s", what, patience)
		}
	}
}

// kill is kill -9.
func (r *rig) kill() {
	r.t.Helper()
	if err := r.cmd.Process.Kill(); err != nil {
		r.t.Fatal(err)
	}
	<-r.ended
}

// interrupt is Ctrl-C.
func (r *rig) interrupt() {
	r.t.Helper()
	if err := r.cmd.Process.Signal(os.Interrupt); err != nil {
		r.t.Fatal(err)
	}
}

// end waits until the process has ended by itself, and gives its exit code, or the signal that ended it.
func (r *rig) end(within time.Duration) (code int, by syscall.Signal) {
	r.t.Helper()
	select {
	case <-r.ended:
	case <-time.After(within):
		r.t.Fatalf("the program has not ended within %s", within)
	}
	status := r.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return -1, status.Signal()
	}
	return status.ExitStatus(), 0
}

// left gives the containers and networks that the rigs have made and that are there.
func left(t *testing.T, rigs ...*rig) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	engine, err := client.New(client.FromEnv)
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	ours := client.Filters{}.Add("label", owner.LabelPID)
	containers, err := engine.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: ours})
	if err != nil {
		t.Fatal(err)
	}
	networks, err := engine.NetworkList(ctx, client.NetworkListOptions{Filters: ours})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	note := func(name string, labels map[string]string) {
		o, ok := owner.FromLabels(labels)
		for _, r := range rigs {
			if ok && o == r.owner {
				out = append(out, name)
			}
		}
	}
	for _, c := range containers.Items {
		note(strings.Join(c.Names, " "), c.Labels)
	}
	for _, n := range networks.Items {
		note("network "+n.Name, n.Labels)
	}
	return out
}

// recorded checks that a history is read to its last whole line, and gives the exit code of that.
func recorded(t *testing.T, file string) int {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out, errs strings.Builder
	code := run([]string{"check", "--json", file}, &out, &errs)
	var d struct {
		Exit      int
		Histories []checked
	}
	if err := json.Unmarshal([]byte(out.String()), &d); err != nil || len(d.Histories) != 1 || errs.Len() > 0 {
		t.Fatalf("%v: %s%s", err, out.String(), errs.String())
	}
	h := d.Histories[0]
	if whole := bytes.Count(b, []byte("\n")); h.Events+1 != whole {
		t.Errorf("%s has %d whole lines; a header and %d events were read: %s", file, whole, h.Events, h.Error)
	}
	if h.Report == nil {
		t.Fatalf("%s has no report: %s", file, h.Error)
	}
	if want := map[string]int{"fail": 1, "unknown": 4}[string(h.Report.Verdict)]; code != want || d.Exit != want {
		t.Errorf("%s: verdict %s, and exit %d", file, h.Report.Verdict, code)
	}
	t.Logf("%d events read, verdict %s, exit %d", h.Events, h.Report.Verdict, code)
	return code
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, os.ErrNotExist)
}

func holds(path, text string) bool {
	b, err := os.ReadFile(path)
	return err == nil && bytes.Contains(b, []byte(text))
}
