package replay

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/single-writer/chaos/cluster/board"
	"github.com/single-writer/chaos/controller"
	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/nemesis"
	"github.com/single-writer/chaos/workload"
)

// order makes a run go in the order of a recorded one, as far as that can be done from the workers' side: each of them stands
// still until it is its turn to do what it did, and so do the plan and the producer.
//
// A worker is kept where it stands before a step, so that nothing of the step has happened. Only where it polled meanwhile it is
// let go early, since a poll takes part in the group's rebalances: its polls then return what they returned, when it is its turn
// (driven.go), and what is due by a clock is due when it was. While a request is under way nobody else goes on: it takes effect
// where it is sent. In the simulator it may have taken effect later, after what others did meanwhile: where that makes another
// outcome, the order says so and ends.
//
// What comes first otherwise than it was recorded is the end of it: from there on nobody is kept.
type order struct {
	wanted []wanted
	// queue are the places in wanted of what each process has still to do, cursor is the next of all.
	queue  map[string][]int
	cursor int
	// amid tells of each process whether the point that it came to last is in the middle of something.
	amid map[string]bool
	// last is the process that did the last, and since when.
	last  string
	since time.Duration
	// slower is how many times slower than recorded the run is.
	slower int
	board  *board.Board
	// undriven is the first that came otherwise; over that nobody is kept any more.
	undriven *Undriven
	over     bool
}

// wanted is one thing that was done, and is to be done in its turn.
type wanted struct {
	process, deed string
	line          int
	// point is the point that was reached, with its partition and offset; empty where it was none.
	point     string
	partition int32
	offset    int64
	// generation is that under which the worker held the partition then.
	generation int32
	// polled tells that it was a poll that returned it, begins that something began with it, some time after what the process did
	// before. arms tells that the plan began to look out for a moment, vain that the moment did not come.
	// newcomer that a life of a worker began.
	polled, begins, arms, vain, newcomer bool
	// at is when it was done, gap the time since what anybody did before.
	at, gap time.Duration
	// lost is the proof that a message was lost by chance, which nothing here brings about between real servers.
	lost string
}

// Undriven is the first decision of a recorded run that did not come as it was recorded.
type Undriven struct {
	// Line is that of the recorded history, Recorded what was to come, Came what did: it is empty where nothing came in time.
	Line     int    `json:"line"`
	Recorded string `json:"recorded"`
	Came     string `json:"came,omitempty"`
	Why      string `json:"why"`
}

// newOrder takes the order of a recorded run, up to where the rig ended it.
func newOrder(h *history.History, slower int) *order {
	o := &order{queue: map[string][]int{}, amid: map[string]bool{}, slower: slower}
	var before int64
	own := map[string]int64{}
	for _, e := range h.Events {
		w := wantedOf(e)
		if w.lost == "" && !drivable(e) {
			continue
		}
		w.gap = time.Duration(e.Time - before)
		w.begins = e.Time > own[e.Process] && (w.point == "" && e.Type == history.Invoke || strings.HasPrefix(w.point, "before-"))
		o.queue[e.Process] = append(o.queue[e.Process], len(o.wanted))
		o.wanted, before, own[e.Process] = append(o.wanted, w), e.Time, e.Time
		if e.Process == history.Drain {
			break
		}
	}
	o.over = len(o.wanted) == 0
	return o
}

// wantedOf is what an event says by itself.
func wantedOf(e history.Event) wanted {
	w := wanted{process: e.Process, deed: controller.Deed(e), line: e.Line(), at: time.Duration(e.Time), polled: isPolled(e)}
	switch v := e.Value.(type) {
	case *history.PointReached:
		w.point, w.partition, w.offset, w.generation = v.Point, v.Partition, v.Offset.N, v.Generation
	case *history.PlanStep:
		w.arms = e.Process == history.Nemesis && v.Status == "armed"
		w.vain = nemesis.InVain(v)
	case *history.LifeEvent:
		w.newcomer = v.Status == "begin"
	case *history.FaultDone:
		if v.Fault == history.LostRequest || v.Fault == history.LostAnswer {
			w.lost = v.Proof
		}
	}
	return w
}

// drivable are events that are brought about by whom the board can keep: by workers, the plan, the producer, and at last the
// rig, when it stops the workers. What these answers say is the servers' own.
func drivable(e history.Event) bool {
	switch e.Process {
	case history.Producer:
		return e.F == history.Plan || e.F == history.Produce && e.Type == history.Invoke
	case history.Nemesis, history.Drain:
		v, ok := e.Value.(*history.FaultDone)
		return e.F == history.Plan || ok && v.Phase == history.PhaseBegin
	}
	return history.IsWorker(e.Process) && controller.Deed(e) != ""
}

// isPolled tells whether a poll has returned this.
func isPolled(e history.Event) bool {
	v, ok := e.Value.(*history.PointReached)
	return ok && slices.Contains([]string{history.PointAssigned, history.PointRevoked, history.PointLost,
		history.PointPolled}, v.Point)
}

// Drive makes the run of a board follow the order.
func (o *order) Drive(b *board.Board) {
	o.board = b
	b.Follow(o)
}

