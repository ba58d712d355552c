package containers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
)

// warmLock is held by whoever looks for, starts or removes the warm servers of this machine. It is a
// socket of the abstract namespace: no file to be left behind, no rights of a folder, and the kernel
// gives it back when its process dies.
const warmLock = "@io.github.single-writer.chaos.warm"

// lockWarm waits until nobody else is at the warm servers.
func lockWarm(ctx context.Context, log func(string)) (release func() error, err error) {
	return take(ctx, warmLock, log)
}

// take waits until nobody else has the lock.
func take(ctx context.Context, name string, log func(string)) (release func() error, err error) {
	var config net.ListenConfig
	for told := false; ; told = true {
		lock, err := config.Listen(ctx, "unix", name)
		if err == nil {
			return lock.Close, nil
		}
		if !errors.Is(err, syscall.EADDRINUSE) {
			return nil, fmt.Errorf("take the lock of the warm servers: %w", err)
		}
		if !told {
			log("another chaos is at the warm servers: waiting for it")
		}
		if err := untilReleased(ctx, name); err != nil {
			return nil, fmt.Errorf("wait for another chaos that is at the warm servers: %w", err)
		}
	}
}

// untilReleased waits until the lock's holder lets go of it, or dies: nobody accepts the connection, and its end is the
// socket's.
func untilReleased(ctx context.Context, name string) error {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", name)
	if err != nil {
		return context.Cause(ctx) // it is free by now
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	_, _ = conn.Read(make([]byte, 1))
	return context.Cause(ctx)
}
