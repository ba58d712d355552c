// Package ledger is the state that the workers keep: accounts whose balances are folded from posted amounts.
//
// A ledger is used because it shows in money what a lost or doubled event costs. The fold is order-sensitive and not
// idempotent, so that folding an event twice, leaving one out or swapping two can all be told from the stored value
// alone. The package imports nothing of the rig: workers, checkers and reports share it.
package ledger

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/shopspring/decimal"
)

// Kind says what an event does to its account.
type Kind string

const (
	// Post adds an amount to the account's balance; it opens the account if there is none.
	Post Kind = "post"
	// Close ends the account: its state is deleted. A later Post opens it anew, from nothing.
	Close Kind = "close"
)

// Event is one record of the input.
type Event struct {
	// ID is unique in a run: 1 for the first event of the input, then counting in the order of production.
	ID int64 `json:"id"`
	// Account is the record's key.
	Account string `json:"account"`
	Kind    Kind   `json:"kind"`
	// Amount is what a Post adds, possibly negative; zero for Close.
	Amount decimal.Decimal `json:"amount"`
}

// Encode gives the event as the value of an input record: its JSON.
func (e Event) Encode() ([]byte, error) {
	if amount, ok := plainAmount(e.Amount); ok && plain(e.Account) && plain(string(e.Kind)) {
		return fmt.Appendf(make([]byte, 0, 96), `{"id":%d,"account":"%s","kind":"%s","amount":"%s"}`, e.ID, e.Account,
			e.Kind, amount), nil
	}
	return json.Marshal(e)
}

// Validate tells what is wrong with an event: an input that a worker cannot understand must not be folded as if it were
// nothing.
func (e Event) Validate() error {
	switch {
	case e.ID <= 0:
		return errors.New("id must be positive")
	case e.Account == "":
		return errors.New("no account")
	case e.Kind != Post && e.Kind != Close:
		return fmt.Errorf("kind must be %q or %q", Post, Close)
	case e.Kind == Close && !e.Amount.IsZero():
		return errors.New("a close has no amount")
	}
	return money(e.Amount)
}

// DecodeEvent reads the value of an input record: one JSON object with each field once and no others, that is valid.
func DecodeEvent(b []byte) (Event, error) {
	var e Event
	err := object(b, []field{{"id", &e.ID}, {"account", &e.Account}, {"kind", &e.Kind}, {"amount", &e.Amount}})
	if err == nil {
		err = e.Validate()
	}
	if err != nil {
		return Event{}, fmt.Errorf("decode event %.80q: %w", b, err)
	}
	return e, nil
}
