package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/shopspring/decimal"
)

// field is one field of an object and where its value goes.
type field struct {
	name string
	into any
}

// object reads one flat JSON object which has each of the fields exactly once, under exactly its name, not null, and
// nothing else. encoding/json alone takes the last of two, any case, null for 0 and a missing field for 0: each would
// turn a damaged value into a sound-looking one with the wrong money in it.
func object(b []byte, fields []field) error {
	if canonical(b, fields) {
		return nil
	}
	return strict(b, fields)
}

func strict(b []byte, fields []field) error {
	if !utf8.Valid(b) {
		return errors.New("not UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return errors.New("not a JSON object")
	}
	seen := map[string]bool{}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return fmt.Errorf("not JSON: %w", err)
		}
		name, _ := t.(string)
		if seen[name] {
			return fmt.Errorf("%s is there twice", name)
		}
		seen[name] = true
		if err := value(dec, name, fields); err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil {
		return fmt.Errorf("not JSON: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the object")
	}
	for _, f := range fields {
		if !seen[f.name] {
			return fmt.Errorf("%s is missing", f.name)
		}
	}
	return nil
}

func value(dec *json.Decoder, name string, fields []field) error {
	for _, f := range fields {
		if f.name != name {
			continue
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return fmt.Errorf("not JSON: %w", err)
		}
		if string(raw) == "null" {
			return fmt.Errorf("%s is null", name)
		}
		if err := json.Unmarshal(raw, f.into); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}
	return fmt.Errorf("unknown field %.40q", name)
}

// places and bits bound an amount. One of a few bytes, like 1e10000, makes every addition write out as many digits, and
// would slow down whoever folds or checks it by as much.
const (
	places = 18
	bits   = 128
)

func money(d decimal.Decimal) error {
	if e := d.Exponent(); e < -places || e > places || d.Coefficient().BitLen() > bits {
		return fmt.Errorf("an amount has at most %d decimal places and %d bits", places, bits)
	}
	return nil
}
