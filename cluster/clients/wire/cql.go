package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/single-writer/chaos/cluster/crcframe"
	"github.com/single-writer/chaos/workload"
)

// The parts of the native protocol that matter here (versions 4 and 5, section 2). A frame begins with version, flags, stream,
// opcode and the length of its body. Version 5, from the answer to STARTUP on, puts frames into segments.
const (
	frameHeader = 9
	// mostFrame is the most that a server takes (native_transport_max_frame_size can be no more than 256 MB).
	mostFrame = 256 << 20

	withTracing  = 0x02
	withPayload  = 0x04
	withWarnings = 0x08

	opReady        = 0x02
	opAuthenticate = 0x03
	opResult       = 0x08

	resultVoid = 1
	resultRows = 2

	version3 = 3
	version5 = 5
)

// frame is one frame with its header.
type frame []byte

func (f frame) version() byte { return f[0] & 0x7f }
func (f frame) stream() int16 { return int16(binary.BigEndian.Uint16(f[2:])) }
func (f frame) opcode() byte  { return f[4] }
func (f frame) size() int     { return frameHeader + int(binary.BigEndian.Uint32(f[5:])) }

// parts gives the frame's own body, and the custom payload before it, undecoded.
func (f frame) parts() (body, payload []byte) {
	r := reader{rest: f[frameHeader:]}
	answer := f[0]&0x80 != 0
	if answer && f[1]&withTracing != 0 {
		r.take(16)
	}
	if answer && f[1]&withWarnings != 0 {
		for range r.short() {
			r.take(r.short())
		}
	}
	if f[1]&withPayload != 0 {
		begin := r.rest
		for range r.short() {
			r.take(r.short())
			r.take(max(0, r.int()))
		}
		payload = begin[:len(begin)-len(r.rest)]
	}
	return r.rest, payload
}

// opens tells whether the frame ends the handshake, after which version 5 sends segments.
func (f frame) opens() bool {
	return f.version() == version5 && (f.opcode() == opReady || f.opcode() == opAuthenticate)
}

// applied tells whether an answer says that a write took effect: nothing, to a plain one; to a conditional one a row of the
// one column [applied], which is true. A refusal that names what it found has further columns.
func (f frame) applied() bool {
	body, _ := f.parts()
	if f.opcode() != opResult || len(body) < 4 {
		return false
	}
	switch binary.BigEndian.Uint32(body) {
	case resultVoid:
		return true
	case resultRows:
		return len(body) > 12 && binary.BigEndian.Uint32(body[8:]) == 1 && body[len(body)-1] == 1
	}
	return false
}

// cql is one connection of a Cassandra driver.
type cql struct {
	segmented atomic.Bool
	// foreign is the driver where it is another program's.
	foreign *driver
}

// CQL is the protocol of Cassandra.
func CQL() Protocol { return &cql{} }

func (c *cql) unit(b []byte) int {
	if c.segmented.Load() {
		n, ok := crcframe.Size(b)
		if !ok {
			return -1
		}
		return n
	}
	if len(b) < frameHeader {
		return 0
	}
	f := frame(b)
	if f.version() < version3 || f.version() > version5 || f.size() > frameHeader+mostFrame {
		return -1
	}
	return f.size()
}

// inside gives the frames of one unit. A segment with a part of a frame larger than it has none.
func (c *cql) inside(b []byte) iter.Seq[[]byte] {
	segmented := c.segmented.Load()
	return func(yield func([]byte) bool) {
		if segmented {
			s := crcframe.Frame(b)
			if !s.Whole() {
				return
			}
			b = s.Payload()
		}
		for len(b) >= frameHeader {
			n := frame(b).size()
			if n < frameHeader || n > len(b) || !yield(b[:n]) {
				return
			}
			b = b[n:]
		}
	}
}

func (c *cql) wrap(frames ...[]byte) []byte {
	all := slices.Concat(frames...)
	if !c.segmented.Load() {
		return all
	}
	return crcframe.Append(nil, all, true)
}

func (c *cql) ordered() bool { return false }

func (c *cql) request(m []byte) int32 { return int32(frame(m).stream()) }

func (c *cql) answer(m []byte) int32 {
	if frame(m).opens() {
		c.segmented.Store(true)
	}
	return int32(frame(m).stream())
}

// MarkKey is the name under which a statement of this rig says whose it is, in its custom payload, of which Cassandra takes no
// notice (native protocol, version 4, section 2.2: what the default QueryHandler ignores).
const MarkKey = "chaos"

// Mark is what it says: whose it is, then the words that rules mean it by.
func Mark(of string, words []string) []byte {
	return []byte(of + "\n" + strings.Join(words, "\n"))
}

func (c *cql) describe(m []byte) (Request, bool) {
	_, payload := frame(m).parts()
	mark, ok := markIn(payload)
	if !ok && c.foreign != nil {
		return c.foreign.describe(frame(m))
	}
	words := strings.Split(mark, "\n")
	if len(words) < 3 {
		return Request{}, false
	}
	reads := slices.Contains(words, workload.Reads)
	return Request{Of: words[0], Words: words[1:], Done: func(answer []byte) (string, bool) { return frame(answer).done(reads) }}, true
}

// done tells whether an answer says that what was asked was done: a read is when there is a result.
func (f frame) done(reads bool) (string, bool) {
	body, _ := f.parts()
	said := fmt.Sprintf("RESULT of %d bytes, %q", len(body), bytes.TrimSpace(body[:min(len(body), mostTold)]))
	return said, f.applied() || reads && f.opcode() == opResult
}

// mostTold is how much of an answer a proof tells.
const mostTold = 200

// markIn finds the mark in a custom payload.
func markIn(payload []byte) (string, bool) {
	r := reader{rest: payload}
	for range r.short() {
		key := r.take(r.short())
		value := r.take(max(0, r.int()))
		if string(key) == MarkKey {
			return string(value), true
		}
	}
	return "", false
}

// reader takes the protocol's notations apart. Past the end there is nothing.
type reader struct{ rest []byte }

func (r *reader) take(n int) []byte {
	n = min(n, len(r.rest))
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) short() int {
	if b := r.take(2); len(b) == 2 {
		return int(binary.BigEndian.Uint16(b))
	}
	return 0
}

func (r *reader) int() int {
	if b := r.take(4); len(b) == 4 {
		return int(int32(binary.BigEndian.Uint32(b)))
	}
	return 0
}
