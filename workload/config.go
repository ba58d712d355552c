package workload

import "time"

// Config is how one worker runs.
type Config struct {
	Name string
	// Member is how it is in its group.
	Member MemberConfig
	// MaxPollRecords is the most records that one poll returns, PollTimeout how long it waits for the first.
	MaxPollRecords int
	PollTimeout    time.Duration
	// PersistEvery and CommitEvery are how often dirty states are flushed and the lowest held offset is committed; 0 is
	// after every poll, whatever the clock says.
	PersistEvery time.Duration
	CommitEvery  time.Duration
	// FlushOnRevoke stores what is dirty when partitions are revoked or lost, and when the worker ends by an error: like
	// kafka-flow's setting of that name, it takes no notice of whether the partition is still the worker's.
	FlushOnRevoke bool
	// RestoreEvents recovers keys from their journals, and keeps them, instead of from snapshots alone. LazyRecovery recovers
	// each key at its first record, instead of all when the partition is assigned.
	RestoreEvents, LazyRecovery bool
	// FlushApart flushes in a task of its own, beside the poll loop, instead of between two polls.
	FlushApart bool
	// IgnorePersistErrors makes a failed flush no reason to fail: the state stays dirty and is tried again, and the commit
	// stays below it.
	IgnorePersistErrors bool
	// Backoff is the first wait before a restart after an error; it doubles up to BackoffMax.
	Backoff    time.Duration
	BackoffMax time.Duration
}

// DefaultConfig is what a scenario's worker has where the scenario says nothing: the Java client's defaults for the group
// (but one assignor where Java offers two, of which a new group takes the eager one), and a flush and a commit after every
// poll. (kafka-flow's own default for both is a minute. A scenario that is about the cadence says so; any other would only
// wait for it at its end.)
func DefaultConfig(name string) Config {
	return Config{
		Name: name,
		Member: MemberConfig{
			Assignor:          Eager,
			MaxPollInterval:   5 * time.Minute,
			SessionTimeout:    45 * time.Second,
			HeartbeatInterval: 3 * time.Second,
			RequestTimeout:    5 * time.Second,
		},
		MaxPollRecords: 500,
		PollTimeout:    50 * time.Millisecond,
		Backoff:        100 * time.Millisecond,
		BackoffMax:     time.Minute,
	}
}
