package conformance

import (
	"errors"
	"fmt"
	"time"

	"github.com/single-writer/chaos/workload/persistence"
)

// The verbs and conditions of the scripts, by short names.
const (
	update  = persistence.Update
	insert  = persistence.Insert
	remove  = persistence.Remove
	expire  = persistence.Expire
	atMost  = persistence.IfOffsetAtMost
	isNull  = persistence.IfOffsetNull
	exists  = persistence.IfExists
	missing = persistence.IfNotExists
)

// What a conditional statement answers, in words.
const (
	applied    = "applied"
	noRow      = "not applied: no row"
	nullOffset = "not applied: the offset is null"
	invalid    = "invalid, without effect"
	absent     = "absent"
)

func stored(offset int64) string { return fmt.Sprintf("not applied: the offset is %d", offset) }

// plain and cond make statements on the one key; the value names the write, and an empty one is null.
func plain(verb persistence.Verb, at, offset int64, value string) persistence.Statement {
	return persistence.Statement{Verb: verb, Key: "k", Timestamp: at, Offset: offset, Value: bytesOf(value), Metadata: value}
}

func cond(verb persistence.Verb, c persistence.Condition, offset int64, value string) persistence.Statement {
	return persistence.Statement{Verb: verb, Key: "k", If: c, Offset: offset, Value: bytesOf(value), Metadata: value}
}

func bytesOf(value string) []byte {
	if value == "" {
		return nil
	}
	return []byte(value)
}

// ttl, of and without make other statements of a statement.
func ttl(seconds int, s persistence.Statement) persistence.Statement {
	s.TTL = seconds
	return s
}

func of(key string, s persistence.Statement) persistence.Statement {
	s.Key = key
	return s
}

func without(s persistence.Statement) persistence.Statement {
	s.NoOffset = true
	return s
}

func in(table persistence.Table, s persistence.Statement) persistence.Statement {
	s.Table = table
	return s
}

// ask sends a statement and puts its answer into words.
func (b *bench) ask(s persistence.Statement) (persistence.Answer, string) {
	return inWords(s, b.servers.Start(s))
}

// inWords awaits the answer to a statement.
func inWords(s persistence.Statement, call persistence.Call[persistence.Answer]) (persistence.Answer, string) {
	a, outcome, err := call.Await()
	var e *persistence.Error
	switch {
	case outcome == persistence.Failed && errors.As(err, &e):
		return a, e.Code + ", without effect"
	case errors.As(err, &e) && e.Needed > 0:
		return a, fmt.Sprintf("no answer: %s, %d of %d", e.Code, e.Got, e.Needed)
	case outcome != persistence.Answered:
		return a, fmt.Sprintf("no answer: %v", err)
	case a.Applied || s.Verb == persistence.Select || s.Verb == persistence.Scan:
		return a, applied
	}
	return a, [...]string{noRow, nullOffset, stored(a.Stored)}[a.Refusal]
}

// do sends a statement that is answered so.
func (b *bench) do(s persistence.Statement, want string) {
	_, got := b.ask(s)
	b.want(fmt.Sprintf("%s of %s @%d", s.Form(), s.Key, s.Offset), got, want)
}

// done sends statements that are all applied.
func (b *bench) done(statements ...persistence.Statement) {
	for _, s := range statements {
		b.do(s, applied)
	}
}

// find reads a row with its write times, nil when there is none.
func (b *bench) find(key string) *persistence.RawRow {
	a, said := b.ask(persistence.Statement{Verb: persistence.Select, Key: key, Writetimes: true})
	b.want("a read of "+key, said, applied)
	return a.Row
}

// sees says what a reader finds.
func (b *bench) sees(key string) string { return rowText(b.find(key)) }

// rowText is "absent", or the value with its offset.
func rowText(r *persistence.RawRow) string {
	if r == nil {
		return absent
	}
	value := "null"
	if r.Value != nil {
		value = string(r.Value)
	}
	return value + "@" + r.Offset.String()
}

// row compares the row of the one key.
func (b *bench) row(want string) { b.want("the row", b.sees("k"), want) }

// within is how long an event may take to come; pause is how long after a look the next one is.
const (
	within = 6 * time.Second
	pause  = 20 * time.Millisecond
)

// until looks until it is so.
func (b *bench) until(what string, so func() bool) {
	for deadline := b.Now() + within; !so(); b.Sleep(pause) {
		if b.Now() > deadline {
			b.wrongf("not within %s: %s", within, what)
			return
		}
	}
}

// becomes waits until a reader finds the row of the one key so.
func (b *bench) becomes(want string) {
	last := ""
	b.until("the row is "+want, func() bool { last = b.sees("k"); return last == want })
	b.want("the row at last", last, want)
}
