package workload

import (
	"fmt"
	"time"

	"github.com/single-writer/chaos/history"
)

// life is one life of one worker: one member of the group, one process. It polls, folds, flushes and commits until an
// error ends it; then the next life begins, after a while.
type life struct {
	crew     *Crew
	config   Config
	process  string
	number   int
	failures int
	running  bool
	// parting: the life has failed, and its member leaves the group by itself.
	parting bool

	connection connection

	world  World
	member Member
	token  Token
	flows  map[int32]*flow
	writes int64
	// polled is when the last poll returned: max.poll.interval runs from there.
	polled time.Duration
	// poison is the error by which the worker's next step ends, when a plan wants it to.
	poison error
	// due are the flows that the task of its flushes has still to flush, flushing that it runs, and flushed by what error it
	// ended.
	due      []*flow
	flushing bool
	flushed  error
}

// healthyAfter is how long a life must last for the backoff to begin anew.
const healthyAfter = 5 * time.Minute

func (l *life) nextWrite() int64 {
	l.writes++
	return l.writes
}

// run is the process.
func (l *life) run(w World) {
	l.world, l.flows = w, map[int32]*flow{}
	began := w.Now()
	w.Note(history.Life, &history.LifeEvent{Status: "begin"})
	err := l.work()
	l.teardown()
	w.Note(history.Life, &history.LifeEvent{Status: "failed", Error: err.Error()})
	l.parting = true
	if l.member != nil {
		l.member.Leave()
	}
	if w.Now()-began > healthyAfter {
		l.failures = 0
	}
	w.Sleep(l.backoff())
	l.running = false
	l.crew.begin(w, l.config, l.failures+1)
}

// teardown gives up every partition after an error, those included that are the worker's no longer: it cannot know.
func (l *life) teardown() {
	l.world.Point(history.PointReached{Point: history.PointTeardown, Partition: -1, Owner: l.token})
	for p := range l.crew.Input.Partitions {
		if f, ok := l.flows[int32(p)]; ok {
			f.giveUp()
			delete(l.flows, int32(p))
		}
	}
}

// backoff doubles with every failed life.
func (l *life) backoff() time.Duration {
	d := l.config.Backoff
	for range l.failures {
		if d *= 2; d >= l.config.BackoffMax {
			return l.config.BackoffMax
		}
	}
	return d
}

// work is the poll loop. It ends by an error only.
func (l *life) work() error {
	member, err := l.crew.Consumers.NewMember(l.process, l.config.Member)
	if err != nil {
		return fmt.Errorf("join the group: %w", err)
	}
	l.member = member
	for {
		p := member.Poll(l.config.MaxPollRecords, l.config.PollTimeout)
		l.polled = l.world.Now()
		if p.Err != nil {
			return fmt.Errorf("poll: %w", p.Err)
		}
		if err := l.turn(p); err != nil {
			return err
		}
	}
}

// turn deals with what one poll returned. What is taken away is given up under the token that held so far; all else goes on
// under the poll's own.
func (l *life) turn(p Polled) error {
	switch p.Change {
	case WasAssigned:
		l.token = p.Token
		l.refresh(p.Token)
		for _, a := range p.Partitions {
			f, err := l.recover(p.Token, a)
			if err != nil {
				return err
			}
			l.flows[a.Partition] = f
		}
	case WasRevoked:
		l.release(p, history.PointRevoked)
		l.refresh(p.Token)
	case WasLost:
		l.release(p, history.PointLost)
	default:
		l.refresh(p.Token)
		return l.batch(p.Records)
	}
	return nil
}

// refresh makes the partitions that the worker keeps go on under the token of its last poll (kafka-flow: `poll <* refresh`).
func (l *life) refresh(token Token) {
	for _, f := range l.flows {
		l.token, f.token, f.store.Owner = token, token, token
	}
}

// release drops the flows of partitions that are not the worker's any more.
func (l *life) release(p Polled, point string) {
	for _, a := range p.Partitions {
		f, ok := l.flows[a.Partition]
		if !ok {
			continue
		}
		f.reach(point, "", f.next, "")
		f.giveUp()
		delete(l.flows, a.Partition)
	}
}

// batch gives each partition its records, then ticks every flow, in the order of partitions.
func (l *life) batch(records []Record) error {
	for first := 0; first < len(records); {
		end := first
		for end < len(records) && records[end].Partition == records[first].Partition {
			end++
		}
		if f, ok := l.flows[records[first].Partition]; ok {
			if err := f.take(records[first:end]); err != nil {
				return err
			}
		}
		first = end
	}
	for p := range l.crew.Input.Partitions {
		if f, ok := l.flows[int32(p)]; ok {
			if err := f.tick(); err != nil {
				return err
			}
		}
	}
	return nil
}
