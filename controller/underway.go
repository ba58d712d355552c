package controller

import (
	"time"

	"github.com/single-writer/chaos/history"
)

// underWay records, and keeps which operations of workers have no answer yet, and since when a write whose outcome nobody knows
// has left its worker.
type underWay struct {
	history.Recorder
	open map[int64]call
	// unknown is when the last write was answered by "unknown", ended when each life was ended by the plan.
	unknown *time.Duration
	ended   map[string]time.Duration
	// healed is when a server was healed last, or the wire: what had come so far, and waited there, goes on then.
	healed time.Duration
}

// call is an operation without an answer.
type call struct {
	f       history.F
	process string
}

// Record records the event.
func (u *underWay) Record(e history.Event) history.Event {
	e = u.Recorder.Record(e)
	switch v, isFault := e.Value.(*history.FaultDone); {
	case isFault && v.Phase == history.PhaseDone && (v.Fault == history.FaultHealServer || v.Fault == history.FaultLift):
		u.healed = time.Duration(e.Time)
	case isFault && v.Phase == history.PhaseDone && (v.Fault == history.FaultKill || v.Fault == history.FaultStop):
		if u.ended == nil {
			u.ended = map[string]time.Duration{}
		}
		u.ended[v.Life] = time.Duration(e.Time)
	case !e.F.IsOp() || !history.IsWorker(e.Process):
	case e.Type == history.Invoke && u.open == nil:
		u.open = map[int64]call{e.Op: {e.F, e.Process}}
	case e.Type == history.Invoke:
		u.open[e.Op] = call{e.F, e.Process}
	default:
		if e.Type == history.Info && e.F.IsWrite() {
			at := time.Duration(e.Time)
			u.unknown = &at
		}
		delete(u.open, e.Op)
	}
	return e
}

// busy tells whether a process that still runs awaits an answer.
func (u *underWay) busy(runs func(process string) bool) bool {
	for _, c := range u.open {
		if runs(c.process) {
			return true
		}
	}
	return false
}

// unsettled is for how long from now on a write in doubt may still take effect, when none does that left its worker longer ago
// than settle: no statement leaves a worker that has ended, or that was told to wait for it no more. One that had come to a
// server which was not well then is done when that is healed.
func (u *underWay) unsettled(now, settle time.Duration) time.Duration {
	last := -settle
	if u.unknown != nil {
		last = *u.unknown
	}
	for _, c := range u.open {
		if !c.f.IsWrite() {
			continue
		}
		at, ended := u.ended[history.LifeOf(c.process)]
		if !ended {
			at = now
		}
		last = max(last, at)
	}
	if last > -settle {
		last = max(last, u.healed)
	}
	return max(0, last+settle-now)
}
