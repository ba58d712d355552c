package images

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/single-writer/chaos/cluster/containers/definition"
	"github.com/single-writer/chaos/cluster/containers/owner"
	"github.com/single-writer/chaos/cluster/containers/ready"
)

// archives runs a broker from the image, has it do what brokers do first, and returns a folder with
// the archives of the classes that its two JVMs loaded. The broker runs by the same definition as in a
// cluster: an archive is only of use to the same JDK, class path and JVM flags.
func (b *builder) archives(ctx context.Context, ref string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	k := definition.Kafka{
		Node: 1, Peers: []string{definition.Alone},
		// An address of nowhere: the client below dials the container whatever the broker says.
		Advertised: "broker:" + strconv.Itoa(definition.KafkaPort),
		ClusterID:  definition.NewClusterID(),
		Archive:    true,
	}
	files, err := k.Files()
	if err != nil {
		return "", err
	}
	self, err := owner.Self()
	if err != nil {
		return "", err
	}
	created, err := b.engine.ContainerCreate(ctx, client.ContainerCreateOptions{
		Config: &container.Config{
			Image:      ref,
			Entrypoint: k.Entrypoint(),
			Labels:     self.Labels("images"), // if this process is killed, the next run removes it
		},
	})
	if err != nil {
		return "", fmt.Errorf("create the container: %w", err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
		defer cancel()
		_, _ = b.engine.ContainerRemove(ctx, created.ID, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
	}()
	content, err := tarOf(files)
	if err != nil {
		return "", err
	}
	if _, err := b.engine.CopyToContainer(ctx, created.ID, client.CopyToContainerOptions{DestinationPath: "/", Content: content}); err != nil {
		return "", fmt.Errorf("copy the configuration into the container: %w", err)
	}
	exited := b.engine.ContainerWait(ctx, created.ID, client.ContainerWaitOptions{Condition: container.WaitConditionNextExit})
	if _, err := b.engine.ContainerStart(ctx, created.ID, client.ContainerStartOptions{}); err != nil {
		return "", fmt.Errorf("start the container: %w", err)
	}
	if err := b.exercise(ctx, created.ID); err != nil {
		return "", err
	}
	// The archives are written when the JVM ends, which takes it some seconds.
	if _, err := b.engine.ContainerKill(ctx, created.ID, client.ContainerKillOptions{Signal: "SIGTERM"}); err != nil {
		return "", fmt.Errorf("stop the broker: %w", err)
	}
	select {
	case <-exited.Result:
	case err := <-exited.Error:
		return "", fmt.Errorf("wait until the broker has stopped: %w", err)
	}
	folder := filepath.Join(b.dir, "archives")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", fmt.Errorf("make a folder for the archives: %w", err)
	}
	for _, name := range []string{"storage.jsa", "kafka.jsa"} {
		if err := b.copyOut(ctx, created.ID, "/opt/kafka/"+name, filepath.Join(folder, name)); err != nil {
			return "", fmt.Errorf("take the archive %s: %w", name, err)
		}
	}
	return folder, nil
}

// exercise sends the broker the first requests of a run.
func (b *builder) exercise(ctx context.Context, id string) error {
	i, err := b.engine.ContainerInspect(ctx, id, client.ContainerInspectOptions{})
	if err != nil {
		return fmt.Errorf("look at the container: %w", err)
	}
	var address netip.Addr
	for _, n := range i.Container.NetworkSettings.Networks {
		address = n.IPAddress
	}
	if !address.IsValid() {
		return errors.New("the broker has no address: it ended right after its start")
	}
	at := netip.AddrPortFrom(address, definition.KafkaPort).String()
	var dialer net.Dialer
	_, err = ready.Kafka{
		Addrs: []string{at},
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, at)
		},
		Alive: func(ctx context.Context) error {
			i, err := b.engine.ContainerInspect(ctx, id, client.ContainerInspectOptions{})
			if err == nil && i.Container.State.Status == container.StateExited {
				return fmt.Errorf("the container exited with %d", i.Container.State.ExitCode)
			}
			return nil
		},
	}.Wait(ctx)
	return err
}

// copyOut copies one file out of a container.
func (b *builder) copyOut(ctx context.Context, id, from, to string) error {
	result, err := b.engine.CopyFromContainer(ctx, id, client.CopyFromContainerOptions{SourcePath: from})
	if err != nil {
		return err
	}
	defer result.Content.Close()
	t := tar.NewReader(result.Content)
	if _, err := t.Next(); err != nil {
		return err
	}
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, t)
	return errors.Join(err, f.Close())
}

// tarOf returns the files, and the folders that they are in, as a tar stream.
func tarOf(files []definition.File) (io.Reader, error) {
	var b bytes.Buffer
	t := tar.NewWriter(&b)
	folders := map[string]bool{}
	for _, f := range files {
		if dir := path.Dir(f.Path); !folders[dir] {
			folders[dir] = true
			if err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: dir + "/", Mode: 0o755}); err != nil {
				return nil, fmt.Errorf("pack %s: %w", dir, err)
			}
		}
		if err := t.WriteHeader(&tar.Header{Name: f.Path, Mode: 0o644, Size: int64(len(f.Content))}); err != nil {
			return nil, fmt.Errorf("pack %s: %w", f.Path, err)
		}
		if _, err := t.Write(f.Content); err != nil {
			return nil, fmt.Errorf("pack %s: %w", f.Path, err)
		}
	}
	if err := t.Close(); err != nil {
		return nil, fmt.Errorf("pack the configuration: %w", err)
	}
	return &b, nil
}
