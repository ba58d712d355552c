package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// The last line says whether real servers were reached, from what the tests themselves printed.
func TestSummary(t *testing.T) {
	const (
		pass    = `{"Action":"pass","Package":"p","Test":"TestA"}` + "\n" + `{"Action":"pass","Package":"p","Elapsed":1}` + "\n"
		real    = `{"Action":"output","Package":"p","Test":"TestContainersB","Output":"    b_test.go:1: ran on real servers: Kafka 4.3.1, Cassandra 5.0.5\n"}` + "\n" + `{"Action":"pass","Package":"p","Test":"TestContainersB"}` + "\n"
		skipped = `{"Action":"output","Package":"p","Test":"TestContainersC","Output":"    c_test.go:1: no Docker engine: refused\n"}` + "\n" + `{"Action":"skip","Package":"p","Test":"TestContainersC"}` + "\n"
		failed  = `{"Action":"output","Package":"p","Test":"TestD","Output":"    d_test.go:1: broken\n"}` + "\n" + `{"Action":"fail","Package":"p","Test":"TestD"}` + "\n" + `{"Action":"fail","Package":"p","Elapsed":1}` + "\n"
		build   = `{"Action":"build-output","ImportPath":"q","Output":"q.go:1: undefined: x\n"}` + "\n" + `{"Action":"build-fail","ImportPath":"q"}` + "\n"
	)
	for _, c := range []struct {
		name, in string
		exit     int
		last     string
		says     []string
	}{
		{"no engine", pass + skipped, 0, "container tests did NOT run: no test reached real servers (see what was skipped)",
			[]string{"skipped p TestContainersC: c_test.go:1: no Docker engine: refused", "tests: 1 passed, 0 failed, 1 skipped"}},
		{"real servers", pass + real, 0, "container tests ran on Kafka 4.3.1, Cassandra 5.0.5: TestContainersB",
			[]string{"ok   p 1.0s, 1 passed", "tests: 2 passed, 0 failed, 0 skipped"}},
		{"some skipped", real + skipped, 0, "container tests ran on Kafka 4.3.1, Cassandra 5.0.5: TestContainersB (and 1 were skipped, see above)", nil},
		{"a failure", pass + failed, 1, "", []string{"d_test.go:1: broken", "failed p TestD", "tests: 1 passed, 1 failed, 0 skipped"}},
		{"a build failure", pass + build, 1, "", []string{"q.go:1: undefined: x"}},
		{"no test at all", "", 1, "", []string{"tests: 0 passed, 0 failed, 0 skipped"}},
		{"not JSON", "make: nonsense\n" + pass, 0, "", []string{"make: nonsense"}},
	} {
		var out strings.Builder
		s := newSummary(&out)
		s.read(strings.NewReader(c.in))
		exit := s.end()
		lines := strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
		if exit != c.exit || c.last != "" && lines[len(lines)-1] != c.last {
			t.Errorf("%s: exit %d, last line %s", c.name, exit, lines[len(lines)-1])
		}
		for _, want := range c.says {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: without %q:\n%s", c.name, want, out.String())
			}
		}
	}
}

// Commands run side by side, and what a command came to counts beside what its tests did.
func TestRun(t *testing.T) {
	pass := func(p string) string {
		return fmt.Sprintf(`echo '{"Action":"pass","Package":"%s","Test":"TestA"}'; echo '{"Action":"pass","Package":"%[1]s","Elapsed":1}'`, p)
	}
	meet := func(a, b string) string { return fmt.Sprintf("touch %s; until [ -e %s ]; do sleep 0.01; done; ", a, b) }
	a, b := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	for _, c := range []struct {
		commands []string
		exit     int
		says     string
	}{
		{[]string{meet(a, b) + pass("p"), meet(b, a) + pass("q")}, 0, "tests: 2 passed, 0 failed, 0 skipped"},
		{[]string{pass("p"), pass("q") + "; kill -9 $$"}, 1, "signal: killed: " + pass("q")},
		{[]string{pass("p"), pass("q") + "; exit 3"}, 1, "exit status 3: "},
	} {
		var out strings.Builder
		if exit := run(c.commands, &out); exit != c.exit || !strings.Contains(out.String(), c.says) {
			t.Errorf("%v: exit %d, without %q:\n%s", c.commands, exit, c.says, out.String())
		}
	}
}
