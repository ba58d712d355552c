package ledger

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/shopspring/decimal"
)

// State is what an account has come to after the events up to an offset. The zero State is an account that is not open;
// see State.Open.
type State struct {
	// Balance is the sum of the amounts folded.
	Balance decimal.Decimal `json:"balance"`
	// Count is the number of events folded since the account was opened.
	Count int64 `json:"count"`
	// Offset is the input offset of the last event folded (of that record itself, not of the next one to read).
	Offset int64 `json:"offset"`
	// Digest identifies the events folded and their order.
	Digest Digest `json:"digest"`
}

// Digest identifies a sequence of event ids. Two sequences that differ have different digests but for a chance of about
// one in 2^64; it is no defence against somebody who wants a collision, and need not be one.
type Digest uint64

// MarshalText writes the digest as 16 hexadecimal digits: JSON numbers of 64 bits do not survive most readers.
func (d Digest) MarshalText() ([]byte, error) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(d))
	return hex.AppendEncode(nil, b[:]), nil
}

// UnmarshalText reads what MarshalText wrote: a digest cut short is no digest.
func (d *Digest) UnmarshalText(b []byte) error {
	var v [8]byte
	if n, err := hex.Decode(v[:], b[:min(len(b), 2*len(v))]); err != nil || n != len(v) || len(b) != 2*n {
		return fmt.Errorf("digest %.40q is not 16 hexadecimal digits", b)
	}
	*d = Digest(binary.BigEndian.Uint64(v[:]))
	return nil
}

// next appends one event id to the sequence: the finaliser of SplitMix64 over a multiply-and-add, so that each step
// mixes all bits and order matters.
func (d Digest) next(id int64) Digest {
	x := uint64(d)*0x9e3779b97f4a7c15 + uint64(id) + 0x632be59bd9b4e019
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb
	return Digest(x ^ (x >> 31))
}

// before undoes next: the digest that becomes d by appending the id. Each step of next can be undone (the factors are
// the inverses of its own modulo 2^64), which lets Diff meet in the middle of a log instead of folding every candidate.
func (d Digest) before(id int64) Digest {
	x := uint64(d)
	x = (x ^ (x >> 31) ^ (x >> 62)) * 0x319642b2d24d8ec3
	x = (x ^ (x >> 27) ^ (x >> 54)) * 0x96de1b173f119089
	x = x ^ (x >> 30) ^ (x >> 60)
	return Digest((x - uint64(id) - 0x632be59bd9b4e019) * 0xf1de83e19937733d)
}

// Open tells whether the account exists: at least one event was folded since it was last closed.
func (s State) Open() bool { return s.Count > 0 }

// Fold gives the state after the event at the given offset. Close gives the zero State: what is left to store of it is
// the offset of the close, which the caller has.
func (s State) Fold(e Event, offset int64) State {
	if e.Kind == Close {
		return State{}
	}
	return State{
		Balance: s.Balance.Add(e.Amount),
		Count:   s.Count + 1,
		Offset:  offset,
		Digest:  s.Digest.next(e.ID),
	}
}

// Equal tells whether two states are the same to every reader.
func (s State) Equal(t State) bool {
	return s.Count == t.Count && s.Offset == t.Offset && s.Digest == t.Digest && s.Balance.Equal(t.Balance)
}

// String is the short form used in witnesses: balance, count and offset.
func (s State) String() string {
	if !s.Open() {
		return "closed"
	}
	return fmt.Sprintf("balance %s of %d events @%d", s.Balance.StringFixed(2), s.Count, s.Offset)
}

// Encode gives the state as a stored value: its JSON.
func (s State) Encode() ([]byte, error) {
	if balance, ok := plainAmount(s.Balance); ok {
		return fmt.Appendf(make([]byte, 0, 96), `{"balance":"%s","count":%d,"offset":%d,"digest":"%016x"}`, balance,
			s.Count, s.Offset, uint64(s.Digest)), nil
	}
	return json.Marshal(s)
}

// Validate tells what is wrong with a stored state: what is stored is of an open account, so it holds an event.
func (s State) Validate() error {
	switch {
	case s.Count <= 0:
		return errors.New("count must be positive")
	case s.Offset < 0:
		return errors.New("offset must not be negative")
	}
	return money(s.Balance)
}

// DecodeState reads a stored value: one JSON object with each field once and no others, that is valid. It is strict
// because a value with half its fields, or with one of them twice, is a torn one, which a lax reader would take for a
// state.
func DecodeState(b []byte) (State, error) {
	var s State
	err := object(b, []field{{"balance", &s.Balance}, {"count", &s.Count}, {"offset", &s.Offset}, {"digest", &s.Digest}})
	if err == nil {
		err = s.Validate()
	}
	if err != nil {
		return State{}, fmt.Errorf("decode state %.80q: %w", b, err)
	}
	return s, nil
}
