package history

import "strings"

// The processes of the rig. A worker's are called by the worker and the number of its life, "a/1", a task inside it by a
// further word, "a/1/flush".
const (
	// Drain is the script of the run and its last reads, Producer the input, Nemesis the plan, Observer the rig's reads in
	// the middle, Sentinel the looking out for evictions, and Wire a fault that comes about later than its step.
	Drain    = "drain"
	Producer = "producer"
	Nemesis  = "nemesis"
	Observer = "observer"
	Sentinel = "sentinel"
	Wire     = "wire"
)

// WorkerOf gives the worker of a process: "a" of "a/2", and of a task inside it.
func WorkerOf(process string) string {
	name, _, _ := strings.Cut(process, "/")
	return name
}

// LifeOf gives the life of a process, its tasks left out: "a/1" of "a/1/flush".
func LifeOf(process string) string {
	name, rest, _ := strings.Cut(process, "/")
	life, _, _ := strings.Cut(rest, "/")
	// A part of the name itself, as it is asked for of every event.
	return process[:min(len(name)+len("/")+len(life), len(process))]
}

// IsWorker tells whether a process is a life of a worker, or a task of one, and not one of the rig's.
func IsWorker(process string) bool { return strings.Contains(process, "/") }
