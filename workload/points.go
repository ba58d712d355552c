package workload

// The points at which a worker's steps can be interleaved with anything else. A point is reached before, or after, the
// thing that it is called by; what comes between two points is one step.
const (
	PointAssigned        = "assigned"
	PointRevoked         = "revoked"
	PointLost            = "lost"
	PointRecoverBegin    = "recover-begin"
	PointRecovered       = "recovered"
	PointPolled          = "polled"
	PointFolded          = "folded"
	PointJournalAnswered = "journal-answered"
	PointFlushUnderWay   = "flush-under-way"
	PointBeforePersist   = "before-persist"
	PointPersistSent     = "persist-sent"
	PointPersistAnswered = "persist-answered"
	PointBeforeDelete    = "before-delete"
	PointDeleteSent      = "delete-sent"
	PointDeleteAnswered  = "delete-answered"
	PointBeforeCommit    = "before-commit"
	PointCommitSent      = "commit-sent"
	PointCommitAnswered  = "commit-answered"
	PointFlushOnRevoke   = "flush-on-revoke"
	PointTeardown        = "teardown"
)

// Points are all points with what each means, in the order in which a worker comes to them.
func Points() []NamedPoint {
	return []NamedPoint{
		{PointAssigned, "a partition was handed to the worker; its offset is the one to start from"},
		{PointRecoverBegin, "before the first row of the partition, or of a key that is recovered at its first record, is read"},
		{PointRecovered, "all rows of the partition, or of that key, were read"},
		{PointPolled, "a poll returned records; its offset is the last one's"},
		{PointFolded, "a record was folded into its key's state, or left out by the replay filter"},
		{PointJournalAnswered, "an event's row in the journal came to its end, whatever the answer"},
		{PointFlushUnderWay, "the poll loop has come to an account whose flush is under way, and waits for its end; without the guard " +
			"serial-flush it has folded its record already"},
		{PointBeforePersist, "before a dirty state is flushed, and before its timestamp is taken"},
		{PointPersistSent, "a statement of the flush was sent, its answer not awaited yet"},
		{PointPersistAnswered, "the flush came to its end, whatever the answer"},
		{PointBeforeDelete, "before a closed account is deleted, and before the timestamp is taken"},
		{PointDeleteSent, "a statement of the delete was sent, its answer not awaited yet"},
		{PointDeleteAnswered, "the delete came to its end, whatever the answer"},
		{PointBeforeCommit, "before the lowest held offset is committed"},
		{PointCommitSent, "the commit was sent, its answer not awaited yet"},
		{PointCommitAnswered, "the commit was answered; a trigger takes an accepted one unless it says otherwise"},
		{PointRevoked, "a partition is being taken from the worker, which is still in the group; its offset is the next one to read"},
		{PointLost, "a partition was lost: another worker may own it; its offset is the next one to read"},
		{PointFlushOnRevoke, "before what is dirty of a partition is stored because the worker gives it up"},
		{PointTeardown, "the worker ends by its own error; what it gives up comes next"},
	}
}

// NamedPoint is a point and what it means.
type NamedPoint struct{ Name, Meaning string }
