package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"
)

var amounts = rapid.Custom(func(t *rapid.T) decimal.Decimal {
	return decimal.New(rapid.Int64().Draw(t, "coefficient"), rapid.Int32Range(-places, 0).Draw(t, "exponent"))
})

func TestEventComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := Event{
			ID: rapid.Int64Min(1).Draw(t, "id"), Account: rapid.StringN(1, -1, -1).Draw(t, "account"),
			Kind: rapid.SampledFrom([]Kind{Post, Close}).Draw(t, "kind"),
		}
		if e.Kind == Post {
			e.Amount = amounts.Draw(t, "amount")
		}
		b, err := e.Encode()
		if err != nil {
			t.Fatal(err)
		}
		asJSON(t, b, e)
		got, err := DecodeEvent(b)
		if diff := cmp.Diff(e, got); err != nil || diff != "" {
			t.Fatalf("%s: %v\n%s", b, err, diff)
		}
	})
}

func TestStateComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := State{
			Balance: amounts.Draw(t, "balance"), Count: rapid.Int64Min(1).Draw(t, "count"),
			Offset: rapid.Int64Min(0).Draw(t, "offset"), Digest: Digest(rapid.Uint64().Draw(t, "digest")),
		}
		b, err := s.Encode()
		if err != nil {
			t.Fatal(err)
		}
		asJSON(t, b, s)
		if got, err := DecodeState(b); err != nil || !got.Equal(s) {
			t.Fatalf("%s: %+v, %v", b, got, err)
		}
	})
}

// asJSON fails unless what was written is what the JSON library writes.
func asJSON(t *rapid.T, b []byte, v any) {
	want, err := json.Marshal(v)
	if err != nil || !bytes.Equal(b, want) {
		t.Fatalf("%s is not %s: %v", b, want, err)
	}
}

// However an amount came about, it is written as the decimal library writes it, or left to that.
func TestPlainAmount(t *testing.T) {
	for _, d := range []decimal.Decimal{
		{}, decimal.New(0, -2), decimal.New(5, -2), decimal.New(-5, -2), decimal.New(50, -2), decimal.New(-1611, -2), decimal.New(100, -2),
		decimal.New(7, 0), decimal.New(7, 3), decimal.New(1, -18), decimal.New(1, -19), decimal.New(999999999999999999, -18),
		decimal.New(math.MaxInt64, -2), decimal.New(math.MinInt64, -2), decimal.New(-999999999999999999, 0),
	} {
		if got, ok := plainAmount(d); ok && string(got) != d.String() || !ok && d.NumDigits() < 18 &&
			d.Exponent() <= 0 && d.Exponent() >= -18 {
			t.Errorf("%s is %s, %v", d, got, ok)
		}
	}
}

const (
	goodEvent = `{"id":7,"account":"acct-1","kind":"post","amount":"-1.50"}`
	goodState = `{"balance":"12.30","count":2,"offset":0,"digest":"00000000000000ff"}`
)

func TestDecodeEventIsStrict(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{``, ``, ``},
		{`"-1.50"`, `-1.50`, ``},
		{`{`, ` { `, ``},
		{`{`, ``, `not a JSON object`},
		{goodEvent, `null`, `not a JSON object`},
		{goodEvent, ``, `not a JSON object`},
		{`}`, ``, `not JSON: EOF`},
		{`}`, `}}`, `something follows the object`},
		{`}`, `} {}`, `something follows the object`},
		{`}`, "}\x00", `something follows the object`},
		{`}`, `,"id":8}`, `id is there twice`},
		{`}`, `,"note":1}`, `unknown field "note"`},
		{`"id"`, `"ID"`, `unknown field "ID"`},
		{`"id":7,`, ``, `id is missing`},
		{`7`, `null`, `id is null`},
		{`7`, `0`, `id must be positive`},
		{`7`, `-1`, `id must be positive`},
		{`7`, `7.5`, `id: json: cannot unmarshal number 7.5 into Go value of type int64`},
		{`"acct-1"`, `""`, `no account`},
		{`acct`, "\xff", `not UTF-8`},
		{`post`, `pots`, `kind must be "post" or "close"`},
		{`post`, `close`, `a close has no amount`},
		{`"-1.50"`, `"1e9999"`, `an amount has at most 18 decimal places and 128 bits`},
		{`"-1.50"`, `"1e-19"`, `an amount has at most 18 decimal places and 128 bits`},
		{`-1.50`, strings.Repeat("9", 40), `an amount has at most 18 decimal places and 128 bits`},
	} {
		b := strings.Replace(goodEvent, c.old, c.new, 1)
		_, err := DecodeEvent([]byte(b))
		refused(t, b, err, c.want)
	}
}