// next is the place of what a process is to do next; -1 when it has nothing more to do.
func (o *order) next(process string) int {
	if q := o.queue[process]; len(q) > 0 {
		return q[0]
	}
	return -1
}

// Arrive compares what a process is about to do with what it did.
func (o *order) Arrive(e history.Event) bool {
	if o.over || !drivable(e) {
		return false
	}
	switch i := o.next(e.Process); {
	case i < 0 && e.Process == history.Drain:
		o.part(Undriven{Line: o.line(), Recorded: o.text(o.cursor), Came: e.Process + " " + controller.Deed(e),
			Why: "the run came to its end before"})
	case i < 0:
		o.part(Undriven{Line: o.line(), Recorded: o.text(o.cursor), Came: e.Process + " " + controller.Deed(e),
			Why: fmt.Sprintf("%s did nothing more in the recorded run", e.Process)})
	case o.wanted[i].deed != controller.Deed(e):
		o.part(Undriven{Line: o.wanted[i].line, Recorded: o.text(i), Came: e.Process + " " + controller.Deed(e),
			Why: o.otherwise(i, e)})
	}
	return !o.over
}

// otherwise says why something may have come otherwise.
func (o *order) otherwise(i int, e history.Event) string {
	switch {
	case e.Type == history.OK || e.Type == history.Fail || e.Type == history.Info:
		return "the servers answered otherwise: what was under way at once took effect in another order, or the group was in another state"
	case o.wanted[i].polled || isPolled(e):
		return "the group, or a clock, decided otherwise: who is given a partition, and when somebody is put out, is the servers' to say"
	}
	return "the worker came to something else"
}

// Turn tells whether what the process is about to do is the next of all.
func (o *order) Turn(process string) bool {
	i := o.next(process)
	return o.over || i < 0 || o.ready(i)
}

// ready tells whether the place is the next of all, and nothing keeps it.
func (o *order) ready(i int) bool { return i == o.cursor && !o.waits(o.wanted[i].process) }

// Leave tells whether a process may begin with its next step.
func (o *order) Leave(process string) bool {
	i := o.next(process)
	switch {
	case o.over:
		return true
	case i < 0:
		// Where it did nothing more it may poll on; where it was about to send something, or awaited an answer, it was ended.
		return !o.amid[process]
	case o.wanted[i].polled || o.wanted[i].begins:
		return true
	case o.begets(process):
		return !o.waits(process)
	}
	return o.ready(i)
}

// begets tells whether the next of all is done by a task that the process has still to begin.
func (o *order) begets(process string) bool {
	task := o.wanted[o.cursor].process
	if !strings.HasPrefix(task, process+"/") {
		return false
	}
	_, _, running := o.board.Standing(task)
	return !running
}

// lastingRequest is how long a request may keep the others: most take milliseconds, and one whose answer is lost is not
// answered at all.
const lastingRequest = time.Second

// waits tells whether the request of another process is under way.
func (o *order) waits(process string) bool {
	return o.last != process && o.board.Asks(o.last) && o.board.Now()-o.since < lastingRequest
}

// Came takes what was done off the list.
func (o *order) Came(e history.Event) {
	if o.over || !drivable(e) {
		return
	}
	i := o.next(e.Process)
	if i != o.cursor {
		return // It came while nobody was kept.
	}
	o.queue[e.Process] = o.queue[e.Process][1:]
	point := o.wanted[i].point
	o.amid[e.Process] = strings.HasPrefix(point, "before-") || strings.HasSuffix(point, "-sent") || point == history.PointTeardown
	o.cursor, o.last, o.since = o.cursor+1, e.Process, time.Duration(e.Time)
	switch {
	case o.cursor == len(o.wanted):
		o.over = true
	case o.wanted[o.cursor].lost != "":
		o.part(Undriven{Line: o.line(), Recorded: o.wanted[o.cursor].lost,
			Why: "a message was lost by chance, and between real servers only a step of the plan loses one"})
	}
}

// part ends the order.
func (o *order) part(u Undriven) {
	o.over = true
	o.undriven = &u
}

// text says what was done in a place, line where.
func (o *order) text(i int) string { return o.wanted[i].process + " " + o.wanted[i].deed }
func (o *order) line() int         { return o.wanted[o.cursor].line }

const (
	// patience is how long the next of all may take, beside the time that it took when it was recorded: servers answer within
	// milliseconds, and a rebalance takes some polls and heartbeats.
	patience = 10 * time.Second
	// lookOut is how often whoever waits for a request of somebody else is asked again.
	lookOut = 20 * time.Millisecond
)

// Watch ends the order when nobody comes to what is next.
func (o *order) Watch(w workload.World) {
	for !o.over {
		w.Sleep(lookOut)
		if next := o.cursor; !o.over && w.Now()-o.since > o.limit() {
			o.part(Undriven{Line: o.line(), Recorded: o.text(next),
				Why: fmt.Sprintf("it did not come within %s: %s", o.limit().Round(time.Second), o.board.Where())})
		}
	}
}

func (o *order) limit() time.Duration {
	return patience + 2*time.Duration(o.slower)*o.wanted[o.cursor].gap
}
