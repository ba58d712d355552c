package scenarios

import (
	"fmt"
	"slices"
	"time"

	"github.com/single-writer/chaos/internal/nearest"
	"github.com/single-writer/chaos/workload"
)

// allWorkers is the entry whose settings all workers have, and the target of a probe of all keys.
const allWorkers = "all"

// setting is one key of a worker: how its value is read into a config, taken over into another, and written.
type setting struct {
	key string
	// meaning says what the setting does.
	meaning string
	read    func(*loader, *field, *workload.Config)
	take    func(to, from *workload.Config)
	text    func(*workload.Config) string
	// group tells that all members of a group must have the same.
	group bool
}

// leastTimeout is the shortest session and the shortest rebalance time-out that the real client, and the brokers as this
// rig starts them, accept.
const leastTimeout = 100 * time.Millisecond

// settings are a worker's keys. Only persisting and committing may be 0s, for after every poll: a wait of 0s between
// polls, heartbeats or restarts would let a loop turn while the simulator's clock stands still.
var settings = []setting{
	settingOf("assignor", readAssignor, func(c *workload.Config) *workload.Assignor { return &c.Member.Assignor }).ofGroup().
		means("`eager`, where every rebalance takes all partitions away first, or `cooperative`, where it takes only " +
			"those that move; the same for all members of a group"),
	settingOf("instance-id", readInstance, func(c *workload.Config) *string { return &c.Member.Instance }).
		means("the name by which the worker is a static member (group.instance.id, KIP-345): it says no goodbye when it ends, " +
			"who comes by the same name within its session takes its place without a rebalance, and the client that it was is fenced"),
	durationOf("max-poll-interval", leastTimeout, func(c *workload.Config) *time.Duration { return &c.Member.MaxPollInterval }).
		means("how long the worker may take from one poll to the next before its client leaves the group"),
	durationOf("session-timeout", leastTimeout, func(c *workload.Config) *time.Duration { return &c.Member.SessionTimeout }).
		means("how long the coordinator waits for a heartbeat before it puts the member out"),
	durationOf("heartbeat-interval", time.Millisecond, func(c *workload.Config) *time.Duration { return &c.Member.HeartbeatInterval }).
		means("how often the client sends one"),
	durationOf("request-timeout", time.Millisecond, func(c *workload.Config) *time.Duration { return &c.Member.RequestTimeout }).
		means("how long a request to the group may take before its outcome is unknown"),
	settingOf("max-poll-records", readMaxPollRecords, func(c *workload.Config) *int { return &c.MaxPollRecords }).
		means("the most records that a poll returns"),
	durationOf("poll-timeout", time.Millisecond, func(c *workload.Config) *time.Duration { return &c.PollTimeout }).
		means("how long a poll waits for the first record"),
	durationOf("persist-every", 0, func(c *workload.Config) *time.Duration { return &c.PersistEvery }).
		means("how often dirty states are flushed; 0s is after every poll"),
	durationOf(commitEvery, 0, func(c *workload.Config) *time.Duration { return &c.CommitEvery }).
		means("how often the lowest offset that is held is committed; 0s is after every poll"),
	switchOf("flush-on-revoke", func(c *workload.Config) *bool { return &c.FlushOnRevoke }).
		means("whether what is dirty is stored when partitions are revoked or lost, and when the worker ends by an " +
			"error; as in kafka-flow, without asking whether the partition is still the worker's"),
	wordOf("flush", "in-turn", "apart", func(c *workload.Config) *bool { return &c.FlushApart }).
		means("`in-turn`: between two polls. `apart`: in a task of its own, `a/flush` in a `hold`, beside the poll loop"),
	switchOf("ignore-persist-errors", func(c *workload.Config) *bool { return &c.IgnorePersistErrors }).
		means("whether a flush that fails is no reason for the worker to fail: the state stays dirty, is stored with a " +
			"later flush, and the commit stays below it"),
	wordOf("restore", "snapshots", "events", func(c *workload.Config) *bool { return &c.RestoreEvents }).ofGroup().
		means("`snapshots`, or `events`: from a journal of events, which the worker then keeps beside the snapshot, and " +
			"a list of keys; the same for all members of a group"),
	wordOf("recovery", "on-assignment", "lazy", func(c *workload.Config) *bool { return &c.LazyRecovery }).
		means("`on-assignment`: all keys when a partition is assigned. `lazy`: each key at its first record"),
	durationOf("backoff", time.Millisecond, func(c *workload.Config) *time.Duration { return &c.Backoff }).
		means("how long the worker waits after an error before it begins anew; it doubles with each error"),
	durationOf("backoff-max", time.Millisecond, func(c *workload.Config) *time.Duration { return &c.BackoffMax }).
		means("the longest that it waits"),
}