func TestDecodeStateIsStrict(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{``, ``, ``},
		{`}`, `}1`, `something follows the object`},
		{`}`, `,"count":2}`, `count is there twice`},
		{`}`, `,"Count":2}`, `unknown field "Count"`},
		{`"offset":0,`, ``, `offset is missing`},
		{`"balance":"12.30",`, ``, `balance is missing`},
		{`:2`, `:0`, `count must be positive`},
		{`:2`, `:-2`, `count must be positive`},
		{`:0`, `:-1`, `offset must not be negative`},
		{`12.30`, `1e400`, `an amount has at most 18 decimal places and 128 bits`},
		{`00000000000000ff`, `ff`, `digest: digest "ff" is not 16 hexadecimal digits`},
		{`00000000000000ff`, `000000000000000ff`, `digest: digest "000000000000000ff" is not 16 hexadecimal digits`},
		{`00000000000000ff`, `00000000000000fg`, `digest: digest "00000000000000fg" is not 16 hexadecimal digits`},
	} {
		b := strings.Replace(goodState, c.old, c.new, 1)
		_, err := DecodeState([]byte(b))
		refused(t, b, err, c.want)
	}
}

// refused checks that the error ends as wanted, or that there is none where nothing is.
func refused(t *testing.T, b string, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("%s: %v", b, err)
	case want != "" && (err == nil || !strings.HasSuffix(err.Error(), ": "+want)):
		t.Errorf("%s: error %v, want %s", b, err, want)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(goodEvent))
	f.Add([]byte(goodState))
	f.Fuzz(func(t *testing.T, b []byte) {
		alike(t, b)
		if e, err := DecodeEvent(b); err == nil {
			again, err := e.Encode()
			if err != nil {
				t.Fatal(err)
			}
			if f, err := DecodeEvent(again); err != nil || !cmp.Equal(e, f) {
				t.Fatalf("%q read as %v, written as %q, read as %v: %v", b, e, again, f, err)
			}
		}
		if s, err := DecodeState(b); err == nil {
			again, err := s.Encode()
			if err != nil {
				t.Fatal(err)
			}
			if u, err := DecodeState(again); err != nil || !s.Equal(u) {
				t.Fatalf("%q read as %v, written as %q, read as %v: %v", b, s, again, u, err)
			}
		}
	})
}

// alike fails unless what the quick reader reads is what the strict one reads.
func alike(t *testing.T, b []byte) {
	t.Helper()
	read := func(by func([]byte, []field) error) (e Event, s State, ok [2]bool) {
		ok[0] = by(b, []field{{"id", &e.ID}, {"account", &e.Account}, {"kind", &e.Kind}, {"amount", &e.Amount}}) == nil
		ok[1] = by(b, []field{{"balance", &s.Balance}, {"count", &s.Count}, {"offset", &s.Offset}, {"digest", &s.Digest}}) == nil
		return e, s, ok
	}
	quick := func(b []byte, fields []field) error {
		if !canonical(b, fields) {
			return errors.New("not as it is written")
		}
		return nil
	}
	e, s, ok := read(quick)
	f, u, known := read(strict)
	if ok[0] && (!known[0] || !cmp.Equal(e, f)) || ok[1] && (!known[1] || !s.Equal(u)) {
		t.Fatalf("%q read as %v %v %v, and strictly as %v %v %v", b, e, s, ok, f, u, known)
	}
}

// What is written is read quickly; what differs from it in the least is not, and is judged strictly.
func TestCanonical(t *testing.T) {
	event := func(b string) bool {
		var e Event
		return canonical([]byte(b), []field{{"id", &e.ID}, {"account", &e.Account}, {"kind", &e.Kind}, {"amount", &e.Amount}})
	}
	e := Event{ID: 7, Account: "acct-1", Kind: Post, Amount: decimal.New(1611, -2)}
	b, err := e.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if !event(string(b)) {
		t.Errorf("%s is not read quickly", b)
	}
	for _, other := range []string{
		`{"id":07,"account":"acct-1","kind":"post","amount":"16.11"}`, `{"id":7, "account":"acct-1","kind":"post","amount":"16.11"}`,
		`{"id":7,"account":"acct-1","kind":"post","amount":"16.11"} `, `{"id":7,"account":"acct\\u002d1","kind":"post","amount":"16.11"}`,
		`{"id":"7","account":"acct-1","kind":"post","amount":"16.11"}`, `{"id":7,"account":3,"kind":"post","amount":"16.11"}`,
		`{"account":"acct-1","id":7,"kind":"post","amount":"16.11"}`, `{"id":7,"account":"acct-1","kind":"post"}`,
		`{"id":7,"account":"acct-1","kind":"post","amount":"16.11","x":1}`, `{"id":99999999999999999999,"account":"acct-1","kind":"post","amount":"16.11"}`,
		`{"id":7,"account":"acct-1","kind":"post","amount":"sixteen"}`, `{"id":7,"account":"acct-1","kind":"post","amount":"16.11`, `{"id":`, ``, `{`,
		`{"id":7,"account":"\u00e9","kind":"post","amount":"16.11"}`, `{"id":,"account":"acct-1","kind":"post","amount":"16.11"}`,
	} {
		if event(other) {
			t.Errorf("%s is read quickly", other)
		}
		alike(t, []byte(other))
	}
}
