package conformance

// Unmodelled is what was measured and nothing in the simulator could show or contradict yet.
type Unmodelled struct {
	Of        System
	Says, Why string
}

// NotModelled are the facts that wait for a simulator that has a use for them.
func NotModelled() []Unmodelled {
	const (
		unasked = "no statement of the rig asks for it"
	)
	return []Unmodelled{
		{Cassandra, "a driver that sends a conditional write again can be refused by itself", "shown on real servers by the scenario `lost-answer`"},
		{Cassandra, "paxos_variant: v2 has no CAS_WRITE_UNKNOWN, and its time-outs in propose look like those in prepare, those in commit are " +
			"of the kind CAS", "the simulated rounds are those of v1, the default"},
		{Cassandra, "a statement at ONE may miss what a quorum has; LOCAL_SERIAL rounds of two data centres do not see each other", unasked},
		{Cassandra, "IF offset != 5 where there is no row is applied and makes one; an answer to INSERT names all columns of the row; a batch " +
			"that is not applied answers with keys and columns of its conditions", unasked},
		{Cassandra, "USING TIMESTAMP with IF, IN with IF, a conditional batch over partitions, a plain write at SERIAL, and an unpaged scan " +
			"at SERIAL are errors; no life lasts past 2038-01-19", unasked},
		{Kafka, "transactions: TxnOffsetCommit fenced by member and generation but not for nobody, fencing by epoch, time-outs (KIP-98, KIP-447, KIP-890)",
			"there are no transactions yet"},
		{Kafka, "the consumer protocol of KIP-848: STALE_MEMBER_EPOCH, KIP-1251", "groups are classic ones"},
	}
}
