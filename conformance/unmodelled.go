package conformance

// Unmodelled is what was measured and nothing in the simulator could show or contradict yet.
type Unmodelled struct {
	Of        System
	Says, Why string
}

// NotModelled are the facts that wait for a simulator that has a use for them.
func NotModelled() []Unmodelled {
	const (
		replicas = "takes replicas: the simulator has one node, whose rounds are never in doubt"
		unasked  = "no statement of the rig asks for it"
	)
	return []Unmodelled{
		{Cassandra, "a scan at SERIAL finishes no round: it missed 16 of 16 writes that a SERIAL read of the row then showed", replicas},
		{Cassandra, "a read at QUORUM does not see a write in doubt, a read at SERIAL finishes it", replicas},
		{Cassandra, "conditional writes that time out: applied 0 of 79 in the prepare phase, 54 of 55 in the propose phase, 79 of 79 in the " +
			"commit phase; some in contention (CAS_WRITE_UNKNOWN); never when too few replicas were alive to begin", replicas},
		{Cassandra, "a statement whose coordinator was paused is applied when it goes on, after the client has given up",
			"a simulated request that times out is not held up; `lost-answer` and the fault `lose` show what it does to a worker"},
		{Cassandra, "a driver that sends a conditional write again can be refused by itself", "shown on real servers by the scenario `lost-answer`"},
		{Cassandra, "the end of a life follows the clock of whichever coordinator is asked, however skewed", replicas},
		{Cassandra, "IF offset != 5 where there is no row is applied and makes one; an answer to INSERT names all columns of the row; a batch " +
			"that is not applied answers with keys and columns of its conditions", unasked},
		{Cassandra, "USING TIMESTAMP with IF, IN with IF, a conditional batch over partitions, a plain write at SERIAL, and an unpaged scan " +
			"at SERIAL are errors; no life lasts past 2038-01-19", unasked},
		{Kafka, "transactions: TxnOffsetCommit fenced by member and generation but not for nobody, fencing by epoch, time-outs (KIP-98, KIP-447, KIP-890)",
			"there are no transactions yet"},
		{Kafka, "the consumer protocol of KIP-848: STALE_MEMBER_EPOCH, KIP-1251", "groups are classic ones"},
		{Kafka, "what was sent to a paused broker is applied after it goes on, though the client has given up", "the simulated broker is never held up"},
	}
}
