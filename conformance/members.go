package conformance

import (
	"fmt"
	"time"

	"github.com/single-writer/chaos/cluster"
	"github.com/single-writer/chaos/workload"
	"github.com/single-writer/chaos/workload/persistence"
)

// What the coordinator answers, by the protocol's names.
const (
	accepted            = ""
	memberIDRequired    = "MEMBER_ID_REQUIRED"
	unknownMember       = "UNKNOWN_MEMBER_ID"
	illegalGeneration   = "ILLEGAL_GENERATION"
	rebalanceInProgress = "REBALANCE_IN_PROGRESS"
)

// client is one that joins the group by requests.
type client struct {
	*bench
	requests  cluster.Requests
	name      string
	session   time.Duration
	rebalance time.Duration
	token     workload.Token
	leads     bool
	joining   persistence.Call[cluster.Joined]
}

const (
	session   = 10 * time.Second
	rebalance = 20 * time.Second
)

// client makes a client.
func (b *bench) client(name string, session time.Duration) *client {
	r, err := b.servers.Requests(name)
	if err != nil {
		panic(fmt.Sprintf("conformance: a client of the group: %v", err))
	}
	return &client{bench: b, requests: r, name: name, session: session, rebalance: rebalance}
}

// join sends the join that the group's next generation waits for; a new member has to be given an id before.
func (c *client) join() *client {
	if c.token.Member == "" {
		c.named()
	}
	c.joining = c.requests.Join(c.token.Member, c.session, c.rebalance)
	return c
}

// named asks for an id.
func (c *client) named() *client {
	named, _, err := c.requests.Join("", c.session, c.rebalance).Await()
	if err != nil || named.Code != memberIDRequired || named.Token.Member == "" {
		c.wrongf("the first join of %s is answered %+v, %v; expected: %s and an id", c.name, named, err, memberIDRequired)
	}
	c.token.Member = named.Token.Member
	return c
}

// joined waits until the join is answered.
func (c *client) joined() *client {
	j, _, err := c.joining.Await()
	if err != nil || j.Code != accepted {
		c.wrongf("the join of %s is answered %+v, %v", c.name, j, err)
	}
	c.token, c.leads = j.Token, j.Leads
	return c
}

// sync ends the join.
func (c *client) sync() *client {
	c.says("the sync of "+c.name, c.requests.Sync(c.token, c.leads), accepted)
	return c
}

// says compares an answer's code.
func (b *bench) says(what string, asked persistence.Call[workload.CommitAnswer], want string) {
	a, _, err := asked.Await()
	if err != nil {
		b.wrongf("%s: %v", what, err)
		return
	}
	b.want(what, word(a.Code), word(want))
}

func word(code string) string {
	if code == accepted {
		return "accepted"
	}
	return code
}

// commits commits under a token, and looks whether it is stored exactly when it was accepted.
func (c *client) commits(t workload.Token, want string) {
	before := c.committed()
	what := fmt.Sprintf("a commit of %q in generation %d", t.Member, t.Generation)
	c.says(what, c.requests.Commit(t, 0, before.N+1), want)
	if moved := c.committed() != before; moved != (want == accepted) {
		c.wrongf("%s, answered %s: stored: %v", what, word(want), moved)
	}
}

// stable is a group of two, of which the first leads and owns the one partition.
func (b *bench) stable() (a, other *client) {
	a = b.client("a", session).join().joined().sync()
	other = b.client("b", session).join()
	a.join().joined()
	other.joined()
	a.sync()
	other.sync()
	return a, other
}
