package history

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// Opt is a number that may be unknown. An offset of 0 is a place in the log, so "none" needs a form of its own; the zero
// Opt is the unknown one and is left out of JSON.
type Opt struct {
	N     int64
	Known bool
}

// Some gives a known number.
func Some(n int64) Opt { return Opt{N: n, Known: true} }

// IsZero makes omitzero leave an unknown number out.
func (o Opt) IsZero() bool { return !o.Known }

// MarshalJSON writes the number, or null.
func (o Opt) MarshalJSON() ([]byte, error) {
	if !o.Known {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, o.N, 10), nil
}

// UnmarshalJSON reads a number or null.
func (o *Opt) UnmarshalJSON(b []byte) error {
	if bytes.Equal(b, []byte("null")) {
		*o = Opt{}
		return nil
	}
	if err := json.Unmarshal(b, &o.N); err != nil {
		return err
	}
	o.Known = true
	return nil
}

// String is the number, or "none".
func (o Opt) String() string {
	if !o.Known {
		return "none"
	}
	return strconv.FormatInt(o.N, 10)
}
