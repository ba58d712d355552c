package containers

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/netip"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"

	"github.com/single-writer/chaos/cluster/containers/definition"
	"github.com/single-writer/chaos/cluster/containers/owner"
)

// server is one container to run.
type server struct {
	name       string // its host name and its name in the network
	image      string
	files      []definition.File
	entrypoint []string
	port       int
	hostPort   int   // of 127.0.0.1; 0 is one that the engine chooses
	memory     int64 // limit in bytes, 0 is none
}

// setUpTestcontainers sets, once, what testcontainers-go reads from the environment at its first use.
//
//   - Its reaper, Ryuk, is a container of its own image: where that can't be pulled nothing would
//     start, and it removes what a warm cluster must keep. [Sweep] does its work here.
//   - In a container (it looks for /.dockerenv) it takes the default gateway for the engine's host,
//     and finds no port there. All addresses here are of this machine.
//
// It also silences the library, which would print a banner of its own amid the rig's output.
var setUpTestcontainers = sync.OnceValue(func() error {
	for key, value := range map[string]string{
		"TESTCONTAINERS_RYUK_DISABLED": "true",
		"TESTCONTAINERS_HOST_OVERRIDE": "127.0.0.1",
	} {
		if err := os.Setenv(key, value); err != nil {
			return fmt.Errorf("set %s: %w", key, err)
		}
	}
	log.SetDefault(log.NewNoopLogger())
	return nil
})

// engineTime limits a call that makes something. Such calls are not given the caller's context: a
// create whose answer is not waited for may still happen, after the clean-up looked for what to remove.
const engineTime = time.Minute

func (s *starter) createNetwork(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("start the containers: %w", context.Cause(ctx))
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), engineTime)
	defer cancel()
	s.network = "chaos-" + s.options.Run
	// No subnet: the engine picks one that is free, also for several runs at a time.
	created, err := s.engine.NetworkCreate(ctx, s.network, client.NetworkCreateOptions{Driver: "bridge", Labels: s.labels})
	if err != nil {
		return &NetworkError{Cause: err}
	}
	s.servers.Network = created.ID
	return nil
}

// run creates and starts a container.
func (s *starter) run(ctx context.Context, srv server) (id string, err error) {
	if ctx.Err() != nil {
		return "", fmt.Errorf("start %s: %w", srv.name, context.Cause(ctx))
	}
	if err := setUpTestcontainers(); err != nil {
		return "", err
	}
	port := network.MustParsePort(strconv.Itoa(srv.port) + "/tcp")
	labels := maps.Clone(s.labels)
	labels[owner.LabelServer] = srv.name
	binding := network.PortBinding{HostIP: netip.MustParseAddr("127.0.0.1")}
	if srv.hostPort != 0 {
		binding.HostPort = strconv.Itoa(srv.hostPort)
	}
	request := testcontainers.GenericContainerRequest{
		Started: true,
		Logger:  log.NewNoopLogger(),
		ContainerRequest: testcontainers.ContainerRequest{
			Name:           fmt.Sprintf("%s-%s", s.network, srv.name),
			Image:          srv.image,
			Entrypoint:     srv.entrypoint,
			Cmd:            []string{}, // the image's own is meant for its own entry point
			Labels:         labels,
			Networks:       []string{s.network},
			NetworkAliases: map[string][]string{s.network: {srv.name}},
			ExposedPorts:   []string{port.String()},
			ConfigModifier: func(c *container.Config) {
				c.Hostname = srv.name
				c.User = "0" // some images have another, who may not write where the local ones do
			},
			HostConfigModifier: func(h *container.HostConfig) {
				h.NetworkMode = container.NetworkMode(s.network)
				h.PortBindings = network.PortMap{port: {binding}}
				h.Memory = srv.memory
			},
		},
	}
	for _, f := range srv.files {
		request.Files = append(request.Files, testcontainers.ContainerFile{
			Reader: bytes.NewReader(f.Content), ContainerFilePath: f.Path, FileMode: 0o644,
		})
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), engineTime)
	defer cancel()
	c, err := testcontainers.GenericContainer(ctx, request)
	if err != nil {
		if c != nil {
			// Created and not started: a second try needs its name.
			_, _ = s.engine.ContainerRemove(ctx, c.GetContainerID(), client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
		}
		return "", fmt.Errorf("start %s from %s: %w", srv.name, srv.image, err)
	}
	return c.GetContainerID(), nil
}

