package containers

import (
	"errors"
	"fmt"
	"strings"
)

// PortError says that no free port was found to publish a server on.
type PortError struct {
	Port  int // the last one tried
	Cause error
}

func (e *PortError) Error() string {
	return fmt.Sprintf("port %d of 127.0.0.1, found free, was taken by another program before the container had it, several times in a row: %v (look for what opens ports so quickly, or try again)", e.Port, e.Cause)
}

func (e *PortError) Unwrap() error { return e.Cause }

// NetworkError says that the engine could not make a network.
type NetworkError struct{ Cause error }

func (e *NetworkError) Error() string {
	hint := ""
	if strings.Contains(e.Cause.Error(), "address pool") {
		hint = " (the engine has no address range left: remove unused networks with `docker network prune`)"
	}
	return fmt.Sprintf("make a network for the containers: %v%s", e.Cause, hint)
}

func (e *NetworkError) Unwrap() error { return e.Cause }

// NotReadyError says that a server was started and did not come to answer.
type NotReadyError struct {
	Server string
	Image  string
	Cause  error    // what it did not answer, or how it ended
	Log    []string // its last lines
}

func (e *NotReadyError) Error() string {
	log := "it logged nothing"
	if len(e.Log) > 0 {
		log = "its log ends:\n    " + strings.Join(e.Log, "\n    ")
	}
	return fmt.Sprintf("%s (image %s) did not come up: %v; %s", e.Server, e.Image, e.Cause, log)
}

func (e *NotReadyError) Unwrap() error { return e.Cause }

// portTaken tells whether the engine could not publish a port because another program has it. The
// engine has no error code for that, only these words, of its own book-keeping and of the kernel.
func portTaken(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "port is already allocated") ||
		strings.Contains(err.Error(), "address already in use"))
}

// errEnded is the end of a container that should run.
type errEnded struct{ code int }

func (e errEnded) Error() string { return fmt.Sprintf("its container exited with %d", e.code) }

// goneError is the end of one of several servers.
type goneError struct {
	server Server
	cause  error
}

func (e *goneError) Error() string { return e.cause.Error() }
func (e *goneError) Unwrap() error { return e.cause }

// errVanished is the end of a container that somebody removed.
var errVanished = errors.New("its container was removed")
