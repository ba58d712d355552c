package internode

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// kind is what a connection between two nodes is for: each has its own ones for gossip, for messages, and for large ones.
type kind int

// The kinds of connections, by their numbers in the handshake (ConnectionType). One of another number has no messages.
const (
	urgent kind = 1 + iota
	small
	large
	streaming kind = -1
)

// The handshake of messaging since Cassandra 4.0 (HandshakeProtocol.Initiate): a number by which to know it, flags, the address of
// whoever connects with its length before it, and a checksum.
const (
	magic         = 0xca552dfa
	flagsEnd      = 8
	streamingFlag = 1 << 3
	// Of how the messages are framed there are two bits: with checksums alone, or packed, or not at all.
	framingBits  = 1<<2 | 1<<4
	checkedFlags = 1 << 4
	// oldest is the first version of messages that are framed, with the newest in the flags' last byte.
	oldest = 12
)

// initiate is the first that a node sends.
type initiate []byte

// readInitiate reads it. Where it is none, the bytes that were read are given all the same.
func readInitiate(from io.Reader) (initiate, error) {
	b := make([]byte, flagsEnd+1, 64)
	if n, err := io.ReadFull(from, b); err != nil {
		return b[:n], err
	}
	if binary.BigEndian.Uint32(b) != magic {
		return b, errors.New("it is not a Cassandra's")
	}
	if newest := b[4]; newest < oldest {
		return b, fmt.Errorf("it speaks version %d of the messages, and not %d", newest, oldest)
	}
	at := len(b)
	b = append(b, make([]byte, int(b[flagsEnd])+4)...)
	n, err := io.ReadFull(from, b[at:])
	return b[:at+n], err
}

func (i initiate) flags() uint32 { return binary.BigEndian.Uint32(i[4:]) }

func (i initiate) kind() kind {
	if i.flags()&streamingFlag != 0 {
		return streaming
	}
	return kind(i.flags() & 3)
}

// checked tells whether messages come in frames with checksums and nothing more.
func (i initiate) checked() bool { return i.flags()&framingBits == checkedFlags }
