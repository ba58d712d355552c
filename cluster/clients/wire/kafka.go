package wire

import (
	"encoding/binary"
	"fmt"
	"iter"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// The parts of Kafka's protocol that matter here: a message begins with the length of the rest; a request goes on with its
// key, version and correlation id, an answer with the correlation id alone.
const (
	lengthSize    = 4
	requestHeader = lengthSize + 8
	answerHeader  = lengthSize + 4
)

// kafka is one connection of a client of Kafka.
type kafka struct{}

// Kafka is the protocol of Kafka.
func Kafka() Protocol { return kafka{} }

func (kafka) unit(b []byte) int {
	if len(b) < lengthSize {
		return 0
	}
	return lengthSize + int(binary.BigEndian.Uint32(b))
}

func (kafka) inside(b []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if len(b) >= answerHeader {
			yield(b)
		}
	}
}

// request gives the correlation id. What is too short for a request is authentication, and nothing that could be lost.
func (kafka) request(m []byte) int32 {
	if len(m) < requestHeader {
		return -1
	}
	return int32(binary.BigEndian.Uint32(m[requestHeader-4:]))
}

func (kafka) answer(m []byte) int32 { return int32(binary.BigEndian.Uint32(m[lengthSize:])) }

// Commits is each OffsetCommit; of its answers those without an error.
func Commits() Match {
	return func(request []byte) (Applied, bool) {
		var of kmsg.OffsetCommitRequest
		if len(request) < requestHeader || int16(binary.BigEndian.Uint16(request[lengthSize:])) != of.Key() {
			return nil, false
		}
		var resp kmsg.OffsetCommitResponse
		resp.Version = int16(binary.BigEndian.Uint16(request[lengthSize+2:]))
		return func(answer []byte) (string, bool) {
			body := answer[answerHeader:]
			if resp.IsFlexible() { // then its header ends in a list of tagged fields, of which brokers send none
				body = body[1:]
			}
			if err := resp.ReadFrom(body); err != nil {
				return "", false
			}
			for _, t := range resp.Topics {
				for _, p := range t.Partitions {
					if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
						return fmt.Sprintf("OffsetCommit v%d: %v", resp.Version, err), false
					}
				}
			}
			return fmt.Sprintf("OffsetCommit v%d: no error", resp.Version), true
		}, true
	}
}
