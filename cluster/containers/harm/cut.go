package harm

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/single-writer/chaos/workload"
)

// A cut is a table of rules in the packet filter of the container's own network: it meets every packet, also of connections
// that are there. One that does not drop only counts: what a one-way cut leaves alone is seen to pass.

// rule is one of them.
type rule struct {
	in   bool   // what comes to the server; otherwise what leaves it
	what string // it is about: peers or clients
	// match is the text of iptables for it.
	match string
	drops bool
}

// What rules are about.
const (
	peers   = "peers"
	clients = "clients"
)

func (r rule) chain() string {
	if r.in {
		return "INPUT"
	}
	return "OUTPUT"
}

// rules of a trouble. Peers are met by their addresses, at whatever port; clients by the server's port for them, which no peer
// uses.
func rules(t workload.Trouble, addresses []netip.Addr, port int) (all []rule) {
	deaf, mute := t == workload.Isolated || t == workload.Deaf, t == workload.Isolated || t == workload.Mute
	for _, p := range addresses {
		all = append(all, rule{true, peers, fmt.Sprintf("-s %s/32", p), deaf}, rule{false, peers, fmt.Sprintf("-d %s/32", p), mute})
	}
	if t == workload.Unreachable {
		all = append(all, rule{true, clients, fmt.Sprintf("-p tcp -m tcp --dport %d", port), true},
			rule{false, clients, fmt.Sprintf("-p tcp -m tcp --sport %d", port), true})
	}
	return all
}

// table is the text of iptables-restore for the rules, of which there may be none.
func table(all []rule) string {
	var b strings.Builder
	b.WriteString("*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n")
	for _, r := range all {
		fmt.Fprintf(&b, "-A %s %s", r.chain(), r.match)
		if r.drops {
			b.WriteString(" -j DROP")
		}
		b.WriteString("\n")
	}
	b.WriteString("COMMIT\n")
	return b.String()
}

// counted is a rule as iptables-save tells it, with how many packets it has met.
var counted = regexp.MustCompile(`^\[(\d+):\d+\] -A (INPUT|OUTPUT) (.*)$`)

// counts reads how many packets each of the rules has met; one that is not there is not in the map.
func counts(all []rule, saved string) map[rule]int {
	out := map[rule]int{}
	for line := range strings.Lines(saved) {
		m := counted.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		match, drops := strings.CutSuffix(m[3], " -j DROP")
		i := slices.IndexFunc(all, func(r rule) bool { return r.chain() == m[2] && r.match == match && r.drops == drops })
		if i >= 0 {
			out[all[i]], _ = strconv.Atoi(m[1])
		}
	}
	return out
}

// replication is the port at which brokers read each other's records; their controllers use another.
const replication = 19092

// starved is of a broker that gets no records of another.
const starved workload.Trouble = "starved"

// Starve kills a broker and starts it again without letting it have the records of another: it is alive for its controller, and
// in sync with nothing that the other leads. The rules are there long before a starting broker comes to ask for records.
func (s *Servers) Starve(ctx context.Context, server, of string) error {
	m, err := s.claim(ctx, server, starved)
	if err != nil {
		return err
	}
	other, err := s.find(of)
	if err != nil {
		return err
	}
	var all []rule
	for _, a := range other.addresses {
		all = append(all, rule{false, peers, fmt.Sprintf("-d %s/32 -p tcp -m tcp --dport %d", a, replication), true})
	}
	err = s.kill(ctx, m)
	if err == nil {
		err = s.run(ctx, m)
	}
	if err == nil {
		err = s.restore(ctx, m, all)
	}
	if err != nil {
		return fmt.Errorf("start %s without the records of %s: %w", server, of, err)
	}
	return nil
}

// rulesOf are those of a trouble of this server.
func (s *Servers) rulesOf(m *member, t workload.Trouble) []rule {
	var addresses []netip.Addr
	for _, p := range s.peers(m) {
		addresses = append(addresses, p.addresses...)
	}
	return rules(t, addresses, m.Port)
}

// cut puts the rules in the place of those that are there, all at once.
func (s *Servers) cut(ctx context.Context, m *member, t workload.Trouble) error {
	return s.restore(ctx, m, s.rulesOf(m, t))
}

func (s *Servers) restore(ctx context.Context, m *member, all []rule) error {
	_, err := s.inNetwork(ctx, m, table(all), "iptables-restore", "--wait", "10")
	return err
}

func (s *Servers) saved(ctx context.Context, m *member) (string, error) {
	return s.inNetwork(ctx, m, "", "iptables-save", "--counters", "--table", "filter")
}

const (
	// cutTime is how long it may take until something was dropped: Cassandra's nodes gossip once a second with one of the others.
	cutTime = 20 * time.Second
	cutPace = 50 * time.Millisecond
)

// proveCut proves it by the kernel's counters: of each direction that is cut something was dropped, of each that is not
// something has passed; and by a client, who is answered unless clients are those that are cut.
func (s *Servers) proveCut(ctx context.Context, m *member, t workload.Trouble) (string, error) {
	all := s.rulesOf(m, t)
	client, err := m.heard(ctx, t != workload.Unreachable)
	if err != nil {
		return "", err
	}
	met, err := s.proveCounts(ctx, m, all)
	return met + "; " + client, err
}

// proveCounts waits until the rules have met something of each kind of traffic that they are about.
func (s *Servers) proveCounts(ctx context.Context, m *member, all []rule) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, cutTime)
	defer cancel()
	tick := time.NewTicker(cutPace)
	defer tick.Stop()
	for {
		saved, err := s.saved(ctx, m)
		if err != nil {
			return "", err
		}
		text, met := tally(all, counts(all, saved))
		if met {
			return text, nil
		}
		select {
		case <-ctx.Done():
			return "", fmt.Errorf("the packet filter in its network says after %s: %s", cutTime, text)
		case <-tick.C:
		}
	}
}

// tally sums up what the rules have met, and tells whether that is something of each kind of traffic.
func tally(all []rule, met map[rule]int) (text string, each bool) {
	type traffic struct {
		what  string
		in    bool
		drops bool
	}
	var order []traffic
	sums := map[traffic]int{}
	for _, r := range all {
		k := traffic{r.what, r.in, r.drops}
		if !slices.Contains(order, k) {
			order = append(order, k)
		}
		n, there := met[r]
		if !there {
			return "the rule is not there: " + r.chain() + " " + r.match, false
		}
		sums[k] += n
	}
	each = true
	var parts []string
	for _, k := range order {
		way, fate := "to", "passed"
		if k.in {
			way = "from"
		}
		if k.drops {
			fate = "dropped"
		}
		parts = append(parts, fmt.Sprintf("%d packets %s %s %s", sums[k], way, k.what, fate))
		// A server that hears no client has nothing to say to any, but for what it tells them of itself.
		each = each && (sums[k] > 0 || k.what == clients && !k.in)
	}
	return strings.Join(parts, ", "), each
}

// heard tells what a client finds who asks anew, and fails when that is not what it should be.
func (s Server) heard(ctx context.Context, answered bool) (string, error) {
	if !answered {
		silence, err := s.silent(ctx)
		return "a client: " + silence, err
	}
	took, err := s.ask(ctx)
	for deadline := time.Now().Add(5 * time.Second); err != nil && ctx.Err() == nil && time.Now().Before(deadline); {
		took, err = s.ask(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("no client is answered: %w", errors.Join(err, context.Cause(ctx)))
	}
	return fmt.Sprintf("a client is answered after %d ms", took.Milliseconds()), nil
}
