package containers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/moby/moby/client"

	"github.com/single-writer/chaos/cluster/containers/images"
	"github.com/single-writer/chaos/cluster/containers/owner"
)

// Check is one thing that real servers need, and how it is.
type Check struct {
	Name  string `json:"name"`
	State State  `json:"state"`
	Found string `json:"found"`
	// Do is what to do about a problem.
	Do string `json:"do,omitempty"`
}

// State says how a thing is.
type State string

const (
	OK      State = "ok"
	Problem State = "problem"
	// Unchecked is what could not be looked at, because of a problem before it.
	Unchecked State = "not checked"
)

// examination is one look at the machine and its engine.
type examination struct {
	options Options
	engine  *client.Client
	self    owner.Owner
}

// Examine looks at all that a start of servers needs, at what is on the engine of ours, and at the warm
// cluster. It changes nothing: a network that it makes to see whether one can be made is gone at its end.
func Examine(ctx context.Context, o Options) (all []Check) {
	x := &examination{options: o.withDefaults(5 * time.Second)}
	steps := []struct {
		name string
		look func(context.Context) Check
	}{
		{"Docker engine", x.connect}, {"this process", x.process}, {"images", x.images}, {"processors", x.processors},
		{"memory", x.memory}, {"disk", x.disk}, {"network", x.network}, {"server faults", x.serverFaults}, {"left behind", x.leftBehind},
		{"live runs", x.liveRuns}, {"warm cluster", x.warm},
	}
	for _, s := range steps {
		c := Check{State: Unchecked, Found: "no engine to ask"}
		if x.engine != nil || s.name == steps[0].name {
			c = s.look(ctx)
		}
		c.Name = s.name
		all = append(all, c)
	}
	if x.engine != nil {
		x.engine.Close()
	}
	return all
}

func fine(format string, args ...any) Check {
	return Check{State: OK, Found: fmt.Sprintf(format, args...)}
}

func problem(do, format string, args ...any) Check {
	return Check{State: Problem, Found: fmt.Sprintf(format, args...), Do: do}
}

func (x *examination) connect(ctx context.Context) Check {
	engine, err := images.Connect(ctx)
	if err != nil {
		return noEngine(err)
	}
	v, err := engine.ServerVersion(ctx, client.ServerVersionOptions{})
	if err != nil {
		engine.Close()
		return problem("look into the engine's own log", "it answers at %s, and does not tell its version: %v", engine.DaemonHost(), err)
	}
	x.engine = engine
	return fine("%s at %s, API %s (spoken here: %s)", v.Version, engine.DaemonHost(), v.APIVersion, engine.ClientVersion())
}

func noEngine(err error) Check {
	var e *images.NoEngineError
	host := "DOCKER_HOST"
	if errors.As(err, &e) {
		host, err = e.Host, e.Cause
	}
	var errno syscall.Errno
	if errors.As(err, &errno) {
		err = errno // what leads to it is said better here
	}
	if errors.Is(err, syscall.EACCES) {
		return problem("run as root, or join the group of the socket (usermod -aG docker, and log in anew)",
			"%s is there, and this user may not open it", host)
	}
	return problem("start it, or set DOCKER_HOST to where one runs; the simulator needs none", "none answers at %s: %v", host, err)
}

// process looks whether things that this process makes can be known as its own.
func (x *examination) process(context.Context) Check {
	self, err := owner.Self()
	if err != nil {
		return problem("run chaos on Linux, with /proc", "%v", err)
	}
	x.self = self
	return fine("%d of user %d, known by its start time and boot", self.PID, os.Geteuid())
}

func (x *examination) images(ctx context.Context) Check {
	var there, missing []string
	for kind, override := range map[images.Kind]string{images.Kafka: x.options.KafkaImage, images.Cassandra: x.options.CassandraImage} {
		image, ok, err := images.Present(ctx, x.engine, kind, override)
		switch {
		case err != nil:
			return problem("look into the engine's own log", "%v", err)
		case !ok:
			missing = append(missing, kind.String())
		case image.Local:
			there = append(there, image.Ref+" (built here)")
		default:
			there = append(there, image.Ref)
		}
	}
	slices.Sort(there)
	slices.Sort(missing)
	if len(missing) > 0 {
		return problem("chaos images build; where a registry can be reached, a start pulls them by itself",
			"none of %s", strings.Join(missing, " and of "))
	}
	return fine("%s", strings.Join(there, ", "))
}
