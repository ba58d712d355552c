package workload

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/single-writer/chaos/workload/persistence"
)

// Wire is the way between workers and servers, on which rules act. Whom a rule is for is a life with its tasks ("a/1"), or a
// worker with all its lives ("a").
type Wire interface {
	// Arm makes a rule act upon what they send from now on. The call ends with what shows it, when a message was struck for
	// the first time; with the run, if none ever is.
	Arm(who string, r Rule) persistence.Call[string]
	// CutOff keeps them from all servers of one kind, until it is lifted. The call ends with what shows it, when something was
	// kept from a server for the first time.
	CutOff(who string, b Wall) persistence.Call[string]
	// Lift ends all rules and walls that were armed for just this name: what they hold goes on. It ends with what each of them
	// has done; it is an error that there is none.
	Lift(who string) persistence.Call[string]
	// Deliver lets the last commit of a life that was dropped or cut on its way come to the coordinator after all, as one that
	// was late, and ends with what the coordinator says to it.
	Deliver(process string) persistence.Call[string]
}

// Rule says what becomes of messages between a worker and a server.
type Rule struct {
	// Message is a word for the requests that are meant, one of [Messages].
	Message string
	// Way says which way it acts: upon the request, or upon its answer. Of answers only those are meant that say that what was
	// asked was done, so that what becomes of them is after the effect.
	Way Way
	// Do is what becomes of a message, By how long a Delay is, on the world's clock.
	Do Effect
	By time.Duration
	// Nth says which of the messages that are meant, counted from 1; with 0 it is each of them, until the rule is lifted. A
	// message that an older rule has struck is not counted.
	Nth int
	// Draw leaves it to chance whether a message is struck. It does not go with an Nth.
	Draw *Draw
}

// Way is a direction.
type Way string

// The ways.
const (
	Request Way = "request"
	Answer  Way = "answer"
)

// Effect is what becomes of a message.
type Effect string

// The effects. Kafka's messages keep their order on a connection, so that one which is late makes all behind it late. Statements
// share connections, and keep no order: one that is late is overtaken.
const (
	// Delay makes it late by a time; Hold until the rule is lifted.
	Delay Effect = "delay"
	Hold  Effect = "hold"
	// Drop takes it out: nobody is told, and the client waits for its answer until it gives it up.
	Drop Effect = "drop"
	// Cut takes it out and breaks the connection, before the effect or after it.
	Cut Effect = "cut"
	// Silence takes it out, and all else that its sender sends, or is to be told, on this connection; the other way goes on. The
	// connections to Cassandra are every worker's: there it is all else between the worker and Cassandra.
	Silence Effect = "silence"
)

// Draw is a chance from 0, which changes nothing, to 1, drawn from a seed: the n-th message that is meant has the same fate in
// every world.
type Draw struct {
	Chance float64
	Seed   uint64
}

// Wall keeps a worker from a kind of server.
type Wall struct {
	// From is OfKafka or OfCassandra.
	From string
	// Silently: nothing comes through, as behind a wall that drops packets, and TCP sends it again: what nobody has taken back
	// comes when the wall is lifted. Else connections break, and no new one can be made. A statement that is under way when a
	// wall goes up is answered.
	Silently bool
}

// The words for all messages to one kind of server.
const (
	OfKafka     = "kafka"
	OfCassandra = "cassandra"
)

// Words for statements by what they do, besides those for their forms.
const (
	// Reads read, Writes do not; Upserts are the writes but for DELETE.
	Reads   = "read"
	Writes  = "write"
	Upserts = "upsert"
	// Conditionals are the writes with an IF.
	Conditionals = "conditional"
	// Persists store a state, Deletes take one away, by a tombstone or a DELETE.
	Persists = "persist"
	Deletes  = "delete"
)

// kafkaMessages are the requests of Kafka that a consumer or a producer makes, by the protocol's names.
func kafkaMessages() []string {
	return []string{"Fetch", "Heartbeat", "JoinGroup", "LeaveGroup", "OffsetCommit", "OffsetFetch", "Produce", "SyncGroup"}
}

