package persistence

import (
	"encoding/json"
	"fmt"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
)

// metadata is what is stored with each write, tombstones too, so that a read tells whose write it saw.
type metadata struct {
	Write      string `json:"write"`
	Generation int32  `json:"generation"`
}

func encodeMetadata(write string, generation int32) string {
	b, err := json.Marshal(metadata{write, generation})
	if err != nil {
		panic(fmt.Sprintf("persistence: metadata of %q: %v", write, err))
	}
	return string(b)
}

// MarkOf is how the metadata of every write of a life begin, as they are stored and sent.
func MarkOf(life string) string { return fmt.Sprintf(`{"write":"%s#`, life) }

// Decode makes a history row of a stored one. A value that is no state, or metadata that are none of ours, are kept as
// they were found: what is stored must be told, not what was hoped for.
func (r *RawRow) Decode() *history.Row {
	if r == nil {
		return nil
	}
	out := &history.Row{
		Offset: r.Offset, WritetimeOffset: r.WritetimeOffset, WritetimeValue: r.WritetimeValue, TTL: r.TTL,
	}
	if r.Value != nil {
		s, err := ledger.DecodeState(r.Value)
		if err != nil {
			out.Broken = fmt.Sprintf("%.200q", r.Value)
		} else {
			out.State = &s
		}
	}
	var m metadata
	if r.Metadata != "" && json.Unmarshal([]byte(r.Metadata), &m) == nil {
		out.Write, out.Generation = m.Write, m.Generation
	}
	return out
}
