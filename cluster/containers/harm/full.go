package harm

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/client"
	"golang.org/x/sys/unix"

	"github.com/single-writer/chaos/cluster/containers/ready"
)

// A full disk is a limit of the process: none of its files may grow any more (RLIMIT_FSIZE of 0). A write fails at once, with
// "File too large" (EFBIG) where a full disk says "No space left on device" (ENOSPC); both servers take either for an
// IOException of their disk, and neither looks at which it was. Other ways have a price: a small file system of its own
// for each server would be gone with its container, so that a killed server would have lost what it had stored, or would be left
// on the machine by a rig that is killed.

// noGrowth is the message of EFBIG in an IOException.
const noGrowth = "File too large"

// fill takes from the server's process the right to make a file longer.
func (s *Servers) fill(ctx context.Context, m *member) error {
	pid, err := s.process(ctx, m)
	if err != nil {
		return err
	}
	return limit(pid, 0)
}

// limit sets how long the files of a process may grow. The hard limit stays, so that the soft one may be lifted again.
func limit(pid int, bytes uint64) error {
	var l unix.Rlimit
	if err := unix.Prlimit(pid, unix.RLIMIT_FSIZE, nil, &l); err != nil {
		return fmt.Errorf("read the limits of process %d: %w", pid, err)
	}
	l.Cur = min(bytes, l.Max)
	if err := unix.Prlimit(pid, unix.RLIMIT_FSIZE, &l, nil); err != nil {
		return fmt.Errorf("set the limits of process %d: %w", pid, err)
	}
	return nil
}

const unlimited = math.MaxUint64

// limited tells whether the files of a process may not grow.
func limited(pid int) (bool, error) {
	var l unix.Rlimit
	if err := unix.Prlimit(pid, unix.RLIMIT_FSIZE, nil, &l); err != nil {
		return false, fmt.Errorf("read the limits of process %d: %w", pid, err)
	}
	return l.Cur == 0, nil
}

// fullTime is how long a server may take until it has something to write: a broker that has a controller stores twice a second
// that nothing has happened (metadata.max.idle.interval.ms).
const fullTime = 45 * time.Second

// goesOnAfter is how long a server may take to end itself once a write has failed.
const goesOnAfter = 10 * time.Second

// proveFull proves it by the server's own word for the first write that failed, and tells what it did then: both servers end
// themselves. A Cassandra node has up to two files of a megabyte at hand for its commit log, which it fills first; rows of its own,
// which no other node has, make an end of them.
func (s *Servers) proveFull(ctx context.Context, m *member) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, fullTime)
	defer cancel()
	since := time.Now()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		c, err := s.inspect(ctx, m)
		if err != nil {
			return "", err
		}
		complaint, err := s.complaint(ctx, m)
		switch {
		case err != nil:
			return "", err
		case complaint != "" && !c.State.Running:
			return fmt.Sprintf("it logged: %s; its container is %s with %d", complaint, c.State.Status, c.State.ExitCode), nil
		case complaint != "" && time.Since(since) > goesOnAfter:
			return fmt.Sprintf("it logged: %s; it goes on", complaint), nil
		case complaint == "" && m.Kind == Cassandra:
			ballast(ctx, m)
		}
		select {
		case <-ctx.Done():
			return "", fmt.Errorf("within %s no write of it has failed: %w", fullTime, context.Cause(ctx))
		case <-tick.C:
		}
	}
}

// ballast has the node store something that is of no use to anybody, and is soon forgotten: no answer to it is needed.
func ballast(ctx context.Context, m *member) {
	row := fmt.Sprintf("INSERT INTO system.built_views (keyspace_name, view_name) VALUES ('chaos', '%s') USING TTL 1", strings.Repeat("b", 60<<10))
	var rows strings.Builder
	rows.WriteString("BEGIN UNLOGGED BATCH ")
	for range 6 {
		rows.WriteString(row + "; ")
	}
	rows.WriteString("APPLY BATCH")
	_ = ready.Do(ctx, m.Clients.String(), rows.String())
}

// complaint is the first error about a file that may not grow which the server has logged since it started last, in one line;
// empty is none yet.
func (s *Servers) complaint(ctx context.Context, m *member) (string, error) {
	c, err := s.inspect(ctx, m)
	if err != nil {
		return "", err
	}
	stream, err := s.engine.ContainerLogs(ctx, m.Container, client.ContainerLogsOptions{ShowStdout: true, ShowStderr: true, Since: c.State.StartedAt})
	if err != nil {
		return "", fmt.Errorf("read the log of %s: %w", m.Name(), err)
	}
	defer stream.Close()
	var log bytes.Buffer
	if _, err := stdcopy.StdCopy(&log, &log, stream); err != nil && ctx.Err() == nil {
		return "", fmt.Errorf("read the log of %s: %w", m.Name(), err)
	}
	return firstComplaint(log.String()), nil
}

// firstComplaint is the line of the exception, with that of the error that it was logged for.
func firstComplaint(log string) string {
	var errorLine string
	for line := range strings.Lines(log) {
		line = strings.TrimSpace(line)
		if strings.Contains(line, " ERROR ") {
			errorLine = line
		}
		if errorLine != "" && strings.Contains(line, noGrowth) {
			if line != errorLine {
				errorLine += ": " + line
			}
			return errorLine
		}
	}
	return ""
}
