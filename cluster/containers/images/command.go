package images

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// MissingToolError says that a program which the build needs is not installed.
type MissingToolError struct {
	Tool, Package string
}

func (e *MissingToolError) Error() string {
	return fmt.Sprintf("building the images needs %s, which is not on the PATH: install it with apt-get install %s", e.Tool, e.Package)
}

// NotRootError says that the build needs root's rights.
type NotRootError struct{}

func (*NotRootError) Error() string {
	return "building the base image needs root (debootstrap makes device files and changes its root folder): run it as root"
}

// command returns a command that is killed together with its children when ctx ends.
func command(ctx context.Context, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...)
	c.Env = append(os.Environ(), "LC_ALL=C", "DEBIAN_FRONTEND=noninteractive")
	// A grandchild that holds the output open must not hold up the end.
	c.WaitDelay = 10 * time.Second
	isolate(c)
	return c
}

// run runs the command. Its error ends with the last lines of what the command had to say.
func run(ctx context.Context, c *exec.Cmd) error {
	var output bytes.Buffer
	if c.Stdout == nil {
		c.Stdout = &output
	}
	c.Stderr = &output
	if err := c.Run(); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("%s: %w; its last words:\n%s", strings.Join(c.Args, " "), err, lastLines(&output, 15))
	}
	return nil
}

func lastLines(r io.Reader, n int) string {
	var lines []string
	for s := bufio.NewScanner(r); s.Scan(); {
		if lines = append(lines, "    "+s.Text()); len(lines) > n {
			lines = lines[1:]
		}
	}
	return strings.Join(lines, "\n")
}

// installed tells whether a program is on the PATH.
func installed(tool string) bool {
	_, err := exec.LookPath(tool)
	return err == nil
}
