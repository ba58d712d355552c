package harm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// askTime is how long a server that is well may take to answer the simplest request.
const askTime = time.Second

// simplest is a request that a server of the kind answers whoever asks: Kafka's ApiVersions of version 0, as nobody (the
// Kafka protocol: size, key 18, version, correlation id, null client), and OPTIONS of version 4 of the CQL binary
// protocol.
func (k Kind) simplest() []byte {
	if k == Kafka {
		return []byte{0, 0, 0, 10, 0, 18, 0, 0, 0, 0, 0, 1, 0xff, 0xff}
	}
	return []byte{4, 0, 0, 1, 5, 0, 0, 0, 0}
}

// ask connects anew, as any client would, and waits for an answer. It tells how long that took.
func (s Server) ask(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", s.Clients.String())
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	if err := conn.SetDeadline(began.Add(askTime)); err != nil {
		return 0, err
	}
	if _, err := conn.Write(s.Kind.simplest()); err != nil {
		return 0, err
	}
	if _, err := io.ReadFull(conn, make([]byte, 8)); err != nil {
		return 0, fmt.Errorf("connected, and no answer: %w", err)
	}
	return time.Since(began), nil
}

// silent proves that the server answers no client: it gives what a client gets instead.
func (s Server) silent(ctx context.Context) (string, error) {
	took, err := s.ask(ctx)
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err == nil:
		return "", fmt.Errorf("it answers a client at %s after %d ms", s.Clients, took.Milliseconds())
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("no answer in %s (%v)", askTime, err), nil
	}
	return err.Error(), nil
}
