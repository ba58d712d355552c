package ledger

import (
	"bytes"
	"encoding"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"
)

// plain tells whether a text is its own JSON.
func plain(text string) bool {
	for _, c := range []byte(text) {
		if c < ' ' || c > '~' || strings.IndexByte(`"\<>&`, c) >= 0 {
			return false
		}
	}
	return true
}

// plainAmount gives an amount as the decimal library writes it, which goes by way of big numbers: nearly all are small enough
// to do without, and each record and each stored value has one.
func plainAmount(d decimal.Decimal) (text []byte, ok bool) {
	const most = 18 // digits of any 64-bit number
	behind := int(-d.Exponent())
	if behind < 0 || behind > most || d.NumDigits() > most {
		return nil, false
	}
	n := d.CoefficientInt64()
	for ; behind > 0 && n%10 == 0; behind-- {
		n /= 10
	}
	text = make([]byte, 0, most+3)
	if n < 0 {
		text, n = append(text, '-'), -n
	}
	digits := strconv.AppendInt(make([]byte, 0, most+1), n, 10)
	for len(digits) <= behind {
		digits = append([]byte{'0'}, digits...)
	}
	text = append(text, digits[:len(digits)-behind]...)
	if behind > 0 {
		text = append(append(text, '.'), digits[len(digits)-behind:]...)
	}
	return text, true
}

// canonical reads an object that is written as Encode writes it: the fields in order, nothing between them, numbers of plain
// digits, texts without escapes. Nearly all are, and the strict reader takes ten times as long; whatever is otherwise in any
// way is left to that one, which then says what is wrong.
func canonical(b []byte, fields []field) bool {
	for i, f := range fields {
		opening := byte(',')
		if i == 0 {
			opening = '{'
		}
		if len(b) < len(f.name)+4 || b[0] != opening || b[1] != '"' || string(b[2:2+len(f.name)]) != f.name ||
			string(b[2+len(f.name):4+len(f.name)]) != `":` {
			return false
		}
		value, rest, ok := plainValue(b[4+len(f.name):])
		if !ok || !put(value, f.into) {
			return false
		}
		b = rest
	}
	return string(b) == "}"
}

// plainValue takes a number of plain digits, or a text of plain characters with its quotes.
func plainValue(b []byte) (value, rest []byte, ok bool) {
	if len(b) > 0 && b[0] == '"' {
		end := bytes.IndexByte(b[1:], '"') + 2
		if end < 2 {
			return nil, nil, false
		}
		for _, c := range b[1 : end-1] {
			if c < ' ' || c > '~' || c == '\\' {
				return nil, nil, false
			}
		}
		return b[:end], b[end:], true
	}
	end := 0
	for end < len(b) && b[end] >= '0' && b[end] <= '9' {
		end++
	}
	return b[:end], b[end:], end > 0 && (end == 1 || b[0] != '0')
}

// put puts a value into its place, and tells whether it is of the place's type.
func put(value []byte, into any) bool {
	text := value[0] == '"'
	switch into := into.(type) {
	case *int64:
		n, err := strconv.ParseInt(string(value), 10, 64)
		*into = n
		return err == nil
	case *string:
		*into = string(bytes.Trim(value, `"`))
		return text
	case *Kind:
		*into = Kind(bytes.Trim(value, `"`))
		return text
	case json.Unmarshaler:
		return text && into.UnmarshalJSON(value) == nil
	case encoding.TextUnmarshaler:
		return text && into.UnmarshalText(value[1:len(value)-1]) == nil
	}
	return false
}
