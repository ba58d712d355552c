package internode

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"github.com/single-writer/chaos/cluster/crcframe"
)

// recorded is what a real node of 5.0.5 sent another on one connection: what it began with, and what it sent then.
func recorded(t testing.TB, name string) (first initiate, sent []byte) {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	r := bytes.NewReader(b)
	if first, err = readInitiate(r); err != nil {
		t.Fatal(err)
	}
	return first, b[len(first):]
}

// recordings are the verbs of what was recorded: plain writes (0), reads (3, 9) and conditional writes (33, 34, 35) that the node
// coordinated, and what it answered to those of another (60 more); gossip (14, 15, 16) and signs of life (91).
var recordings = map[string][]uint64{
	"messages.bin": {0, 60, 33, 3, 34, 35, 0, 93, 63, 94, 95, 60, 0, 3, 33, 3, 34, 35, 33, 34, 3, 9},
	"gossip.bin":   append(slices.Repeat([]uint64{91}, 22), 14, 15, 16, 14, 15, 16),
}

// each cuts the frames, which must be as Cassandra would take them, and gives the payload of each.
func each(t testing.TB, sent []byte, do func(payload []byte)) {
	t.Helper()
	for len(sent) > 0 {
		n, ok := crcframe.Size(sent)
		if !ok || n == 0 || n > len(sent) {
			t.Fatalf("%d bytes are left that are no frame", len(sent))
		}
		f := crcframe.Frame(sent[:n])
		if !f.Sound() || !f.Whole() {
			t.Fatalf("a frame of %d bytes has a wrong checksum, or is a part of a message", n)
		}
		do(f.Payload())
		sent = sent[n:]
	}
}

func verbsOf(t testing.TB, sent []byte) (verbs []uint64) {
	t.Helper()
	each(t, sent, func(payload []byte) {
		for len(payload) > 0 {
			h, _, rest, ok := cutMessage(payload)
			if !ok {
				t.Fatalf("%d bytes of a frame are no message", len(payload))
			}
			verbs, payload = append(verbs, h.verb), rest
		}
	})
	return verbs
}

// sifted passes bytes in pieces of a size, and gives all that went on.
func sifted(s *sieve, b []byte, size int) (on []byte) {
	for piece := range slices.Chunk(b, size) {
		on = append(on, s.pass(piece)...)
	}
	return append(on, s.rest()...)
}

func none(header) bool { return false }

func TestRecordedFrames(t *testing.T) {
	for name, want := range recordings {
		_, sent := recorded(t, name)
		if got := verbsOf(t, sent); !slices.Equal(got, want) {
			t.Errorf("%s: %v; expected: %v", name, got, want)
		}
	}
}

// What is lost is gone and nothing else, in whatever pieces it comes; what is not lost goes on as it came, to the byte.
func TestSieveLosesWhatItIsTo(t *testing.T) {
	for name, verbs := range recordings {
		_, sent := recorded(t, name)
		for _, size := range []int{1, 7, 100, len(sent)} {
			if on := sifted(&sieve{loses: none}, sent, size); !bytes.Equal(on, sent) {
				t.Errorf("%s in pieces of %d: of %d bytes %d went on, or others", name, size, len(sent), len(on))
			}
			for _, lost := range verbs {
				on := sifted(&sieve{loses: func(h header) bool { return h.verb == lost }}, sent, size)
				want := slices.DeleteFunc(slices.Clone(verbs), func(v uint64) bool { return v == lost })
				if got := verbsOf(t, on); !slices.Equal(got, want) {
					t.Errorf("%s in pieces of %d without %d: %v; expected: %v", name, size, lost, got, want)
				}
			}
		}
	}
}

// Of several messages in one frame one can be lost; those around it go on in a frame of their own making.
func TestSieveLosesOneOfAFrame(t *testing.T) {
	_, sent := recorded(t, "messages.bin")
	var all []byte
	each(t, sent, func(payload []byte) { all = append(all, payload...) })
	n := 0
	on := sifted(&sieve{loses: func(header) bool { n++; return n == 3 }}, crcframe.Append(nil, all, true), len(all))
	if got, want := verbsOf(t, on), slices.Delete(slices.Clone(recordings["messages.bin"]), 2, 3); !slices.Equal(got, want) {
		t.Errorf("%v; expected: %v", got, want)
	}
}

// From the first frame on that is none, or whose checksum is wrong, all goes on as it came: nobody knows any more what is a
// message.
func TestSieveIsBlindToWhatIsNoFrame(t *testing.T) {
	_, sent := recorded(t, "messages.bin")
	for at := range sent {
		broken := bytes.Clone(sent)
		broken[at] ^= 0x10
		if on := sifted(&sieve{loses: none}, broken, 50); !bytes.Equal(on, broken) {
			t.Fatalf("with byte %d changed: of %d bytes %d went on, or others", at, len(broken), len(on))
		}
	}
	s := &sieve{loses: func(header) bool { return true }}
	if on := s.pass(append([]byte("not a frame"), sent...)); !bytes.HasSuffix(on, sent) || !s.blind {
		t.Error("messages are lost after what is no frame")
	}
	part := crcframe.Append(nil, sent[:10], false)
	s = &sieve{loses: func(header) bool { return true }}
	if on := s.pass(part); !bytes.Equal(on, part) || s.blind {
		t.Error("a part of a large message did not go on as it came")
	}
}

// Whatever comes, in whatever pieces: it does not end the program, it goes on whole where nothing is to be lost, and nothing is
// added where something is.
func FuzzSieve(f *testing.F) {
	for name := range recordings {
		_, sent := recorded(f, name)
		f.Add(sent, 3, uint64(34))
	}
	f.Fuzz(func(t *testing.T, b []byte, size int, lost uint64) {
		size = max(size, 1)
		if on := sifted(&sieve{loses: none}, b, size); !bytes.Equal(on, b) {
			t.Errorf("of %d bytes %d went on, or others", len(b), len(on))
		}
		if on := sifted(&sieve{loses: func(h header) bool { return h.verb == lost }}, b, size); len(on) > len(b) {
			t.Errorf("%d bytes came and %d went on", len(b), len(on))
		}
		// The same as one frame, whose checksums are right.
		if b = b[:min(len(b), crcframe.MostPayload)]; len(b) > 0 {
			if on := sifted(&sieve{loses: none}, crcframe.Append(nil, b, true), size); !bytes.Equal(on, crcframe.Append(nil, b, true)) {
				t.Error("a frame went on otherwise than it came")
			}
			sifted(&sieve{loses: func(h header) bool { return h.verb == lost }}, crcframe.Append(nil, b, true), size)
		}
	})
}
