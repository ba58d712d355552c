package images

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

// fake is an engine that has some images and can pull some.
type fake struct {
	images, pullable []string
	pulled           []string
	broken           error
}

func (f *fake) has(_ context.Context, ref string) (bool, error) {
	return slices.Contains(f.images, ref), f.broken
}

func (f *fake) pull(_ context.Context, ref string) error {
	f.pulled = append(f.pulled, ref)
	if !slices.Contains(f.pullable, ref) {
		return errors.New("no such host")
	}
	return nil
}

func TestResolveOrder(t *testing.T) {
	for name, c := range map[string]struct {
		engine   fake
		override string
		want     Image
		pulled   []string
	}{
		"official first": {
			engine: fake{images: []string{KafkaLocal, KafkaOfficial}},
			want:   Image{Ref: KafkaOfficial, Version: KafkaVersion},
		},
		"local before a pull": {
			engine: fake{images: []string{KafkaLocal}, pullable: []string{KafkaOfficial}},
			want:   Image{Ref: KafkaLocal, Version: KafkaVersion, Local: true},
		},
		"pulled": {
			engine: fake{pullable: []string{KafkaOfficial}},
			want:   Image{Ref: KafkaOfficial, Version: KafkaVersion},
			pulled: []string{KafkaOfficial},
		},
		"override as it is": {
			engine:   fake{images: []string{KafkaOfficial, "mirror:5000/kafka:4.4.0"}},
			override: "mirror:5000/kafka:4.4.0",
			want:     Image{Ref: "mirror:5000/kafka:4.4.0", Version: "4.4.0"},
		},
		"override pulled": {
			engine:   fake{images: []string{KafkaOfficial}, pullable: []string{"mirror:5000/kafka"}},
			override: "mirror:5000/kafka",
			want:     Image{Ref: "mirror:5000/kafka", Version: "latest"},
			pulled:   []string{"mirror:5000/kafka"},
		},
	} {
		got, err := resolve(t.Context(), &c.engine, Kafka, c.override)
		if err != nil || got != c.want || !slices.Equal(c.engine.pulled, c.pulled) {
			t.Errorf("%s: got %+v, %v, pulled %v", name, got, err, c.engine.pulled)
		}
	}
}

func TestResolveTellsWhatToDo(t *testing.T) {
	_, err := resolve(t.Context(), &fake{}, Cassandra, "")
	missing, ok := errors.AsType[*NoImageError](err)
	if !ok || missing.Kind != Cassandra || !strings.Contains(err.Error(), "chaos images build") || !strings.Contains(err.Error(), "no such host") {
		t.Errorf("got %v", err)
	}
}

// An override is never replaced by another image, or a run would report on what it did not run.
func TestResolveKeepsToTheOverride(t *testing.T) {
	_, err := resolve(t.Context(), &fake{images: []string{KafkaOfficial, KafkaLocal}}, Kafka, "mine:1")
	if _, ok := errors.AsType[*NoImageError](err); !ok {
		t.Errorf("got %v", err)
	}
}

func TestResolvePassesTheEnginesError(t *testing.T) {
	broken := errors.New("engine on fire")
	if _, err := resolve(t.Context(), &fake{broken: broken}, Kafka, ""); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

func TestTag(t *testing.T) {
	for ref, want := range map[string]string{
		"cassandra:5.0.5":                "5.0.5",
		"localhost:5000/cassandra":       "latest",
		"localhost:5000/a/b:1":           "1",
		"a/b:1@sha256:0123456789abcdef0": "1",
	} {
		if got := tag(ref); got != want {
			t.Errorf("%s: got %q, want %q", ref, got, want)
		}
	}
}

func TestNoEngine(t *testing.T) {
	t.Setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
	_, err := Resolve(t.Context(), Kafka, "")
	if _, none := errors.AsType[*NoEngineError](err); !none || !strings.Contains(err.Error(), "/nonexistent/docker.sock") || !strings.Contains(err.Error(), "DOCKER_HOST") {
		t.Errorf("got %v", err)
	}
}
