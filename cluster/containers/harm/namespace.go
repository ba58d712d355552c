package harm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// cutting are the programs that a cut needs, each by the package of a Debian machine that has it.
var cutting = []string{"nsenter", "iptables-save", "iptables-restore"}

var packages = map[string]string{"nsenter": "util-linux", "iptables-save": "iptables", "iptables-restore": "iptables"}

// LackError says what this machine lacks to reach into the containers.
type LackError struct {
	What string
	// Do is what to do about it.
	Do string
}

func (e *LackError) Error() string { return e.What + ": " + e.Do }

// Lacks says what this machine lacks to use the programs on the processes of others.
func Lacks(programs ...string) error {
	if os.Geteuid() != 0 {
		return &LackError{"only root may reach into the processes and the networks of containers", "run chaos as root"}
	}
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			return &LackError{"the program " + p + " is not on the PATH",
				fmt.Sprintf("install it (apt-get install %s)", packages[p])}
		}
	}
	return nil
}

// Programs are all that faults of servers need besides the engine.
func Programs() []string { return cutting }

// errNoProcess is of a server that does not run.
var errNoProcess = errors.New("it does not run")

// process is the id of the server's process on this machine. The engine names it; the kernel says whether it is that
// container's, and not one of a machine, or of a container around this one, that counts its processes for itself.
func (s *Servers) process(ctx context.Context, m *member) (int, error) {
	c, err := s.inspect(ctx, m)
	if err != nil {
		return 0, err
	}
	if c.State.Pid == 0 {
		return 0, errNoProcess
	}
	groups, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", c.State.Pid))
	if err != nil || !strings.Contains(string(groups), c.ID) {
		return 0, fmt.Errorf("the process %d, which the engine names for %s, is not to be seen from here: "+
			"run chaos where the engine runs, in its PID namespace", c.State.Pid, m.Name())
	}
	return c.State.Pid, nil
}

// inNetwork runs a program in the network namespace of a server's container.
func (s *Servers) inNetwork(ctx context.Context, m *member, input string, program ...string) (string, error) {
	pid, err := s.process(ctx, m)
	if err != nil {
		return "", err
	}
	command := exec.CommandContext(ctx, "nsenter", append([]string{"--net=/proc/" + strconv.Itoa(pid) + "/ns/net"}, program...)...)
	var out, complaint bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(input), &out, &complaint
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("%s in the network of %s: %w: %s", program[0], m.Name(), err, strings.TrimSpace(complaint.String()))
	}
	return out.String(), nil
}
