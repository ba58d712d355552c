package internode

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"strconv"
	"strings"
)

// Lead has a node connect here when it connects to another. Its first process tells in which network it lives. The rules are in
// that network alone, and go with it. What the node has connected before is reset with the next that it sends there: past the
// first rule nothing is on its way to another node but that.
func (n *Network) Lead(ctx context.Context, node, process int) error {
	for to, at := range n.nodes {
		if to == node {
			continue
		}
		other := []string{"OUTPUT", "--protocol", "tcp", "--destination", at.Addr().String(), "--dport", strconv.Itoa(int(at.Port()))}
		gate := n.gates[to].Addr().(*net.TCPAddr).String()
		for _, rule := range [][]string{
			append([]string{"--table", "nat", "--insert"}, append(other, "--jump", "DNAT", "--to-destination", gate)...),
			append([]string{"--append"}, append(other, "--jump", "REJECT", "--reject-with", "tcp-reset")...),
		} {
			if err := filter(ctx, process, rule); err != nil {
				return fmt.Errorf("lead node %d to node %d: %w", node, to, err)
			}
		}
	}
	return nil
}

// filter changes the packet filter of the network that a process lives in.
func filter(ctx context.Context, process int, rule []string) error {
	args := append([]string{"--target", strconv.Itoa(process), "--net", "iptables", "--wait"}, rule...)
	out, err := exec.CommandContext(ctx, "nsenter", args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("nsenter %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}
