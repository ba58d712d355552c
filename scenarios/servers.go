package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"github.com/single-writer/chaos/history"
	"github.com/single-writer/chaos/nemesis"
	"github.com/single-writer/chaos/workload"
)

// servers are the names of all servers of a cluster, Kafka's first.
func (c Cluster) servers() []string {
	var out []string
	for i := range c.Kafka {
		out = append(out, fmt.Sprint(workload.Brokers, i+1))
	}
	for i := range c.Cassandra {
		out = append(out, fmt.Sprint(workload.Nodes, i+1))
	}
	return out
}

// roles are the words that stand for the broker that has a role.
func roles() []string {
	var out []string
	for _, r := range workload.Roles() {
		out = append(out, string(r))
	}
	return out
}

// serverAction reads what is done to a server: to one that is named, or that a word stands for.
func (l *loader) serverAction(f *field, fault *nemesis.Fault, m moment) (nemesis.Action, bool) {
	target, ok := l.name(f)
	problem, hint := l.scenario.Cluster.unfit(fault, target.text)
	if ok && problem != "" && l.clusterRead {
		l.fail(target.at, hint, "%s", problem)
	}
	if !ok || problem != "" {
		l.strikesLost = true
		return nemesis.Action{}, false
	}
	l.strikes = append(l.strikes, act{fault: f.name, target: target, step: m.step})
	return nemesis.Action{Fault: f.name, Target: target.text}, true
}

// unfit says why a fault cannot be done to a target in such a cluster; the problem is empty when it can.
func (c Cluster) unfit(fault *nemesis.Fault, target string) (problem, hint string) {
	there := c.targets(fault)
	broker := strings.HasPrefix(target, workload.Brokers)
	size, need, of, key := c.Kafka, fault.Brokers, "broker", "kafka"
	if strings.HasPrefix(target, workload.Nodes) {
		size, need, of, key = c.Cassandra, fault.Nodes, "node", "cassandra"
	}
	const most = 3 // what a cluster can have of a kind
	largest := Cluster{Kafka: most, Cassandra: most}
	larger := largest.targets(fault)
	switch {
	case slices.Contains(there, target):
		return "", ""
	case slices.Contains(larger, target) && need > size:
		return fmt.Sprintf("%q needs %d %ss, and this cluster has %d", fault.Name, need, of, size), fmt.Sprintf("write cluster: {%s: %d}", key, most)
	case slices.Contains(larger, target):
		return fmt.Sprintf("no server is called %s: this cluster has %d %s", quoted(target), size, of), fmt.Sprintf("write cluster: {%s: %d}", key, most)
	case need == 0 && !broker && slices.Contains(largest.servers(), target):
		return fmt.Sprintf("%q is done to brokers", fault.Name), listed("targets", larger)
	}
	if len(there) == 0 {
		there = larger
	}
	return unknown("target of "+fault.Name, target, there), listed("targets", there)
}

// targets are all targets of a fault in such a cluster.
func (c Cluster) targets(fault *nemesis.Fault) []string {
	brokers, nodes := fault.Brokers > 0 && c.Kafka >= fault.Brokers, fault.Nodes > 0 && c.Cassandra >= fault.Nodes
	var out []string
	for _, s := range c.servers() {
		if broker := strings.HasPrefix(s, workload.Brokers); broker && brokers || !broker && nodes {
			out = append(out, s)
		}
	}
	if fault.Takes(nemesis.PlayedBy) && brokers {
		out = append(out, roles()...)
	}
	if fault.Takes(nemesis.AnotherServer) && brokers {
		out = append(out, nemesis.Another)
	}
	if fault.Takes(nemesis.AllServers) {
		out = append(out, nemesis.All)
	}
	return out
}

// judgeServers goes through the plan as it will be carried out: a server has one trouble at a time, and only what is not well
// can be healed. A role is with another server when it is struck again; which one, only the run knows.
func (l *loader) judgeServers() {
	if l.strikesLost {
		return
	}
	struck := map[string]int{} // the line that struck it
	unsure := false
	for _, a := range l.strikes {
		target, at := a.target.text, a.target.at
		line, ill := struck[target]
		role := slices.Contains(roles(), target)
		unsure = unsure || a.maybe
		fault, known := nemesis.Named(a.fault)
		switch heals := a.fault == history.FaultHealServer || known && fault.Cures(); {
		case unsure:
		case heals && (target == nemesis.All && len(struck) == 0 || target != nemesis.All && !ill && !named(struck, target)):
			l.fail(at, "", "nothing is the matter with %s here", target)
		case !heals && ill && !role:
			l.fail(at, "heal it first: {heal-server: "+target+"}", "%s is not well already: line %d strikes it", target, line)
		}
		switch {
		case a.fault == history.FaultHealServer && target == nemesis.All:
			clear(struck)
		case a.fault == history.FaultHealServer:
			unsure = unsure || !ill // one that was struck by a role
			delete(struck, target)
		case known && fault.Cures():
			delete(struck, target)
		case known && fault.Strikes():
			struck[target] = at.line
		}
	}
}

// named tells whether a broker may have been struck under the name of a role.
func named(struck map[string]int, broker string) bool {
	return strings.HasPrefix(broker, workload.Brokers) &&
		slices.ContainsFunc(roles(), func(r string) bool { _, is := struck[r]; return is })
}
