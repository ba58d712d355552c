package persistence

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/ledger"
)

// metadata is what is stored with each write, tombstones too, so that a read tells whose write it saw.
type metadata struct {
	Write      string `json:"write"`
	Generation int32  `json:"generation"`
}

func encodeMetadata(write string, generation int32) string {
	if !strings.ContainsFunc(write, special) && !strings.ContainsAny(write, "<>&") {
		return `{"write":"` + write + `","generation":` + strconv.Itoa(int(generation)) + "}"
	}
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
	if m, ok := decodeMetadata(r.Metadata); ok {
		out.Write, out.Generation = m.Write, m.Generation
	}
	return out
}

// decodeMetadata reads what encodeMetadata wrote, and any other JSON of the kind. The former is taken apart by hand: every row
// that is read has it.
func decodeMetadata(text string) (m metadata, ok bool) {
	rest, begins := strings.CutPrefix(text, `{"write":"`)
	write, rest, _ := strings.Cut(rest, `","generation":`)
	number, ends := strings.CutSuffix(rest, "}")
	n, err := strconv.ParseInt(number, 10, 32)
	if begins && ends && err == nil && strconv.FormatInt(n, 10) == number && !strings.ContainsFunc(write, special) {
		return metadata{write, int32(n)}, true
	}
	return m, text != "" && json.Unmarshal([]byte(text), &m) == nil
}

// special tells of a character that may be otherwise in JSON than in the text.
func special(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }
