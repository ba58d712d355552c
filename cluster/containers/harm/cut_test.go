package harm

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/single-writer/chaos/workload"
)

// One-way cuts drop one way and count the other; what has met nothing proves nothing, and neither does a rule that is not there.
func TestTally(t *testing.T) {
	peer := []netip.Addr{netip.MustParseAddr("172.20.0.3")}
	const from, to = "-s 172.20.0.3/32", "-d 172.20.0.3/32"
	for name, c := range map[string]struct {
		trouble workload.Trouble
		saved   string
		want    string
		proved  bool
	}{
		"isolated": {workload.Isolated, "[3:180] -A INPUT " + from + " -j DROP\n[2:90] -A OUTPUT " + to + " -j DROP\n",
			"3 packets from peers dropped, 2 packets to peers dropped", true},
		"deaf": {workload.Deaf, "[3:180] -A INPUT " + from + " -j DROP\n[2:90] -A OUTPUT " + to + "\n",
			"3 packets from peers dropped, 2 packets to peers passed", true},
		"mute": {workload.Mute, "[3:180] -A INPUT " + from + "\n[2:90] -A OUTPUT " + to + " -j DROP\n",
			"3 packets from peers passed, 2 packets to peers dropped", true},
		"nothing went the way that is open": {workload.Mute, "[0:0] -A INPUT " + from + "\n[2:90] -A OUTPUT " + to + " -j DROP\n",
			"0 packets from peers passed, 2 packets to peers dropped", false},
		"nothing was dropped": {workload.Deaf, "[0:0] -A INPUT " + from + " -j DROP\n[2:90] -A OUTPUT " + to + "\n",
			"0 packets from peers dropped, 2 packets to peers passed", false},
		"counted and not dropped": {workload.Isolated, "[3:180] -A INPUT " + from + "\n[2:90] -A OUTPUT " + to + "\n",
			"the rule is not there: INPUT " + from, false},
		"no rules": {workload.Isolated, "*filter\n:INPUT ACCEPT [7:700]\nCOMMIT\n", "the rule is not there: INPUT " + from, false},
		"clients, who are told nothing": {workload.Unreachable, "[1:60] -A INPUT " + from + "\n[1:60] -A OUTPUT " + to +
			"\n[4:240] -A INPUT -p tcp -m tcp --dport 9092 -j DROP\n[0:0] -A OUTPUT -p tcp -m tcp --sport 9092 -j DROP\n",
			"1 packets from peers passed, 1 packets to peers passed, 4 packets from clients dropped, 0 packets to clients dropped", true},
	} {
		all := rules(c.trouble, peer, 9092)
		got, proved := tally(all, counts(all, c.saved))
		if got != c.want || proved != c.proved {
			t.Errorf("%s: %q, %v", name, got, proved)
		}
		// What is saved of a table is what was put there, but for the counters.
		for line := range strings.Lines(c.saved) {
			if _, rule, ok := strings.Cut(line, "] -A"); ok && c.proved && !strings.Contains(table(all), "-A"+rule) {
				t.Errorf("%s: the table lacks %q:\n%s", name, rule, table(all))
			}
		}
	}
}

// The complaint is the first error about a file that may not grow, whatever errors and stack traces there are besides.
func TestFirstComplaint(t *testing.T) {
	for log, want := range map[string]string{
		"": "",
		"2026 INFO started\n2026 ERROR Something else (Log)\n": "",
		"2026 ERROR Other (Log)\n2026 ERROR Error while appending (Log)\njava.io.IOException: File too large\n\tat x\n2026 ERROR Fatal\nCaused by: File too large\n": "2026 ERROR Error while appending (Log): java.io.IOException: File too large",
		"2026 ERROR [ALLOCATOR] File too large\n": "2026 ERROR [ALLOCATOR] File too large",
	} {
		if got := firstComplaint(log); got != want {
			t.Errorf("of %q: %q", log, got)
		}
	}
}
