package containers

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"os"
	"strconv"
	"sync"

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
//     start, and it removes what a warm cluster must keep. [sweep] does its work here.
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
