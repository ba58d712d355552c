// Package owner names the process that a container or a network was made by, in labels that outlive
// it, and tells later whether that process is still there. By it a run may remove what a killed run
// left behind and can never remove what a living one uses.
package owner

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// The labels. A thing without [LabelPID] is none of ours.
const (
	prefix = "io.github.single-writer.chaos."

	// LabelPID, LabelStarted, LabelBoot and LabelNamespace identify the owning process.
	LabelPID       = prefix + "owner.pid"
	LabelStarted   = prefix + "owner.started"
	LabelBoot      = prefix + "owner.boot"
	LabelNamespace = prefix + "owner.pid-namespace"
	// LabelRun is the id of the run, or of the cluster, that the thing belongs to.
	LabelRun = prefix + "run"
	// LabelWarm marks what is to outlive its owner once it is complete: a cluster kept warm between runs.
	LabelWarm = prefix + "warm"
	// LabelServer names the server that a container runs, as kafka-1 or cassandra-3; LabelServers names all of its cluster.
	LabelServer  = prefix + "server"
	LabelServers = prefix + "servers"
	// LabelDefinition is the fingerprint of how the servers were set up.
	LabelDefinition = prefix + "definition"
)

// Owner identifies a process for all time: process ids are used again, but not with the same start
// time in the same boot of the same machine.
type Owner struct {
	PID       int
	Started   string // in clock ticks since the boot
	Boot      string // the kernel's id of this boot
	Namespace string // of process ids: a rig in a container sees other processes than one outside
}

// Fate is what became of an owner.
type Fate int

const (
	// Elsewhere: it can't be seen from here, since it lives in another PID namespace, which may be
	// that of another machine sharing the engine. What it owns must be left alone.
	Elsewhere Fate = iota
	// OtherBoot: it lived in another boot. Either this machine was restarted, which no process
	// survives, or it is on another machine that shares the engine. Only who knows where the engine
	// is can tell these apart.
	OtherBoot
	Alive
	Dead
)

func (f Fate) String() string { return [...]string{"elsewhere", "other boot", "alive", "dead"}[f] }

// Self returns the calling process.
func Self() (Owner, error) { return read(os.DirFS("/proc"), os.Getpid(), os.Readlink) }

func read(proc fs.FS, pid int, readlink func(string) (string, error)) (Owner, error) {
	boot, err := fs.ReadFile(proc, "sys/kernel/random/boot_id")
	if err != nil {
		return Owner{}, fmt.Errorf("identify this process (the rig runs containers from Linux only): %w", err)
	}
	namespace, err := readlink("/proc/self/ns/pid")
	if err != nil {
		return Owner{}, fmt.Errorf("identify this process's PID namespace: %w", err)
	}
	started, _, err := stat(proc, pid)
	if err != nil {
		return Owner{}, fmt.Errorf("identify this process: %w", err)
	}
	return Owner{PID: pid, Started: started, Boot: strings.TrimSpace(string(boot)), Namespace: namespace}, nil
}

// stat returns a process's start time and state.
func stat(proc fs.FS, pid int) (started string, state string, err error) {
	b, err := fs.ReadFile(proc, strconv.Itoa(pid)+"/stat")
	if err != nil {
		return "", "", err
	}
	// The second field is the command's name in parentheses, which may itself hold spaces and
	// parentheses: count from the last closing one.
	_, rest, ok := cutLast(string(b), ")")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 20 {
		return "", "", fmt.Errorf("read /proc/%d/stat: unexpected form %q", pid, b)
	}
	return fields[19], fields[0], nil // fields 22 and 3 of the whole line
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// Labels returns the labels for something that o makes for the given run.
func (o Owner) Labels(run string) map[string]string {
	return map[string]string{
		LabelPID:       strconv.Itoa(o.PID),
		LabelStarted:   o.Started,
		LabelBoot:      o.Boot,
		LabelNamespace: o.Namespace,
		LabelRun:       run,
	}
}

// WarmLabels returns the labels for something that is to outlive o.
func (o Owner) WarmLabels(run string) map[string]string {
	labels := maps.Clone(o.Labels(run))
	labels[LabelWarm] = "true"
	return labels
}

// FromLabels returns the owner that labels name. It is false for what isn't ours.
func FromLabels(labels map[string]string) (Owner, bool) {
	pid, err := strconv.Atoi(labels[LabelPID])
	o := Owner{PID: pid, Started: labels[LabelStarted], Boot: labels[LabelBoot], Namespace: labels[LabelNamespace]}
	return o, err == nil && o.Started != "" && o.Boot != "" && o.Namespace != ""
}

// Fate tells what became of o, as seen by the process self.
func (o Owner) Fate(self Owner) (Fate, error) { return o.fate(os.DirFS("/proc"), self) }

func (o Owner) fate(proc fs.FS, self Owner) (Fate, error) {
	switch {
	case o.Namespace != self.Namespace:
		return Elsewhere, nil
	case o.Boot != self.Boot:
		return OtherBoot, nil
	}
	started, state, err := stat(proc, o.PID)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Dead, nil
	case err != nil:
		return Elsewhere, fmt.Errorf("look for the process %d: %w", o.PID, err)
	case started != o.Started, state == "Z", state == "X":
		// Another process by now, or one that ended and only waits for its parent to notice.
		return Dead, nil
	}
	return Alive, nil
}

// Name names o where there is room for a word and not for labels: the prefix of a keyspace, a topic or a group. Only a
// process of the same boot and PID namespace can tell who it is.
func (o Owner) Name() string { return fmt.Sprintf("chaos_%d_%s_%s_", o.PID, o.Started, o.place()) }

// place is the boot and the PID namespace in short.
func (o Owner) place() string {
	sum := sha256.Sum256([]byte(o.Boot + " " + o.Namespace))
	return hex.EncodeToString(sum[:4])
}

var named = regexp.MustCompile(`^chaos_(\d+)_(\d+)_([0-9a-f]{8})_`)

// FromName returns the owner of what has the name. It is false for what isn't ours. An owner that lived in another boot or
// PID namespace than self has none of its own: its fate is [Elsewhere].
func FromName(name string, self Owner) (Owner, bool) {
	m := named.FindStringSubmatch(name)
	if m == nil {
		return Owner{}, false
	}
	pid, err := strconv.Atoi(m[1])
	o := Owner{PID: pid, Started: m[2]}
	if m[3] == self.place() {
		o.Boot, o.Namespace = self.Boot, self.Namespace
	}
	return o, err == nil
}
