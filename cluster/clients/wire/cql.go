package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"
	"sync/atomic"
)

// The parts of the native protocol that matter here (versions 4 and 5, section 2). A frame begins with version, flags, stream,
// opcode and the length of its body. Version 5, from the answer to STARTUP on, puts frames into segments, each with a
// checksum before and after; without compression, as here, the frames inside are as they were.
const (
	frameHeader    = 9
	segmentHeader  = 6
	segmentTrailer = 4
	// selfContained is the bit of a segment's third byte that says that it holds whole frames.
	selfContained = 0x02

	opReady        = 0x02
	opAuthenticate = 0x03
	opResult       = 0x08

	resultVoid = 1
	resultRows = 2

	version5 = 5
)

// frame is one frame with its header.
type frame []byte

func (f frame) version() byte { return f[0] & 0x7f }
func (f frame) stream() int16 { return int16(binary.BigEndian.Uint16(f[2:])) }
func (f frame) opcode() byte  { return f[4] }
func (f frame) body() []byte  { return f[frameHeader:] }
func (f frame) size() int     { return frameHeader + int(binary.BigEndian.Uint32(f[5:])) }

// opens tells whether the frame ends the handshake, after which version 5 sends segments.
func (f frame) opens() bool {
	return f.version() == version5 && (f.opcode() == opReady || f.opcode() == opAuthenticate)
}

// applied tells whether an answer says that a write took effect: nothing, to a plain one; to a conditional one a row of the
// one column [applied], which is true. A refusal that names what it found has further columns.
func (f frame) applied() bool {
	if f.opcode() != opResult || len(f.body()) < 4 {
		return false
	}
	body := f.body()
	switch binary.BigEndian.Uint32(body) {
	case resultVoid:
		return true
	case resultRows:
		return len(body) > 12 && binary.BigEndian.Uint32(body[8:]) == 1 && body[len(body)-1] == 1
	}
	return false
}

// cql is one connection of a Cassandra driver.
type cql struct{ segmented atomic.Bool }

// CQL is the protocol of Cassandra.
func CQL() Protocol { return &cql{} }

func (c *cql) unit(b []byte) int {
	segmented := c.segmented.Load()
	switch {
	case segmented && len(b) >= segmentHeader:
		return segmentHeader + int(uint32(b[0])|uint32(b[1])<<8|uint32(b[2])<<16)&0x1ffff + segmentTrailer
	case !segmented && len(b) >= frameHeader:
		return frame(b).size()
	}
	return 0
}

// inside gives the frames of one unit. A segment with a part of a frame larger than it has none.
func (c *cql) inside(b []byte) iter.Seq[[]byte] {
	segmented := c.segmented.Load()
	return func(yield func([]byte) bool) {
		if segmented {
			if b[2]&selfContained == 0 {
				return
			}
			b = b[segmentHeader : len(b)-segmentTrailer]
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

func (c *cql) request(m []byte) int32 { return int32(frame(m).stream()) }

func (c *cql) answer(m []byte) int32 {
	if frame(m).opens() {
		c.segmented.Store(true)
	}
	return int32(frame(m).stream())
}

// WritesWith is each statement that holds a mark, as the metadata that a worker writes does; of its answers those that say
// that it was applied.
func WritesWith(mark string) Match {
	return func(request []byte) (Applied, bool) {
		if !bytes.Contains(frame(request).body(), []byte(mark)) {
			return nil, false
		}
		return func(answer []byte) (string, bool) {
			f := frame(answer)
			return fmt.Sprintf("RESULT of %d bytes, %q", len(f.body()), bytes.TrimSpace(f.body())), f.applied()
		}, true
	}
}
