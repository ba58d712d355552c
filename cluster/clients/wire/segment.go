package wire

import (
	"encoding/binary"
	"hash/crc32"
)

// A segment of the native protocol's version 5 (section 2.2, without compression): three bytes with the length of the payload and
// whether it holds whole frames, their CRC-24, the payload, its CRC-32.
const (
	segmentHeader  = 6
	segmentTrailer = 4
	mostPayload    = 1<<17 - 1
	// selfContained is the bit of the third byte that says that the payload is whole frames.
	selfContained = 0x02
)

// segmentSize is the length of the segment that the bytes begin with, negative when they begin with none.
func segmentSize(b []byte) int {
	if uint32(b[3])|uint32(b[4])<<8|uint32(b[5])<<16 != crc24(b[:3]) {
		return -1
	}
	return segmentHeader + int(uint32(b[0])|uint32(b[1])<<8|uint32(b[2])<<16)&mostPayload + segmentTrailer
}

// appendSegment appends the segment of a payload of whole frames.
func appendSegment(to, payload []byte) []byte {
	n := len(payload)
	head := []byte{byte(n), byte(n >> 8), byte(n>>16) | selfContained}
	sum := crc24(head)
	to = append(append(to, head...), byte(sum), byte(sum>>8), byte(sum>>16))
	to = append(to, payload...)
	return binary.LittleEndian.AppendUint32(to, payloadSum(payload))
}

// payloadSum is the CRC-32 of a payload, which begins with four bytes of the protocol's own.
func payloadSum(payload []byte) uint32 {
	return crc32.Update(crc32.ChecksumIEEE([]byte{0xfa, 0x2d, 0x55, 0xca}), crc32.IEEETable, payload)
}

// crc24 is the checksum of a header.
func crc24(b []byte) uint32 {
	sum := uint32(0x875060)
	for _, x := range b {
		sum ^= uint32(x) << 16
		for range 8 {
			if sum <<= 1; sum&0x1000000 != 0 {
				sum ^= 0x1974f0b
			}
		}
	}
	return sum & 0xffffff
}
