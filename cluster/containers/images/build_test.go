package images

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/single-writer/chaos/cluster/containers/enginetest"
)

func TestContainersBuildOnlyWhatIsMissing(t *testing.T) {
	enginetest.Need(t)
	e, err := Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	todo, err := (&builder{engine: e}).missing(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	if len(todo) > 0 {
		enginetest.Missing(t, "the local images are not built: %v", todo)
	}
	var out strings.Builder
	if err := Build(t.Context(), Options{Out: &out}); err != nil || !strings.Contains(out.String(), "nothing to build") {
		t.Errorf("got %v, %s", err, out.String())
	}
	if todo, err := (&builder{engine: e}).missing(t.Context(), true); err != nil || len(todo) != 3 {
		t.Errorf("forced: got %v, %v, want all three", todo, err)
	}
	if got, err := Resolve(t.Context(), Kafka, KafkaLocal); err != nil || !got.Local {
		t.Errorf("got %+v, %v", got, err)
	}
}

// A cancelled build leaves no folder and no process behind.
func TestContainersCancelledBuild(t *testing.T) {
	enginetest.Need(t)
	if os.Geteuid() != 0 || !installed("debootstrap") || !installed("mvn") {
		t.Skip("needs root, debootstrap and mvn")
	}
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := Build(ctx, Options{Force: true, Out: writer(func(line string) {
		if strings.Contains(line, "debootstrap of") {
			cancel()
		}
	})})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

type writer func(string)

func (w writer) Write(p []byte) (int, error) { w(string(p)); return len(p), nil }

func TestPrepareTellsAllThatIsMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	err := (&builder{}).prepare(plan{Base: "r", KafkaLocal: "r"})
	for _, want := range []string{"apt-get install debootstrap", "apt-get install maven"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to say %q", err, want)
		}
	}
	if err := (&builder{}).prepare(plan{CassandraLocal: "r"}); err == nil || strings.Contains(err.Error(), "debootstrap") {
		t.Errorf("without the base: got %v", err)
	}
}

func TestRunTellsTheLastWords(t *testing.T) {
	err := run(t.Context(), command(t.Context(), "sh", "-c", "echo one; echo two >&2; exit 3"))
	if _, ok := errors.AsType[*exec.ExitError](err); !ok || !strings.Contains(err.Error(), "two") {
		t.Errorf("got %v", err)
	}
}

func TestRecipesFollowTheirParts(t *testing.T) {
	base, servers, err := recipes()
	if err != nil || base == "" || servers[Kafka] == "" || servers[Kafka] == servers[Cassandra] {
		t.Errorf("got %q, %v, %v", base, servers, err)
	}
	again, same, _ := recipes()
	if again != base || same[Kafka] != servers[Kafka] {
		t.Error("a recipe has no stable fingerprint")
	}
	p, err := pom(Kafka)
	if err != nil || !strings.Contains(string(p), "<version>"+KafkaVersion+"</version>") || !strings.Contains(string(p), log4jVersion) {
		t.Errorf("got %v, %s", err, p)
	}
}

func TestBuildContext(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(folder+"/a.jar", []byte("jar"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := writeContext(&out, []byte("FROM x\n"), map[string]string{"jars": folder}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Dockerfile", "FROM x\n", "jars/a.jar"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the context lacks %q", want)
		}
	}
}

func TestDrainReturnsTheEnginesError(t *testing.T) {
	err := drain(strings.NewReader(`{"stream":"Step 1"}` + "\n" + `{"errorDetail":{"message":"no space"}}`))
	if err == nil || err.Error() != "no space" {
		t.Errorf("got %v", err)
	}
	if err := drain(strings.NewReader(`{"stream":"ok"}{"stream":"ok"}`)); err != nil {
		t.Errorf("got %v", err)
	}
	if err := drain(strings.NewReader(`{"stream":`)); err == nil {
		t.Error("a torn stream was taken for a finished one")
	}
}
