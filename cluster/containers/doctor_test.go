package containers

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/single-writer/chaos/cluster/containers/harm"
	"github.com/single-writer/chaos/cluster/containers/images"
)

func TestChecks(t *testing.T) {
	dial := func(cause error) error {
		return &images.NoEngineError{Host: "unix:///var/run/docker.sock", Cause: fmt.Errorf("dial: %w", cause)}
	}
	for _, c := range []struct {
		check Check
		state State
		found string
		do    string
	}{
		{enoughProcessors(1), Problem, "1", "give the machine 2: "},
		{enoughProcessors(2), OK, "2", ""},
		{enough("memory", "available", gib), Problem, "1.0 GiB available", "2 GiB of memory"},
		{enough("disk", "free in /d", 2*gib), OK, "2.0 GiB free in /d", ""},
		{harmless(true, nil), OK, "all of them", ""},
		{harmless(false, nil), OK, "kill-server and pause-server; for others chaos must run on the engine's machine", ""},
		{harmless(true, &harm.LackError{What: "the program nsenter is not on the PATH", Do: "install it (apt-get install util-linux)"}), OK,
			"kill-server and pause-server; for others the program nsenter is not on the PATH: install it (apt-get", ""},
		{noEngine(dial(syscall.ECONNREFUSED)), Problem, "none answers at unix:///var/run/docker.sock: connection refused", "start it, or set DOCKER_HOST"},
		{noEngine(dial(syscall.EACCES)), Problem, "this user may not open it", "join the group of the socket"},
		{noEngine(errors.New("odd")), Problem, "none answers at DOCKER_HOST: odd", "start it"},
	} {
		if c.check.State != c.state || !strings.Contains(c.check.Found, c.found) || !strings.Contains(c.check.Do, c.do) ||
			(c.state == Problem) != (c.check.Do != "") {
			t.Errorf("got %+v, want %s, %q, %q", c.check, c.state, c.found, c.do)
		}
	}
}

// Without an engine nothing behind it is said to be well.
func TestExamineWithoutEngine(t *testing.T) {
	t.Setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
	for i, c := range Examine(t.Context(), Options{}) {
		want := Unchecked
		if i == 0 {
			want = Problem
		}
		if c.State != want || c.Name == "" {
			t.Errorf("got %+v", c)
		}
	}
}

func TestContainersExamine(t *testing.T) {
	e := testEngine(t)
	for _, c := range Examine(t.Context(), Options{}) {
		t.Logf("%+v", c)
		if c.State == Problem {
			t.Errorf("%s: %s", c.Name, c.Found)
		}
	}
	missing := Examine(t.Context(), Options{KafkaImage: "nonsense:1"})[2]
	if missing.State != Problem || missing.Found != "none of Kafka" || !strings.Contains(missing.Do, "chaos images build") {
		t.Errorf("an image that there is none of: %+v", missing)
	}
	if removed, err := sweep(t.Context(), e); err != nil || len(removed) > 0 {
		t.Errorf("it left %v, %v", removed, err)
	}
}
