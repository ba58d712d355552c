package sim

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/single-writer/chaos/cluster/board"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// wire is what acts upon the messages of workers because somebody wants it to. What acts by chance is in lossy.go.
type wire struct {
	// armed counts what was armed: only a message of a request that is sent after it is meant.
	armed int
	rules []*rule
	// lostCommits are commits that were lost and can come late, by process: the last one of each.
	lostCommits map[string]func(b *broker, reply func(code string))
}

// rule is one that was armed, or a wall.
type rule struct {
	workload.Rule
	wall   *workload.Wall
	who    string
	number int
	// seen and struck count the messages that were meant, and those that it struck.
	seen, struck int
	call         *board.Call[string]
	// kept let go what it has made late, in order.
	kept []func()
	// silenced are the connections on which it lets nothing more through.
	silenced []*connection
}

// errCut is what a client is told whose connection broke: of the request, nothing.
var errCut = errors.New("the connection broke before the answer came")

// Arm arms a rule.
func (w *World) Arm(who string, r workload.Rule) persistence.Call[string] {
	return w.armRule(&rule{Rule: r, who: who}, r.Check())
}

// CutOff puts up a wall.
func (w *World) CutOff(who string, b workload.Wall) persistence.Call[string] {
	return w.armRule(&rule{wall: &b, who: who}, b.Check())
}

func (w *World) armRule(r *rule, wrong error) persistence.Call[string] {
	r.call = board.NewCall[string](w.board)
	if wrong != nil {
		return failed(r.call, wrong)
	}
	w.wire.armed++
	r.number = w.wire.armed
	w.wire.rules = append(w.wire.rules, r)
	return r.call
}

// Lift ends what was armed for a name.
func (w *World) Lift(who string) persistence.Call[string] {
	call := board.NewCall[string](w.board)
	var lifted []*rule
	w.wire.rules = slices.DeleteFunc(w.wire.rules, func(r *rule) bool {
		if r.who == who {
			lifted = append(lifted, r)
		}
		return r.who == who
	})
	if len(lifted) == 0 {
		return failed(call, fmt.Errorf("there is nothing on the wire of %s to lift", who))
	}
	var said []string
	for _, r := range lifted {
		said = append(said, r.told())
		for _, letGo := range r.kept {
			letGo()
		}
	}
	call.Finish(strings.Join(said, "; "), persistence.Answered, nil)
	return call
}

// told says what a rule has done.
func (r *rule) told() string {
	if r.wall != nil {
		return workload.Lifted(*r.wall, r.struck)
	}
	return workload.Lifted(r.Rule, r.struck)
}

// Deliver lets a commit that was lost come to the coordinator, over a connection of its own.
func (w *World) Deliver(process string) persistence.Call[string] {
	late := w.wire.lostCommits[process]
	if late == nil {
		call := board.NewCall[string](w.board)
		call.Finish("", persistence.Unknown, fmt.Errorf("no commit of %s was lost", process))
		return call
	}
	b := w.kafka.coordinator()
	if b == nil {
		return failed(board.NewCall[string](w.board), errNoCoordinator)
	}
	return request(w.board, b.server, &link{}, adminTimeout, func(reply func(string)) {
		late(b, func(code string) {
			if code == codeNone {
				code = "no error"
			}
			reply("OffsetCommit: " + code)
		})
	})
}

// strikes says that the rule has struck a message, which whoever armed it is told at once when it is the first.
func (r *rule) strikes(proof string) {
	r.struck++
	r.call.Finish(proof, persistence.Answered, nil)
}

// meaning gives the rule that strikes a message, of those that were armed before its request was sent.
func (x *wire) meaning(way workload.Way, process string, words []string, armed int) *rule {
	for i, r := range x.rules {
		if r.wall != nil || r.Way != way || r.number > armed || r.Spent(r.seen) || !slices.Contains(words, r.Message) ||
			!workload.Of(process, r.who) {
			continue
		}
		r.seen++
		if r.Strikes(r.seen) {
			if r.Over(r.seen) {
				x.rules = slices.Delete(x.rules, i, i+1)
			}
			return r
		}
	}
	return nil
}

// walling gives what lets a message not through whatever it is: a wall, or a rule that has silenced its connection. A statement
// that was under way when a wall went up is answered.
func (x *wire) walling(way workload.Way, process, server string, on *connection, armed int) *rule {
	for _, r := range x.rules {
		switch {
		case !workload.Of(process, r.who):
		case r.wall != nil:
			if r.wall.From == server && (on != nil || r.number <= armed) {
				return r
			}
		case r.Way == way && slices.Contains(r.silenced, on):
			return r
		}
	}
	return nil
}
