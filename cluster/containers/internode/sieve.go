package internode

import "github.com/single-writer/chaos/cluster/crcframe"

// sieve takes the bytes that one node sends another, once they have shaken hands, and gives those that go on: all but the messages
// that are lost. What it does not understand goes on as it came, and so does all after it.
type sieve struct {
	loses func(h header) bool
	// came is the beginning of a frame.
	came []byte
	// blind says that something came that was no frame, so that nobody knows where the next one begins.
	blind bool
}

// pass gives what goes on of what was kept back and of what has come now.
func (s *sieve) pass(b []byte) (on []byte) {
	s.came = append(s.came, b...)
	for !s.blind {
		n, ok := crcframe.Size(s.came)
		if ok && (n == 0 || n > len(s.came)) {
			return on
		}
		if !ok {
			break
		}
		f := crcframe.Frame(s.came[:n])
		if !f.Sound() {
			break
		}
		on = s.frame(on, f)
		s.came = s.came[n:]
	}
	s.blind = true
	return append(on, s.rest()...)
}

// rest gives what was kept back, at the end of a connection.
func (s *sieve) rest() []byte {
	b := s.came
	s.came = nil
	return b
}

// frame appends what goes on of a frame: as it came, where nothing of it is lost.
func (s *sieve) frame(on []byte, f crcframe.Frame) []byte {
	payload := f.Payload()
	if !f.Whole() {
		return append(on, f...)
	}
	var kept []byte
	for rest := payload; len(rest) > 0; {
		h, message, after, ok := cutMessage(rest)
		if !ok {
			return append(on, f...)
		}
		if !s.loses(h) {
			kept = append(kept, message...)
		}
		rest = after
	}
	switch len(kept) {
	case len(payload):
		return append(on, f...)
	case 0:
		return on
	}
	return crcframe.Append(on, kept, true)
}