const mostPollRecords = 1_000_000

// settingOf makes a setting of a place in the config.
func settingOf[T any](key string, read func(*loader, *field, *workload.Config), in func(*workload.Config) *T) setting {
	return setting{
		key: key, read: read,
		take: func(to, from *workload.Config) { *in(to) = *in(from) },
		text: func(c *workload.Config) string { return fmt.Sprint(*in(c)) },
	}
}

func (s setting) means(text string) setting {
	s.meaning = text
	return s
}

func (s setting) ofGroup() setting {
	s.group = true
	return s
}

// durationOf is a duration of at least this.
func durationOf(key string, least time.Duration, in func(*workload.Config) *time.Duration) setting {
	s := settingOf(key, func(l *loader, f *field, c *workload.Config) {
		if d, ok := l.duration(f, least); ok {
			*in(c) = d
		}
	}, in)
	s.text = func(c *workload.Config) string { return short(*in(c)) }
	return s
}

// wordOf is a switch that has words of its own for off and on.
func wordOf(key, off, on string, flag func(*workload.Config) *bool) setting {
	s := settingOf(key, func(l *loader, f *field, c *workload.Config) {
		if text, ok := l.text(f); ok && l.known(word{text, f.at}, f.name, "words", []string{off, on}) {
			*flag(c) = text == on
		}
	}, flag)
	s.text = func(c *workload.Config) string {
		if *flag(c) {
			return on
		}
		return off
	}
	return s
}

func readMaxPollRecords(l *loader, f *field, c *workload.Config) {
	if n, ok := l.number(f, mostPollRecords); ok {
		c.MaxPollRecords = int(n)
	}
}

// switchOf is true or false.
func switchOf(key string, in func(*workload.Config) *bool) setting {
	return settingOf(key, func(l *loader, f *field, c *workload.Config) {
		if b, ok := l.boolean(f); ok {
			*in(c) = b
		}
	}, in)
}

// readInstance reads the name of a static member. Two workers may have the same, of which the second fences the first; all
// having it would be a slip.
func readInstance(l *loader, f *field, c *workload.Config) {
	name, ok := l.name(f)
	if ok && c.Name == "" {
		l.fail(name.at, "write it under the worker's own name", "an instance is one worker at a time, not all of them")
	}
	c.Member.Instance = name.text
}

// readAssignor also notes where the assignor of a worker's own stands: whether it is that of the others is judged at the end.
func readAssignor(l *loader, f *field, c *workload.Config) {
	name, ok := l.text(f)
	if ok && l.known(word{name, f.at}, "assignor", "assignors", []string{string(workload.Eager), string(workload.Cooperative)}) {
		c.Member.Assignor = workload.Assignor(name)
		l.assignors[c.Name] = f.at
	}
}

// workers reads the settings, and makes a worker of each name that the plan starts.
func (l *loader) workers(f *field) {
	base := workload.DefaultConfig("")
	own := map[string]*field{}
	if f != nil {
		entries, ok := l.object(f.value, f.at, `"workers"`)
		if !ok {
			return
		}
		if all := entries.field(allWorkers); all != nil {
			l.settings(all, &base)
		}
		if drawn := entries.field(randomKey); drawn != nil {
			l.randomSettings(drawn, base)
		}
		for _, entry := range entries.fields {
			switch {
			case entry.name == allWorkers, entry.name == randomKey:
			case !nameForm.MatchString(entry.name):
				l.fail(entry.key, nameHint, "%s is no name for a worker", quoted(entry.name))
			default:
				own[entry.name] = entry
				if _, started := l.started[entry.name]; l.planRead && !started {
					l.neverStarted(entry)
				}
			}
		}
	}
	names := make([]string, 0, len(l.started)+len(own))
	for name := range l.started {
		names = append(names, name)
	}
	for name := range own {
		names = append(names, name)
	}
	for _, name := range sorted(names) {
		c := base
		c.Name = name
		if entry := own[name]; entry != nil {
			l.settings(entry, &c)
		}
		l.scenario.Workers = append(l.scenario.Workers, c)
	}
	l.oneAssignor()
}