// runKafka starts the broker's container on a free port. A port is only known to be free until it is
// closed again, and the broker must be told it before it starts, so another one is tried if somebody
// was quicker.
func (s *starter) runKafka(ctx context.Context) (id, addr string, err error) {
	var port int
	for range 5 {
		if port, err = freePort(ctx); err != nil {
			return "", "", err
		}
		addr = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		broker := definition.Kafka{Advertised: addr, ClusterID: definition.NewClusterID()}
		files, err := broker.Files()
		if err != nil {
			return "", "", err
		}
		id, err = s.run(ctx, server{
			name: "kafka", image: s.servers.KafkaImage.Ref,
			files: files, entrypoint: broker.Entrypoint(), port: definition.KafkaPort, hostPort: port,
		})
		if !portTaken(err) {
			return id, addr, err
		}
	}
	return "", "", &PortError{Port: port, Cause: err}
}

func freePort(ctx context.Context) (int, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("look for a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// address returns a container's address in the run's network.
func (s *starter) address(ctx context.Context, id string) (string, error) {
	i, err := s.engine.ContainerInspect(ctx, id, client.ContainerInspectOptions{})
	if err != nil {
		return "", fmt.Errorf("look up a container's address: %w", err)
	}
	n := i.Container.NetworkSettings.Networks[s.network]
	if n == nil || !n.IPAddress.IsValid() {
		// It ended at once: say so as if it had ended a moment later.
		return "", s.notReady(ctx, "Cassandra", id, cmp.Or(s.running(id)(ctx), errors.New("its container has no address")))
	}
	return n.IPAddress.String(), nil
}

// running returns a check that a container still runs. An engine that does not say is not an answer.
func (s *starter) running(id string) func(context.Context) error {
	return func(ctx context.Context) error {
		i, err := s.engine.ContainerInspect(ctx, id, client.ContainerInspectOptions{})
		switch {
		case errdefs.IsNotFound(err):
			return errVanished
		case err == nil && (i.Container.State.Status == container.StateExited || i.Container.State.Status == container.StateDead):
			return errEnded{i.Container.State.ExitCode}
		}
		return nil
	}
}

// await waits until a server answers, with the run's patience, and adds its log to the error.
func await[T any](ctx context.Context, s *starter, name, id string, wait func(context.Context) (T, string, error)) (T, string, error) {
	patient, cancel := context.WithTimeout(ctx, s.options.Patience)
	defer cancel()
	answer, version, err := wait(patient)
	if err == nil || ctx.Err() != nil {
		return answer, version, err
	}
	return answer, version, s.notReady(ctx, name, id, err)
}

// notReady returns the error for a server that did not come up, with the last lines of its log.
func (s *starter) notReady(ctx context.Context, name, id string, cause error) error {
	e := &NotReadyError{Server: name, Cause: cause, Image: s.servers.KafkaImage.Ref}
	if name == "Cassandra" {
		e.Image = s.servers.CassandraImage.Ref
	}
	if text, err := s.log(ctx, id, "25"); err == nil && text != "" {
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

// log returns a container's log, or its last lines.
func (s *starter) log(ctx context.Context, id, tail string) (string, error) {
	stream, err := s.engine.ContainerLogs(ctx, id, client.ContainerLogsOptions{ShowStdout: true, ShowStderr: true, Tail: tail})
	if err != nil {
		return "", fmt.Errorf("read a container's log: %w", err)
	}
	defer stream.Close()
	var text bytes.Buffer
	if _, err := stdcopy.StdCopy(&text, &text, stream); err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read a container's log: %w", err)
	}
	return text.String(), nil
}

var kafkaVersionLine = regexp.MustCompile(`(?m)\bKafka version: (\S+)`)

// kafkaVersion returns the version that the broker reports. The protocol has no request for it; the
// broker says it in its log when it has started.
func (s *starter) kafkaVersion(ctx context.Context, id string) (string, error) {
	text, err := s.log(ctx, id, "all")
	if err != nil {
		return "", err
	}
	if m := kafkaVersionLine.FindStringSubmatch(text); m != nil {
		return m[1], nil
	}
	return s.servers.KafkaImage.Version, nil
}
