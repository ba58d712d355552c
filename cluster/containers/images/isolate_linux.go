package images

import (
	"os/exec"
	"syscall"
)

// isolate puts the command into a process group and a mount namespace of its own. The group is killed
// as a whole, or debootstrap's children would go on writing. The namespace takes with it what
// debootstrap mounts: a /proc left mounted in the temporary folder would be in the way of removing it.
func isolate(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if syscall.Geteuid() == 0 {
		c.SysProcAttr.Unshareflags = syscall.CLONE_NEWNS
	}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}
