package nemesis

import (
	"fmt"
	"slices"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/workload"
)

// unwind ends the worker's process without letting it do anything more.
func (r *Runner) unwind(w workload.World, name string) (process string, err error) {
	if process, err = r.running(name); err != nil {
		return "", err
	}
	r.Stage.Unwind(process)
	if !w.Await(workload.DefaultWithin, func() bool {
		_, _, running := r.Stage.Standing(process)
		_, _, flushing := r.Stage.Standing(process + "/" + workload.TaskFlush)
		return !running && !flushing
	}) {
		return "", fmt.Errorf("%s has not unwound within %s: %s", process, workload.DefaultWithin, r.Moments.Where())
	}
	return process, nil
}

func (r *Runner) kill(w workload.World, name string) (string, error) {
	if _, err := r.unwind(w, name); err != nil {
		return "", err
	}
	r.Crew.Sever(name)
	return r.listed(w)
}

// listed is what the coordinator says at the end of who says no goodbye: it goes on listing it.
func (r *Runner) listed(w workload.World) (string, error) {
	if r.Sentinel.ill {
		return unasked, nil
	}
	answer, err := r.Sentinel.ask(w)
	return answer.Raw, err
}

// unasked is the proof of an end while a broker is not well: the coordinator may be the one, and is waited for in vain for as long as
// the rig's own requests may take, with the trouble going on.
const unasked = "its process has unwound; the coordinator is not asked while a broker is not well"

func (r *Runner) stop(w workload.World, name string) (string, error) {
	process, err := r.unwind(w, name)
	if err != nil {
		return "", err
	}
	r.Crew.Leave(name)
	if r.Sentinel.ill || r.Crew.Static(name) || r.behindWall(name) {
		return r.listed(w)
	}
	return r.gone(w, process, func(m history.MemberAtAll) bool { return m.Client == process })
}

func (r *Runner) evict(w workload.World, name string) (string, error) {
	process, err := r.running(name)
	if err != nil {
		return "", err
	}
	answer, err := r.Sentinel.ask(w)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(answer.Group.Members, func(m history.MemberAtAll) bool { return m.Client == process })
	if i < 0 {
		return "", unfitf("the coordinator does not list %s: %s", process, answer.Raw)
	}
	id := answer.Group.Members[i].Member
	removed, _, err := r.Truth.Evict(id).Await()
	switch {
	case err != nil:
		return "", err
	case removed.Code != "":
		return "", unfitf("the coordinator did not remove %s: %s", id, removed.Code)
	}
	// By its id, not by its process: a worker that is not held joins again, as a new member, before anybody looks.
	return r.gone(w, id, func(m history.MemberAtAll) bool { return m.Member == id })
}

// gone waits until the coordinator lists no such member any more; who names it in messages.
func (r *Runner) gone(w workload.World, who string, such func(history.MemberAtAll) bool) (raw string, err error) {
	until := w.Now() + workload.DefaultWithin
	for {
		answer, err := r.Sentinel.ask(w)
		switch {
		case err != nil && (!Unfit(err) || w.Now() >= until):
			return "", err
		case err != nil: // it will answer soon
		case !slices.ContainsFunc(answer.Group.Members, such):
			return answer.Raw, nil
		case w.Now() >= until:
			return "", fmt.Errorf("the coordinator still lists %s after %s: %s", who, workload.DefaultWithin, answer.Raw)
		}
		w.Sleep(lookEvery)
	}
}
