// Package crcframe is the frames in which Cassandra's protocols carry their messages: those of the native protocol's version 5
// (section 2.2, which calls them segments), and those between nodes since Cassandra 4.0 (org.apache.cassandra.net.FrameEncoderCrc).
// They are the same where nothing is compressed.
package crcframe

import (
	"encoding/binary"
	"hash/crc32"
)

// In little endian: three bytes of the payload's length (17 bits) and a flag that says that the payload is whole messages, a
// checksum of these in three bytes, the payload, and a checksum of that in four.
const (
	headerSize  = 6
	trailerSize = 4
	// MostPayload is the longest payload.
	MostPayload = 1<<17 - 1
	wholeFlag   = 1 << 17
)

// Frame is one frame, of its whole size.
type Frame []byte

// Size is how long the frame is that the bytes begin with, 0 where they are too few to say. It is false of what is no frame.
func Size(b []byte) (n int, ok bool) {
	if len(b) < headerSize {
		return 0, true
	}
	if crc24(b[:3]) != uint24(b[3:]) {
		return 0, false
	}
	return headerSize + int(uint24(b)&MostPayload) + trailerSize, true
}

// Payload is what the frame carries.
func (f Frame) Payload() []byte { return f[headerSize : len(f)-trailerSize] }

// Sound tells whether the payload has its checksum.
func (f Frame) Sound() bool {
	return checksum(f.Payload()) == binary.LittleEndian.Uint32(f[len(f)-trailerSize:])
}

// Whole tells whether the payload is whole messages. One that is not is a part of a message too large for a frame.
func (f Frame) Whole() bool { return uint24(f)&wholeFlag != 0 }

// Append appends a frame of whole messages, or of a part of one.
func Append(to, payload []byte, whole bool) []byte {
	head := uint32(len(payload))
	if whole {
		head |= wholeFlag
	}
	at := len(to)
	to = appendUint24(to, head)
	to = appendUint24(to, crc24(to[at:]))
	to = append(to, payload...)
	return binary.LittleEndian.AppendUint32(to, checksum(payload))
}

func uint24(b []byte) uint32 { return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 }

func appendUint24(b []byte, n uint32) []byte { return append(b, byte(n), byte(n>>8), byte(n>>16)) }

// crc24 is that of org.apache.cassandra.net.Crc: by Koopman's polynomial, over the bytes from the first on.
func crc24(b []byte) uint32 {
	const start, polynomial = 0x875060, 0x1974f0b
	sum := uint32(start)
	for _, c := range b {
		sum ^= uint32(c) << 16
		for range 8 {
			if sum <<= 1; sum&0x1000000 != 0 {
				sum ^= polynomial
			}
		}
	}
	return sum
}

// checksum is the CRC-32 of a payload, as if four bytes of Cassandra's own came before it.
func checksum(p []byte) uint32 {
	return crc32.Update(crc32.ChecksumIEEE([]byte{0xfa, 0x2d, 0x55, 0xca}), crc32.IEEETable, p)
}
