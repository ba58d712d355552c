package clients

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/single-writer/chaos/cluster/board"
	"github.com/single-writer/chaos/cluster/clients/wire"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// Each life has connections of its own to Kafka. Those to Cassandra all lives of all runs share: there a statement says whose it
// is, with the name of its run before that of its process.

// Arm arms a rule at once; its call ends with the run if not before.
func (w *World) Arm(who string, r workload.Rule) persistence.Call[string] {
	if r.Server() == workload.OfCassandra {
		return w.awaits(w.servers.wire.Rules.Arm(w.inStore(who), r))
	}
	return w.awaits(w.wire.Arm(who, r))
}

// CutOff puts up a wall.
func (w *World) CutOff(who string, b workload.Wall) persistence.Call[string] {
	if b.From == workload.OfCassandra {
		return w.awaits(w.servers.wire.Rules.Wall(w.inStore(who), b))
	}
	return w.awaits(w.wire.Wall(who, b))
}

func (w *World) awaits(a *wire.Armed, err error) persistence.Call[string] {
	if err != nil {
		c := board.NewCall[string](w.board)
		c.Finish("", persistence.Failed, err)
		return c
	}
	return call(w, wholeRun, a.Await)
}

// wholeRun is longer than any run.
const wholeRun = 24 * time.Hour

// inStore is a name as statements have it.
func (w *World) inStore(who string) string { return w.group + " " + who }

// Lift ends what was armed.
func (w *World) Lift(who string) persistence.Call[string] {
	return call(w, requestTimeout, func(context.Context) (string, error) {
		told := append(w.wire.Lift(who), w.servers.wire.Rules.Lift(w.inStore(who))...)
		if len(told) == 0 {
			return "", &persistence.Error{Code: "nothing", NoEffect: true, Err: errors.New("there is nothing on the wire of " + who + " to lift")}
		}
		return strings.Join(told, "; "), nil
	})
}

// Deliver sends the commit that was lost as it was.
func (w *World) Deliver(process string) persistence.Call[string] {
	return call(w, requestTimeout, func(ctx context.Context) (string, error) {
		words, _, err := w.wire.Deliver(ctx, process)
		return words, err
	})
}

// clearWire ends all rules of the run: what they hold is lost with it.
func (w *World) clearWire() {
	w.wire.Clear(func(string) bool { return true })
	w.servers.wire.Rules.Clear(func(who string) bool { return strings.HasPrefix(who, w.group+" ") })
}
