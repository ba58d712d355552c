package wire

import (
	"encoding/binary"
	"fmt"
	"iter"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/single-writer/chaos/workload"
)

// The parts of Kafka's protocol that matter here: a message begins with the length of the rest; a request goes on with its
// key, version, correlation id and the client's id, an answer with the correlation id alone.
const (
	lengthSize    = 4
	requestHeader = lengthSize + 8
	answerHeader  = lengthSize + 4
	// mostMessage is the most that brokers take (socket.request.max.bytes) or send, unless somebody has asked for more.
	mostMessage = 100 << 20
)

// kafka is one connection of a client of Kafka.
type kafka struct{}

// Kafka is the protocol of Kafka.
func Kafka() Protocol { return kafka{} }

func (kafka) unit(b []byte) int {
	if len(b) < lengthSize {
		return 0
	}
	n := binary.BigEndian.Uint32(b)
	if n > mostMessage {
		return -1
	}
	return lengthSize + int(n)
}

func (kafka) inside(b []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if len(b) >= answerHeader {
			yield(b)
		}
	}
}

func (kafka) wrap(messages ...[]byte) []byte { return slices.Concat(messages...) }

func (kafka) ordered() bool { return true }

// request gives the correlation id. What is too short for a request is authentication, and nothing that could be lost.
func (kafka) request(m []byte) int32 {
	if len(m) < requestHeader {
		return -1
	}
	return int32(binary.BigEndian.Uint32(m[requestHeader-4:]))
}

func (kafka) answer(m []byte) int32 { return int32(binary.BigEndian.Uint32(m[lengthSize:])) }

// describe says that a request is its client's, by its id.
func (kafka) describe(m []byte) (Request, bool) {
	if len(m) < requestHeader+2 {
		return Request{}, false
	}
	key, version := int16(binary.BigEndian.Uint16(m[lengthSize:])), int16(binary.BigEndian.Uint16(m[lengthSize+2:]))
	r := reader{rest: m[requestHeader:]}
	n := r.short()
	client := r.take(n)
	if len(client) < n || kmsg.ResponseForKey(key) == nil {
		return Request{}, false
	}
	name := kmsg.NameForKey(key)
	return Request{
		Of: string(client), Words: workload.KafkaWords(name),
		Done: func(answer []byte) (string, bool) {
			code, err := codeOf(key, version, answer)
			if err != nil {
				return fmt.Sprintf("%s v%d: %v", name, version, err), false
			}
			if err := kerr.ErrorForCode(code); err != nil {
				return fmt.Sprintf("%s v%d: %v", name, version, err), false
			}
			return fmt.Sprintf("%s v%d: no error", name, version), true
		},
	}, true
}

// keyAPIVersions is the one request whose answers have the same header in all versions.
const keyAPIVersions = 18

// codeOf gives the first error in an answer.
func codeOf(key, version int16, answer []byte) (int16, error) {
	resp, err := readAnswer(key, version, answer)
	if err != nil {
		return 0, err
	}
	for _, code := range codesIn(resp) {
		if code != 0 {
			return code, nil
		}
	}
	return 0, nil
}

// readAnswer reads one whole answer. The header of a flexible one ends in a list of tagged fields, of which brokers send none.
func readAnswer(key, version int16, answer []byte) (kmsg.Response, error) {
	resp := kmsg.ResponseForKey(key)
	resp.SetVersion(version)
	body := answer[answerHeader:]
	if resp.IsFlexible() && key != keyAPIVersions {
		if len(body) == 0 || body[0] != 0 {
			return nil, kerr.CorruptMessage
		}
		body = body[1:]
	}
	return resp, resp.ReadFrom(body)
}

// codesIn are the error codes of the answers that rules ask about. Of other requests any answer says that they were done.
func codesIn(resp kmsg.Response) (codes []int16) {
	switch r := resp.(type) {
	case *kmsg.HeartbeatResponse:
		codes = append(codes, r.ErrorCode)
	case *kmsg.JoinGroupResponse:
		codes = append(codes, r.ErrorCode)
	case *kmsg.SyncGroupResponse:
		codes = append(codes, r.ErrorCode)
	case *kmsg.LeaveGroupResponse:
		codes = append(codes, r.ErrorCode)
		for _, m := range r.Members {
			codes = append(codes, m.ErrorCode)
		}
	case *kmsg.OffsetFetchResponse:
		codes = append(codes, r.ErrorCode)
		for _, g := range r.Groups {
			codes = append(codes, g.ErrorCode)
		}
	case *kmsg.OffsetCommitResponse:
		for _, t := range r.Topics {
			for _, p := range t.Partitions {
				codes = append(codes, p.ErrorCode)
			}
		}
	case *kmsg.FetchResponse:
		codes = append(codes, r.ErrorCode)
		for _, t := range r.Topics {
			for _, p := range t.Partitions {
				codes = append(codes, p.ErrorCode)
			}
		}
	case *kmsg.ProduceResponse:
		for _, t := range r.Topics {
			for _, p := range t.Partitions {
				codes = append(codes, p.ErrorCode)
			}
		}
	}
	return codes
}
