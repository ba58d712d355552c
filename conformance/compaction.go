package conformance

const cleaner = "LogCleanerManager, Cleaner; "

// compaction is what becomes of the old values of a compacted topic.
func compaction() []Fact {
	return []Fact{{
		Name: "the-active-segment-is-not-cleaned", Of: Kafka, Source: cleaner + measuredHere,
		Says:      "an old value stays as long as the record that replaced it is in the last segment: the cleaner does not look there",
		Otherwise: "it looks at all there is",
		show: func(b *bench) {
			t := &compactor{topic: b.topic(true)}
			t.put("k", "1")
			t.put("k", "2")
			t.stays("k=1@0 k=2@1")
		},
	}, {
		Name: "old-values-go", Of: Kafka, Source: cleaner + measuredHere,
		Says:      "once a later record has begun a new segment, of each key before it only the last value is left, at its own offset",
		Otherwise: "they stay",
		show: func(b *bench) {
			t := &compactor{topic: b.topic(true)}
			t.put("k", "1")
			t.put("l", "1")
			t.put("k", "2")
			t.put("m", "1")
			t.becomes("l=1@1 k=2@2 m=1@3")
		},
	}, {
		Name: "a-tombstone-takes-two-passes", Of: Kafka, Source: "KIP-534; " + cleaner + measuredHere,
		Says: "a tombstone outlives the pass that removes the values before it, and goes in a later one: which does not come " +
			"before there is something new to clean",
		Otherwise: "it goes with them",
		show: func(b *bench) {
			t := &compactor{topic: b.topic(true)}
			t.put("k", "1")
			t.put("k")
			t.put("m", "1")
			t.becomes("k=-@1 m=1@2")
			t.stays("k=-@1 m=1@2")
			t.put("n", "1")
			t.becomes("m=1@2 n=1@3")
		},
	}}
}
