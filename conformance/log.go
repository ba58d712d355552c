package conformance

import (
	"fmt"
	"strings"
	"time"

	"github.com/single-writer/chaos/cluster"
)

// topic is a log, and what a script asks of it.
type topic struct {
	*bench
	log cluster.Log
}

// topic makes a topic of one partition.
func (b *bench) topic(compacted bool) *topic {
	l, err := b.servers.Log(compacted)
	if err != nil {
		panic(fmt.Sprintf("conformance: a topic: %v", err))
	}
	return &topic{b, l}
}

// batch is values of one producer, each under a key of its own.
func batch(producer int64, epoch int16, sequence int32, values ...string) cluster.Batch {
	b := cluster.Batch{Producer: producer, Epoch: epoch, Sequence: sequence}
	for _, v := range values {
		b.Records = append(b.Records, cluster.LogRecord{Key: v, Value: []byte(v)})
	}
	return b
}

// appends appends a batch and compares the answer.
func (t *topic) appends(b cluster.Batch, want string) {
	what := fmt.Sprintf("%d records from sequence %d on, epoch %d", len(b.Records), b.Sequence, b.Epoch)
	a, _, err := t.log.Append(b).Await()
	if err != nil {
		t.wrongf("%s: %v", what, err)
		return
	}
	got := a.Code
	if got == accepted {
		got = fmt.Sprintf("at %d", a.Base)
	}
	t.want(what, got, want)
}

// holds compares what is in the log.
func (t *topic) holds(want string) { t.want("the log", t.read(), want) }

// read gives the log, record by record: key=value@offset, a tombstone without a value.
func (t *topic) read() string {
	records, _, err := t.log.Read().Await()
	if err != nil {
		t.wrongf("read the log: %v", err)
	}
	var out []string
	for _, r := range records {
		value := string(r.Value)
		if r.Value == nil {
			value = "-"
		}
		out = append(out, fmt.Sprintf("%s=%s@%d", r.Key, value, r.Offset))
	}
	return strings.Join(out, " ")
}

// compactor is the producer of a compacted topic: it writes one record a segment.
type compactor struct {
	*topic
	sequence int32
}

// aSegment is long enough for the next record to begin a new one; aPass is long enough for the cleaner to have looked, and
// compactedWithin how long a script waits for it to have removed something.
const (
	aSegment        = 250 * time.Millisecond
	aPass           = 1500 * time.Millisecond
	compactedWithin = 15 * time.Second
)

// put writes a record that begins a segment; a tombstone where there is no value. The segment before it may be cleaned then.
func (c *compactor) put(key string, value ...string) {
	c.Sleep(aSegment)
	r := cluster.LogRecord{Key: key}
	if len(value) > 0 {
		r.Value = []byte(value[0])
	}
	c.appends(cluster.Batch{Producer: 1, Sequence: c.sequence, Records: []cluster.LogRecord{r}}, fmt.Sprintf("at %d", c.sequence))
	c.sequence++
}

// stays says that a pass of the cleaner changes nothing.
func (c *compactor) stays(want string) {
	c.Sleep(aPass)
	c.holds(want)
}

// becomes waits for a pass that has done something.
func (c *compactor) becomes(want string) {
	got := c.read()
	for until := c.Now() + compactedWithin; got != want && c.Now() < until; got = c.read() {
		c.Sleep(50 * time.Millisecond)
	}
	c.want("the log once it is compacted", got, want)
}
