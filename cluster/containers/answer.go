package containers

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"time"

	"github.com/single-writer/chaos/cluster/containers/images"
)

// awaited are servers that are to answer, as one: those that have just been started, or that were kept warm.
type awaited struct {
	engine   engine
	patience time.Duration
	image    images.Image
	servers  []Server
}

// running returns an error if one of them does not run any more.
func (a awaited) running(ctx context.Context) error {
	for _, s := range a.servers {
		if err := a.engine.running(s.Container)(ctx); err != nil {
			return &goneError{s, err}
		}
	}
	return nil
}

// await waits until they answer, and adds to the error the log of the one that is gone, or of the first.
func await[T any](ctx context.Context, a awaited, wait func(context.Context) (T, string, error)) (T, string, error) {
	patient, cancel := context.WithTimeout(ctx, a.patience)
	defer cancel()
	answer, version, err := wait(patient)
	if err == nil || ctx.Err() != nil {
		return answer, version, err
	}
	return answer, version, a.notReady(ctx, err)
}

// notReady returns the error for a server that did not come up, with the last lines of its log.
func (a awaited) notReady(ctx context.Context, cause error) error {
	of := a.servers[0]
	if gone, ok := errors.AsType[*goneError](cause); ok {
		of = gone.server
	}
	e := &NotReadyError{Server: of.Name, Cause: cause, Image: a.image.Ref}
	if text, err := a.engine.log(ctx, of.Container, "25"); err == nil && text != "" {
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

// kafkaVersion returns the version that a broker reports. The protocol has no request for it; the
// broker says it in its log when it has started.
func (e engine) kafkaVersion(ctx context.Context, broker Server, image images.Image) (string, error) {
	text, err := e.log(ctx, broker.Container, "all")
	if err != nil {
		return "", err
	}
	if m := kafkaVersionLine.FindStringSubmatch(text); m != nil {
		return m[1], nil
	}
	return image.Version, nil
}
