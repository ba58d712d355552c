package main

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// closed tells whether the program was started with its output closed (`>&-`). The Go runtime puts /dev/null there before any
// code of ours runs (runtime/fds_unix.go), and opens it for reading too, which a shell's `>/dev/null` does not. A program that
// throws the answer away does it with some libraries (Python's subprocess.DEVNULL): so this is asked only where a document
// was asked for, which nobody does to throw it away.
func closed(out io.Writer) bool {
	f, ok := out.(*os.File)
	if !ok {
		return false
	}
	is, err := f.Stat()
	if err != nil {
		return true
	}
	null, err := os.Stat(os.DevNull)
	if err != nil || !os.SameFile(is, null) {
		return false
	}
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE == unix.O_RDWR
}
