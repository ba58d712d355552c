package internode

import (
	"math/bits"

	"github.com/single-writer/chaos/cluster"
)

// header is what a message begins with (org.apache.cassandra.net.Message.Serializer, versions 12 and 13 of the protocol, which
// are those of Cassandra 4 and 5).
type header struct {
	// verb says what the message is.
	verb uint64
}

// cutMessage cuts the message off with which the bytes begin: an id, the moment at which it was made, how long it is of use, its
// verb, flags, parameters, and the payload with its length.
func cutMessage(b []byte) (h header, message, rest []byte, ok bool) {
	r := reader{b: b, ok: true}
	r.vint() // the id
	r.skip(4)
	r.vint() // how long it is of use
	h.verb = r.vint()
	r.vint() // flags
	for n := r.vint(); n > 0 && r.ok; n-- {
		r.vint() // which parameter
		r.skip(r.vint())
	}
	r.skip(r.vint())
	return h, b[:len(b)-len(r.b)], r.b, r.ok
}

// reader takes bytes from the front, until there are too few of them.
type reader struct {
	b  []byte
	ok bool
}

func (r *reader) skip(n uint64) {
	if r.ok = r.ok && n <= uint64(len(r.b)); r.ok {
		r.b = r.b[n:]
	}
}

// vint takes a number as Cassandra's VIntCoding writes it: its first byte has as many leading ones as there are further bytes.
func (r *reader) vint() uint64 {
	if r.ok = r.ok && len(r.b) > 0; !r.ok {
		return 0
	}
	first := r.b[0]
	more := bits.LeadingZeros8(^first)
	n := uint64(first) & (0xff >> more)
	rest := r.b[1:]
	if r.skip(uint64(1 + more)); !r.ok {
		return 0
	}
	for _, c := range rest[:more] {
		n = n<<8 | uint64(c)
	}
	return n
}

// The verbs of plain statements and of rounds with paxos_variant: v1 (org.apache.cassandra.net.Verb). The answer to each has a
// verb of its own.
const answerVerb = 60

// phaseOf says what a message is about, false of those that no statement needs: gossip, schema, and failures.
func phaseOf(verb uint64) (about cluster.Phase, answer, ok bool) {
	if answer = verb >= answerVerb; answer {
		verb -= answerVerb
	}
	switch verb {
	case 0:
		about = cluster.Write
	case 2:
		about = cluster.Repair
	case 3, 9: // of a row, and of a range of rows
		about = cluster.Read
	case 33:
		about = cluster.Prepare
	case 34:
		about = cluster.Propose
	case 35:
		about = cluster.Commit
	}
	return about, answer, about != ""
}