// oneAssignor reports a group of two minds: the coordinator refuses a member that has no assignor in common with the others
// (INCONSISTENT_GROUP_PROTOCOL). The upgrade from one to the other, by members that offer both (KIP-429), is not modelled.
func (l *loader) oneAssignor() {
	workers := l.scenario.Workers
	for _, c := range workers[min(1, len(workers)):] {
		first := workers[0]
		if c.Member.Assignor == first.Member.Assignor {
			continue
		}
		at, its := l.assignors[c.Name]
		if !its {
			at = l.assignors[first.Name]
		}
		l.fail(at, "all members of a group have the same assignor: write it once, under workers: all",
			"%s is %s and %s is %s", first.Name, first.Member.Assignor, c.Name, c.Member.Assignor)
		return
	}
}

// neverStarted reports an entry that nothing comes of: with a slip in its name, the worker that it is meant for would run
// with other settings, and nobody would notice.
func (l *loader) neverStarted(entry *field) {
	problem := "the plan starts no worker " + quoted(entry.name) + nearest.Hint(entry.name, l.startedNames())
	l.fail(entry.key, listed("workers", l.startedNames()), "%s", problem)
}

// settings reads one entry over what is in the config already.
func (l *loader) settings(entry *field, c *workload.Config) {
	if isNull(entry.value) {
		l.fail(entry.key, "write "+entry.name+": {}", "%q has no value", entry.name)
		return
	}
	keys := make([]string, len(settings))
	for i, s := range settings {
		keys[i] = s.key
	}
	o, ok := l.object(entry.value, entry.at, "a worker", keys...)
	if !ok {
		return
	}
	had := len(l.errs)
	for _, s := range settings {
		if f := o.field(s.key); f != nil {
			s.read(l, f, c)
			if s.key == commitEvery {
				l.commits[c.Name] = f.at
			}
		}
	}
	if len(l.errs) > had {
		return
	}
	// As in the Java client: a member that is heard of no oftener than its session lasts is evicted again and again.
	if f := firstOf(o, "session-timeout", "heartbeat-interval"); f != nil && c.Member.HeartbeatInterval >= c.Member.SessionTimeout {
		l.fail(f.at, "", "the session times out after %s, and a heartbeat goes out only every %s", short(c.Member.SessionTimeout), short(c.Member.HeartbeatInterval))
	}
	if f := firstOf(o, "backoff", "backoff-max"); f != nil && c.Backoff > c.BackoffMax {
		l.fail(f.at, "", "the first backoff is %s, and the longest only %s", short(c.Backoff), short(c.BackoffMax))
	}
}

// firstOf finds the first of the keys that is there.
func firstOf(o *object, keys ...string) *field {
	for _, key := range keys {
		if f := o.field(key); f != nil {
			return f
		}
	}
	return nil
}

// workerUse is a name of a worker in the file, and the place in the plan from which on it is used.
type workerUse struct {
	word
	moment moment
}

// moment is a place in a plan, step by step and action by action; action -1 is the step's trigger.
type moment struct{ step, action int }

// anywhere is the moment of what is not in the plan: an input stage can wait for a worker whenever it is started.
var anywhere = moment{1 << 30, 0}

func (m moment) before(n moment) bool {
	return m.step < n.step || m.step == n.step && m.action < n.action
}

// start is where the plan starts a worker first.
type start struct {
	moment moment
	at     span
}

func (l *loader) use(name string, at span, m moment) {
	l.uses = append(l.uses, workerUse{word{name, at}, m})
}

func (l *loader) startedNames() []string {
	names := make([]string, 0, len(l.started))
	for name := range l.started {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// judgeWorkers reports names of workers that there are not, or not yet. A worker is there from its first start on, and
// stays known after it was stopped: its evictions and its past points can still be waited for.
func (l *loader) judgeWorkers() {
	if !l.planRead {
		return
	}
	names := l.startedNames()
	for _, w := range l.workersNamed() {
		if !slices.Contains(names, w) {
			names = append(names, w)
		}
	}
	slices.Sort(names)
	for _, u := range l.uses {
		s, started := l.started[u.text]
		switch {
		case started && !s.moment.before(u.moment):
			l.fail(u.at, "", "%s is not started yet: line %d starts it", u.text, s.at.line)
		case !started && !slices.Contains(names, u.text):
			l.fail(u.at, listed("workers", names), "%s", unknown("worker", u.text, names))
		}
	}
}

// workersNamed are the names that have settings. One that is never started has been reported once already.
func (l *loader) workersNamed() []string {
	names := make([]string, len(l.scenario.Workers))
	for i, c := range l.scenario.Workers {
		names[i] = c.Name
	}
	return names
}
