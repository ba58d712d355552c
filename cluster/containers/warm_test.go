package containers

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/single-writer/chaos/cluster/containers/definition"
	"github.com/single-writer/chaos/cluster/containers/images"
	"github.com/single-writer/chaos/cluster/containers/owner"
)

// Warm servers are used only when they are what a start would give.
func TestFits(t *testing.T) {
	fingerprint, err := definition.Fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		kafka, cassandra string // the versions that are there
		label            string
		options          Options
		want             []string // in the error; none is that they fit
	}{
		"as this rig starts them": {images.KafkaVersion, images.CassandraVersion, fingerprint, Options{}, nil},
		"the image that was asked for": {images.KafkaVersion, images.CassandraVersion, fingerprint,
			Options{KafkaImage: images.KafkaLocal, CassandraImage: images.CassandraLocal}, nil},
		"an image of another version that was asked for": {"9.9.9", images.CassandraVersion, fingerprint,
			Options{KafkaImage: images.KafkaLocal}, nil},
		"another version of Kafka": {"9.9.9", images.CassandraVersion, fingerprint, Options{},
			[]string{"the version of Kafka\n    is there: Kafka 9.9.9 of image " + images.KafkaLocal, "\n    wanted:   Kafka " + images.KafkaVersion}},
		"another version of Cassandra": {images.KafkaVersion, "4.1.10", fingerprint, Options{},
			[]string{"the version of Cassandra\n    is there: Cassandra 4.1.10", "\n    wanted:   Cassandra " + images.CassandraVersion}},
		"another image than asked for": {images.KafkaVersion, images.CassandraVersion, fingerprint, Options{CassandraImage: "other:1"},
			[]string{"the image of Cassandra\n    is there: Cassandra " + images.CassandraVersion, "\n    wanted:   image other:1"}},
		"more than are needed": {images.KafkaVersion, images.CassandraVersion, fingerprint, Options{Cassandra: 1}, nil},
		"fewer than are needed": {images.KafkaVersion, images.CassandraVersion, fingerprint, Options{Cassandra: 3},
			[]string{"a smaller one than this run asks for: 1 Kafka and 3 Cassandra are needed, and the cluster has 3 Kafka and 1 Cassandra",
				"chaos up --kafka 1 --cassandra 3 starts one that serves"}},
		"another set-up": {images.KafkaVersion, images.CassandraVersion, "0000", Options{},
			[]string{"the set-up of ", "that of another version of chaos (0000)", fingerprint}},
	} {
		there := &Servers{
			Kafka: make([]Server, 3), Cassandra: make([]Server, 1),
			KafkaVersion: c.kafka, CassandraVersion: c.cassandra,
			KafkaImage: images.Named(images.KafkaLocal), CassandraImage: images.Named(images.CassandraLocal),
		}
		labelled := thing{labels: map[string]string{owner.LabelDefinition: c.label}}
		err := fits(there, c.options.withDefaults(0), map[string]thing{"kafka": labelled, "cassandra": labelled})
		if (err != nil) != (len(c.want) > 0) {
			t.Errorf("%s: got %v", name, err)
		}
		for _, want := range c.want {
			if err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: no %q in %v", name, want, err)
			}
		}
	}
}

func TestHalfDead(t *testing.T) {
	for _, c := range []struct {
		e    HalfDeadError
		want string
	}{
		{HalfDeadError{[]Fate{{"kafka-1", errVanished}, {"cassandra-1", nil}}},
			"half dead\n  kafka-1: its container was removed\n  cassandra-1: it answers\n"},
		{HalfDeadError{[]Fate{{"kafka-1", nil}, {"cassandra-3", &NotReadyError{Server: "cassandra-3", Cause: errEnded{137}, Log: []string{"long"}}}}},
			"half dead\n  kafka-1: it answers\n  cassandra-3: its container exited with 137\n"},
		{HalfDeadError{[]Fate{{"kafka-1", errVanished}, {"cassandra-1", errEnded{1}}}},
			"is dead\n  kafka-1: its container was removed\n  cassandra-1: its container exited with 1\n"},
	} {
		if got := c.e.Error(); !strings.Contains(got, c.want) || !strings.HasSuffix(got, "\n  chaos down removes it, and chaos up starts another") {
			t.Errorf("got %s\nwant %s", got, c.want)
		}
	}
}

// The lock is one place for all processes of the machine; who waits is told so once, and gets it when it is free.
func TestWarmLock(t *testing.T) {
	name := "@chaos-test-" + randomID()
	release, err := take(t.Context(), name, func(string) { t.Error("the first waits") })
	if err != nil {
		t.Fatal(err)
	}
	waits, got := make(chan string, 2), make(chan error, 1)
	go func() {
		second, err := take(t.Context(), name, func(line string) { waits <- line })
		if err == nil {
			err = second()
		}
		got <- err
	}()
	select {
	case line := <-waits:
		if !strings.Contains(line, "another chaos is at the warm servers") {
			t.Errorf("it says %q", line)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the second does not wait")
	}
	impatient, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("Ctrl-C"))
	if _, err := take(impatient, name, func(string) {}); err == nil || !strings.Contains(err.Error(), "Ctrl-C") {
		t.Errorf("who is interrupted while it waits: %v", err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
	select {
	case err := <-got:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the second never gets it")
	}
}

func TestAge(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"3 s": 3 * time.Second, "7 min": 7 * time.Minute, "2 h 5 min": 125 * time.Minute, "3 days": 80 * time.Hour,
	} {
		if got := Age(d); got != want {
			t.Errorf("%v is %s, not %s", d, got, want)
		}
	}
}
