package nemesis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// Fault is something that the nemesis can do to a worker.
type Fault struct {
	Name string
	// Does says what it does, Proof what shows that it took effect.
	Does, Proof string
	do          func(*Runner, workload.World, string) (proof string, err error)
	// arm is there instead of do for what takes effect only when the worker comes to it, after the step is done: the call
	// ends with the proof.
	arm func(*Runner, string) (persistence.Call[string], error)
}

// Faults is the registry: all faults, by name.
func Faults() []Fault {
	return []Fault{
		{history.FaultDeliver, "lets the worker's last commit that `lose-commit` has kept from the coordinator come there after all: " +
			"it was only late",
			"the coordinator's answer", (*Runner).deliver, nil},
		{history.FaultEvict, "takes the worker out of its group, as the Java client's heartbeat thread does past " +
			"max.poll.interval",
			"the coordinator's raw answer lists it no more", (*Runner).evict, nil},
		{history.FaultExpire, "makes the offset and the value of one account's row null, as the end of their TTL does; all " +
			"else of it lives on",
			"a plain read shows the row without them", (*Runner).expire, nil},
		{history.FaultFail, "makes the worker's next fold end in an error, as a poison record does, and releases it if it is held",
			"it stands in `teardown`, before it gives anything up", (*Runner).fail, nil},
		{history.FaultHold, "keeps the worker in the point that it stands in or comes to next; its heartbeats and " +
			"its poll clock go on",
			"it stands inside a point", (*Runner).hold, nil},
		{history.FaultKill, "ends the worker as a crash does: it sends nothing more, not even a goodbye",
			"its process has unwound; the coordinator's raw answer, which goes on listing it until its session is over", (*Runner).kill, nil},
		{history.FaultLose, "loses the answer that the worker awaits, whatever the request: it goes on, and nobody " +
			"learns what came of it or sends it again",
			"it awaits no answer any more", (*Runner).lose, nil},
		{history.FaultLoseAnswer, "lets the store do what the worker writes next, and cuts the connection before the worker is " +
			"told; a DELETE does not say whose it is, and is passed over",
			"what of the answer was held back, once it was", nil, losing(workload.WriteAnswer)},
		{history.FaultLoseCommit, "cuts the connection under the worker's next commit, before the coordinator is asked",
			"what of the request was not sent, once it was not", nil, losing(workload.CommitRequest)},
		{history.FaultLoseCommitAnswer, "lets the coordinator accept the worker's next commit, and cuts the connection " +
			"before the worker is told",
			"what of the answer was held back, once it was", nil, losing(workload.CommitAccepted)},
		{history.FaultLoseWrite, "cuts the connection under what the worker writes next, before the store is asked; a DELETE does not say " +
			"whose it is, and is passed over",
			"what of the request was not sent, once it was not", nil, losing(workload.WriteRequest)},
		{history.FaultPhantom, "tells the worker's next first write that somebody else has made the row, which is gone again " +
			"when it looks: a row that lived for a moment",
			"it will be told so", (*Runner).phantom, nil},
		{history.FaultProbe, "reads the rows of `all` keys, or of one, and the committed offsets, plainly",
			"the reads are in the history", (*Runner).probe, nil},
		{history.FaultReap, "takes one account's whole row away, as the end of the TTL of all of it does: its offset goes too, " +
			"and with it what refuses older writes",
			"a plain read before says whose row it was, one after what is there", (*Runner).reap, nil},
		{history.FaultRelease, "lets a held worker go on", "it is held no more", (*Runner).release, nil},
		{history.FaultStart, "starts the worker, in its next life", "its process has begun", (*Runner).start, nil},
		{history.FaultStop, "ends the worker without flush or commit; it leaves the group if it is still in it",
			"its process has unwound, and the coordinator's raw answer does not list it", (*Runner).stop, nil},
		{history.FaultUnreachable, "makes the worker's next statement find no connection to the store: it is not sent, " +
			"and the worker is told so",
			"it has no connection for its next statement", (*Runner).unreachable, nil},
	}
}

// FaultNames are the names of all faults.
func FaultNames() []string {
	var names []string
	for _, f := range Faults() {
		names = append(names, f.Name)
	}
	return names
}

// do does one action: it is announced, done, and proved.
func (r *Runner) do(w workload.World, a Action) error {
	all := Faults()
	i := slices.IndexFunc(all, func(f Fault) bool { return f.Name == a.Fault })
	if i < 0 {
		return fmt.Errorf("no fault is called %q; there are: %s", a.Fault, strings.Join(FaultNames(), ", "))
	}
	life, _ := r.Crew.Life(history.WorkerOf(a.Target))
	w.Note(history.Fault, &history.FaultDone{Fault: a.Fault, Target: a.Target, Life: life, Phase: history.PhaseBegin})
	if all[i].arm != nil {
		return r.later(w, a, all[i].arm)
	}
	proof, err := all[i].do(r, w, a.Target)
	if err != nil {
		return fmt.Errorf("%s %s: %w", a.Fault, a.Target, err)
	}
	life, _ = r.Crew.Life(history.WorkerOf(a.Target))
	w.Note(history.Fault, &history.FaultDone{Fault: a.Fault, Target: a.Target, Life: life, Phase: history.PhaseDone, Proof: proof})
	return nil
}

func (r *Runner) start(w workload.World, name string) (string, error) {
	process, err := r.Crew.Start(w, name)
	return process + " has begun", err
}

// running gives the process of a worker that must run for the fault to mean anything, or of the task "a/flush" of one.
func (r *Runner) running(target string) (string, error) {
	name, task, isTask := strings.Cut(target, "/")
	process, running := r.Crew.Life(name)
	switch {
	case process == "":
		return "", unfitf("the worker does not run: it was never started")
	case !running:
		return "", unfitf("the worker does not run: %s has ended, and no other life was begun", process)
	case isTask:
		process += "/" + task
		if _, _, runs := r.Stage.Standing(process); !runs {
			return "", unfitf("%s does not run now: %s", process, r.Moments.Where())
		}
	}
	return process, nil
}
