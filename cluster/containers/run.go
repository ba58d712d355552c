package containers

import (
	"bytes"
	"context"
	"fmt"
	"maps"
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
	"github.com/single-writer/chaos/cluster/containers/images"
	"github.com/single-writer/chaos/cluster/containers/owner"
)

// server is one container to run.
type server struct {
	kind        images.Kind
	number      int
	image       string
	environment map[string]string
	files       []definition.File
	entrypoint  []string
	port        int
	hostPort    int   // of 127.0.0.1; 0 is one that the engine chooses
	memory      int64 // limit in bytes, 0 is none
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

// run creates a container on both networks, and starts it.
func (s *starter) run(ctx context.Context, srv server) (id string, err error) {
	name := serverName(srv.kind, srv.number)
	if ctx.Err() != nil {
		return "", fmt.Errorf("start %s: %w", name, context.Cause(ctx))
	}
	if err := setUpTestcontainers(); err != nil {
		return "", err
	}
	front, err := s.networks.clients.address(srv.kind, srv.number)
	if err != nil {
		return "", err
	}
	peer, err := s.networks.peers.address(srv.kind, srv.number)
	if err != nil {
		return "", err
	}
	port := network.MustParsePort(strconv.Itoa(srv.port) + "/tcp")
	labels := maps.Clone(s.labels)
	labels[owner.LabelServer] = name
	binding := network.PortBinding{HostIP: netip.MustParseAddr("127.0.0.1")}
	if srv.hostPort != 0 {
		binding.HostPort = strconv.Itoa(srv.hostPort)
	}
	request := testcontainers.GenericContainerRequest{
		Started: true,
		Logger:  log.NewNoopLogger(),
		ContainerRequest: testcontainers.ContainerRequest{
			Name:           fmt.Sprintf("%s-%s", s.networks.clients.name, name),
			Image:          srv.image,
			Env:            srv.environment,
			Entrypoint:     srv.entrypoint,
			Cmd:            []string{}, // the image's own is meant for its own entry point
			Labels:         labels,
			Networks:       []string{s.networks.clients.name},
			NetworkAliases: map[string][]string{s.networks.clients.name: {name}},
			ExposedPorts:   []string{port.String()},
			ConfigModifier: func(c *container.Config) {
				c.Hostname = name
				c.User = "0" // some images have another, who may not write where the local ones do
			},
			HostConfigModifier: func(h *container.HostConfig) {
				h.NetworkMode = container.NetworkMode(s.networks.clients.name)
				h.PortBindings = network.PortMap{port: {binding}}
				h.Memory = srv.memory
			},
			EndpointSettingsModifier: func(of map[string]*network.EndpointSettings) { at(of[s.networks.clients.name], front) },
			// An engine of today's oldest API takes one network when a container is made.
			LifecycleHooks: []testcontainers.ContainerLifecycleHooks{{PostCreates: []testcontainers.ContainerHook{
				func(ctx context.Context, c testcontainers.Container) error {
					endpoint := &network.EndpointSettings{Aliases: []string{name}}
					at(endpoint, peer)
					_, err := s.engine.NetworkConnect(ctx, s.networks.peers.id, client.NetworkConnectOptions{
						Container: c.GetContainerID(), EndpointConfig: endpoint,
					})
					return err
				},
			}}},
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
		return "", fmt.Errorf("start %s from %s: %w", name, srv.image, err)
	}
	return c.GetContainerID(), nil
}

// at gives a container an address in a network.
func at(e *network.EndpointSettings, address netip.Addr) {
	e.IPAMConfig = &network.EndpointIPAMConfig{IPv4Address: address}
}
