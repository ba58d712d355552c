package containers

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"strings"
	"time"

	"github.com/single-writer/chaos/cluster/containers/images"
)

// awaited is a server that is to answer: one that has just been started, or one that was kept warm.
type awaited struct {
	engine   engine
	patience time.Duration
	server   string
	image    images.Image
	id       string // the container's
}

// await waits until the server answers, and adds its log to the error.
func await[T any](ctx context.Context, a awaited, wait func(context.Context) (T, string, error)) (T, string, error) {
	patient, cancel := context.WithTimeout(ctx, a.patience)
	defer cancel()
	answer, version, err := wait(patient)
	if err == nil || ctx.Err() != nil {
		return answer, version, err
	}
	return answer, version, a.notReady(ctx, err)
}

// address returns the server's address in a network. It has none if it ended at once: then the error is as if it had ended a
// moment later.
func (a awaited) address(ctx context.Context, network string) (string, error) {
	address, err := a.engine.address(ctx, a.id, network)
	if err == nil && address == "" {
		err = a.notReady(ctx, cmp.Or(a.engine.running(a.id)(ctx), errors.New("its container has no address")))
	}
	return address, err
}

// notReady returns the error for a server that did not come up, with the last lines of its log.
func (a awaited) notReady(ctx context.Context, cause error) error {
	e := &NotReadyError{Server: a.server, Cause: cause, Image: a.image.Ref}
	if text, err := a.engine.log(ctx, a.id, "25"); err == nil && text != "" {
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, "\n")
			if len(line) > 300 { // both servers dump their whole configuration, Cassandra on one line
				line = strings.ToValidUTF8(line[:300], "") + " ..."
			}
			e.Log = append(e.Log, line)
		}
	}
	return e
}

var kafkaVersionLine = regexp.MustCompile(`(?m)\bKafka version: (\S+)`)

// kafkaVersion returns the version that the broker reports. The protocol has no request for it; the
// broker says it in its log when it has started.
func (a awaited) kafkaVersion(ctx context.Context) (string, error) {
	text, err := a.engine.log(ctx, a.id, "all")
	if err != nil {
		return "", err
	}
	if m := kafkaVersionLine.FindStringSubmatch(text); m != nil {
		return m[1], nil
	}
	return a.image.Version, nil
}
