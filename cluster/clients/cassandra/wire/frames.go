package wire

import (
	"encoding/binary"
	"iter"
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

// unit is the length of the frame, or of the segment, that the bytes begin with; 0 when they are too few to say.
func unit(b []byte, segmented bool) int {
	switch {
	case segmented && len(b) >= segmentHeader:
		return segmentHeader + int(uint32(b[0])|uint32(b[1])<<8|uint32(b[2])<<16)&0x1ffff + segmentTrailer
	case !segmented && len(b) >= frameHeader:
		return frame(b).size()
	}
	return 0
}

// inside gives the frames of one unit. A segment with a part of a frame larger than it has none.
func inside(b []byte, segmented bool) iter.Seq[frame] {
	return func(yield func(frame) bool) {
		if segmented {
			if b[2]&selfContained == 0 {
				return
			}
			b = b[segmentHeader : len(b)-segmentTrailer]
		}
		for len(b) >= frameHeader {
			n := frame(b).size()
			if n < frameHeader || n > len(b) || !yield(frame(b[:n])) {
				return
			}
			b = b[n:]
		}
	}
}