// Messages are the words that a rule may mean messages by, in order.
func Messages() []string {
	words := append(kafkaMessages(), OfKafka, OfCassandra, Reads, Writes, Upserts, Conditionals, Persists, Deletes)
	for _, s := range persistence.Shapes() {
		words = append(words, s.Form())
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// Server is the kind of server that the rule's messages are for.
func (r Rule) Server() string {
	if r.Message == OfKafka || slices.Contains(kafkaMessages(), r.Message) {
		return OfKafka
	}
	return OfCassandra
}

// KafkaWords are the words that mean a request of Kafka; api is its name in the protocol.
func KafkaWords(api string) []string { return []string{OfKafka, api} }

// StatementWords are the words that mean a statement.
func StatementWords(s persistence.Statement) []string {
	words := []string{OfCassandra, s.Form()}
	if s.Verb == persistence.Select || s.Verb == persistence.Scan {
		return append(words, Reads)
	}
	words = append(words, Writes)
	if s.Verb != persistence.Remove {
		words = append(words, Upserts)
	}
	if s.If != persistence.Always {
		words = append(words, Conditionals)
	}
	switch {
	case s.Table != persistence.Snapshots || s.Verb == persistence.Expire:
	case s.Verb == persistence.Remove || s.Value == nil:
		words = append(words, Deletes)
	default:
		words = append(words, Persists)
	}
	return words
}

// Check says what is wrong with a rule.
func (r Rule) Check() error {
	switch {
	case !slices.Contains(Messages(), r.Message):
		return fmt.Errorf("no message is called %q; there are: %s", r.Message, strings.Join(Messages(), ", "))
	case r.Way != Request && r.Way != Answer:
		return fmt.Errorf("a rule acts upon the %s or upon the %s, not upon the %q", Request, Answer, r.Way)
	case !slices.Contains(Effects(), r.Do):
		return fmt.Errorf("no effect is called %q; there are: %v", r.Do, Effects())
	case r.Do == Delay && (r.By <= 0 || r.By > MaxDelay):
		return fmt.Errorf("a delay of %s: it is more than 0s, and at most %s", r.By, MaxDelay)
	case r.Do != Delay && r.By != 0:
		return fmt.Errorf("%s takes no time: only %s does", r.Do, Delay)
	case r.Nth < 0:
		return fmt.Errorf("message %d: they are counted from 1", r.Nth)
	case r.Draw != nil && r.Nth > 0:
		return fmt.Errorf("message %d, and by chance: it is one or the other", r.Nth)
	case r.Draw != nil && !(r.Draw.Chance >= 0 && r.Draw.Chance <= 1):
		return fmt.Errorf("a chance of %g: it is from 0 to 1", r.Draw.Chance)
	}
	return nil
}

// MaxDelay is longer than any time-out of a client or a group.
const MaxDelay = 10 * time.Minute

// Effects are all effects.
func Effects() []Effect { return []Effect{Delay, Hold, Drop, Cut, Silence} }

// Check says what is wrong with a wall.
func (b Wall) Check() error {
	if b.From != OfKafka && b.From != OfCassandra {
		return fmt.Errorf("a worker is cut off from %s or from %s, not from %q", OfKafka, OfCassandra, b.From)
	}
	return nil
}

// Strikes tells whether the rule strikes the n-th message that is meant.
func (r Rule) Strikes(n int) bool {
	switch {
	case r.Nth > 0:
		return n == r.Nth
	case r.Draw != nil:
		return r.Draw.strikes(uint64(n))
	}
	return true
}

// Spent tells whether the rule strikes nothing more after n messages.
func (r Rule) Spent(n int) bool { return r.Nth > 0 && n >= r.Nth }

// Over tells whether after n messages there is nothing left to lift.
func (r Rule) Over(n int) bool { return r.Spent(n) && r.Do != Hold && r.Do != Silence }

// strikes draws by number and not in a row, so that two rules of one seed do not take draws from each other (SplitMix64; Steele,
// Lea and Flood, OOPSLA 2014).
func (d Draw) strikes(n uint64) bool {
	x := d.Seed + n*0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x ^= x >> 31
	return float64(x>>11)/(1<<53) < d.Chance
}

// Of tells whether a process is meant by a name: that of its life, or of its worker.
func Of(process, who string) bool {
	return strings.HasPrefix(process, who) && (len(process) == len(who) || process[len(who)] == '/')
}

// Struck says of a message what the rule has made of it.
func (r Rule) Struck(message string) string {
	if r.Way == Request {
		return message + " " + map[Effect]string{
			Delay: fmt.Sprintf("is kept for %s", r.By), Hold: "is held", Drop: "was not sent, and nobody told",
			Cut: "was not sent, and its connection cut", Silence: "was not sent, nor is anything after it on its connection",
		}[r.Do]
	}
	return message + " " + map[Effect]string{
		Delay: fmt.Sprintf("is kept for %s", r.By), Hold: "is held", Drop: "was held back, and nobody told",
		Cut: "was held back, and the connection cut", Silence: "was held back, and so is all after it on its connection",
	}[r.Do]
}

// Lifted says what a rule or a wall has done by when it is lifted.
func Lifted(of fmt.Stringer, struck int) string {
	return fmt.Sprintf("%s, which struck %d, is lifted", of, struck)
}

// String is the rule in words.
func (r Rule) String() string {
	s := string(r.Do)
	if r.Do == Delay {
		s += " by " + r.By.String()
	}
	s += " " + map[Way]string{Request: "of ", Answer: "of the answer to "}[r.Way]
	switch {
	case r.Nth > 0:
		s += fmt.Sprintf("%s %d", r.Message, r.Nth)
	case r.Draw != nil:
		s += fmt.Sprintf("%s by a chance of %g", r.Message, r.Draw.Chance)
	default:
		s += "every " + r.Message
	}
	return s
}

// String is the wall in words.
func (b Wall) String() string {
	if b.Silently {
		return "the silent cut from " + b.From
	}
	return "the cut from " + b.From
}
