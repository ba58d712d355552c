// Package chaos_test holds the seams of the house: who may import whom, and what the code that runs in both worlds may
// not contain. The rules are docs/architecture.md's.
package chaos_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/single-writer/chaos/"

// source is one Go file of the project.
type source struct {
	path string
	dir  string
	file *ast.File
	set  *token.FileSet
}

// sources parses all files but tests: a test may look at anything.
func sources(t *testing.T) []source {
	t.Helper()
	var out []source
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "runs") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		out = append(out, source{path, filepath.ToSlash(filepath.Dir(path)), file, set})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 50 {
		t.Fatalf("only %d files found: the walk is wrong", len(out))
	}
	return out
}

// in tells whether the file is in one of the folders, or below it.
func (s source) in(dirs ...string) bool {
	return slices.ContainsFunc(dirs, func(d string) bool { return s.dir == d || strings.HasPrefix(s.dir, d+"/") })
}

func (s source) imports() []string {
	var out []string
	for _, i := range s.file.Imports {
		path, _ := strconv.Unquote(i.Path.Value)
		out = append(out, path)
	}
	return out
}

// rule finds what breaks one seam in one file.
type rule func(s source) []string

// TestSeams holds every rule against every file.
func TestSeams(t *testing.T) {
	for _, s := range sources(t) {
		for name, r := range rules {
			for _, broken := range r(s) {
				t.Errorf("%s: %s", name, broken)
			}
		}
	}
}

var rules = map[string]rule{
	"client libraries":      clientLibraries,
	"drivers":               drivers,
	"imports":               imports,
	"judging":               judging,
	"one worker two worlds": oneWorker,
}

// clientLibraries: what speaks to a server, or to the container engine, is in cluster/ alone.
func clientLibraries(s source) (broken []string) {
	if s.in("cluster") {
		return nil
	}
	for _, path := range s.imports() {
		for _, library := range []string{"twmb/franz-go", "gocql", "testcontainers", "moby/moby", "docker/docker"} {
			if strings.Contains(path, library) {
				broken = append(broken, s.path+" imports "+path+"; only cluster/ may")
			}
		}
	}
	return broken
}

// drivers: which driver a statement goes through is a choice of the run's, and so each is named in its own folder alone.
// (That a node answers is asked by one of them whatever the run chose.)
func drivers(s source) (broken []string) {
	folders := map[string][]string{
		"github.com/gocql/gocql":                      {"cluster/clients/cassandra/gocql1"},
		"github.com/apache/cassandra-gocql-driver/v2": {"cluster/clients/cassandra/gocql2", "cluster/containers/ready"},
	}
	for _, path := range s.imports() {
		if may, ok := folders[path]; ok && !s.in(may...) {
			broken = append(broken, fmt.Sprintf("%s imports %s; only %v may", s.path, path, may))
		}
	}
	return broken
}

// judging: only the checker judges, and so searches for an order of operations.
func judging(s source) (broken []string) {
	for _, path := range s.imports() {
		if strings.Contains(path, "porcupine") && !s.in("checker") {
			broken = append(broken, s.path+" imports "+path+"; only checker/ may")
		}
	}
	return broken
}

// allowed says which packages of the project each folder may import. A folder that is not named may import any.
var allowed = map[string][]string{
	"ledger":               {},
	"internal/nearest":     {},
	"history":              {"ledger", "internal/nearest"},
	"checker":              {"ledger", "history"},
	"measures":             {"ledger", "history"},
	"reports":              {"ledger", "history", "checker", "measures"},
	"workload/persistence": {"ledger", "history"},
	"workload":             {"ledger", "history", "workload/persistence"},
	"nemesis":              {"history", "workload", "workload/persistence"},
	"scenarios":            {"ledger", "workload", "nemesis", "internal/nearest"},
	"cluster":              {"history", "workload", "workload/persistence", "cluster/board"},
	"cluster/board":        {"history", "workload", "workload/persistence"},
	"cluster/sim":          {"history", "workload", "workload/persistence", "cluster", "cluster/board"},
	"cluster/clients": {"history", "workload", "workload/persistence", "cluster", "cluster/board", "cluster/clients/cassandra",
		"cluster/clients/cassandra/gocql1", "cluster/clients/cassandra/gocql2", "cluster/clients/cassandra/wire"},
	"cluster/clients/cassandra":        {"workload/persistence"},
	"cluster/clients/cassandra/gocql1": {"cluster/clients/cassandra"},
	"cluster/clients/cassandra/gocql2": {"cluster/clients/cassandra"},
	"cluster/clients/cassandra/wire":   {},
	"cluster/containers": {"history", "cluster", "cluster/clients", "cluster/containers/definition", "cluster/containers/images",
		"cluster/containers/owner", "cluster/containers/ready"},
	// The scripts of the facts cannot tell one cluster from another.
	"conformance": {"history", "workload", "workload/persistence", "cluster"},
	// The controller runs on any cluster, and so knows none of them; which one it is, the command line says.
	"controller": {"history", "ledger", "checker", "measures", "reports", "scenarios", "workload", "workload/persistence", "nemesis", "cluster",
		"cluster/board"},
}

// imports: data flows one way.
func imports(s source) (broken []string) {
	may, ok := allowed[s.dir]
	if !ok {
		return nil
	}
	for _, path := range s.imports() {
		if inside, ok := strings.CutPrefix(path, module); ok && !slices.Contains(may, inside) {
			broken = append(broken, fmt.Sprintf("%s imports %s; %s may import %v of the project", s.path, inside, s.dir, may))
		}
	}
	return broken
}

// foreign are packages that let code wait, share, or know the time past the world.
var foreign = []string{"sync", "sync/atomic", "math/rand", "math/rand/v2", "crypto/rand", "context", "os", "net", "runtime", "iter",
	"unsafe"}

// clocks are what of package time reads or waits on the machine's clock.
var clocks = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}

// oneWorker: the code that runs in both worlds starts no goroutine, waits on nothing of its own, asks nobody but the
// world for the time, and cannot tell which world it is.
func oneWorker(s source) (broken []string) {
	if !s.in("workload", "nemesis") {
		return nil
	}
	for _, path := range s.imports() {
		if slices.Contains(foreign, path) {
			broken = append(broken, s.path+" imports "+path)
		}
		if strings.HasPrefix(path, module+"cluster") || strings.HasPrefix(path, module+"controller") {
			broken = append(broken, s.path+" imports "+path+": it could tell which world it runs in")
		}
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		if what := foreignTo(n, s.clockName()); what != "" {
			broken = append(broken, fmt.Sprintf("%s: %s", s.set.Position(n.Pos()), what))
		}
		return true
	})
	return broken
}

// clockName is the name by which a file calls package time.
func (s source) clockName() string {
	for _, i := range s.file.Imports {
		if i.Path.Value == `"time"` && i.Name != nil {
			return i.Name.Name
		}
	}
	return "time"
}

// foreignTo says what a piece of code is, where it has no place in the code of both worlds.
func foreignTo(n ast.Node, clock string) string {
	switch n := n.(type) {
	case *ast.GoStmt:
		return "a go statement: a process is started by World.Go"
	case *ast.SelectStmt:
		return "a select: waiting is World.Await"
	case *ast.ChanType, *ast.SendStmt:
		return "a channel: processes share memory under one baton"
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			return "a receive: waiting is World.Await"
		}
	case *ast.SelectorExpr:
		if pkg, ok := n.X.(*ast.Ident); ok && pkg.Name == clock && slices.Contains(clocks, n.Sel.Name) {
			return "time." + n.Sel.Name + ": time is World.Now and World.Sleep"
		}
	case *ast.CallExpr:
		if f, ok := n.Fun.(*ast.Ident); ok && f.Name == "recover" {
			return "recover: a killed process is unwound by a panic"
		}
	case *ast.BasicLit:
		if slices.Contains([]string{`"sim"`, `"containers"`, `"external"`}, n.Value) {
			return "the string " + n.Value + " names a world"
		}
	}
	return ""
}

// TestRulesFindWhatBreaksThem plants what each rule is there to find.
func TestRulesFindWhatBreaksThem(t *testing.T) {
	for _, c := range []struct {
		rule, dir, code string
	}{
		{"client libraries", "controller", `import _ "github.com/twmb/franz-go/pkg/kgo"`},
		{"client libraries", "workload", `import _ "github.com/twmb/franz-go/pkg/kmsg"`},
		{"client libraries", "checker", `import _ "github.com/gocql/gocql"`},
		{"client libraries", "cmd/chaos", `import _ "github.com/apache/cassandra-gocql-driver/v2"`},
		{"client libraries", "nemesis", `import _ "github.com/testcontainers/testcontainers-go"`},
		{"drivers", "cluster/clients", `import _ "github.com/gocql/gocql"`},
		{"drivers", "cluster/clients/cassandra/gocql1", `import _ "github.com/apache/cassandra-gocql-driver/v2"`},
		{"judging", "controller", `import _ "github.com/anishathalye/porcupine"`},
		{"imports", "checker", `import _ "github.com/single-writer/chaos/workload"`},
		{"imports", "ledger", `import _ "github.com/single-writer/chaos/history"`},
		{"one worker two worlds", "workload", `import _ "sync"`},
		{"one worker two worlds", "workload/persistence", `import _ "math/rand/v2"`},
		{"one worker two worlds", "nemesis", `import _ "context"`},
		{"one worker two worlds", "nemesis", `import _ "github.com/single-writer/chaos/cluster/sim"`},
		{"one worker two worlds", "workload", `func f() { go f() }`},
		{"one worker two worlds", "workload", `func f() { select {} }`},
		{"one worker two worlds", "workload", `var c chan int`},
		{"one worker two worlds", "workload", `func f() { <-c }`},
		{"one worker two worlds", "nemesis", `func f() { time.Sleep(1) }`},
		{"one worker two worlds", "nemesis", `var t = time.Now()`},
		{"one worker two worlds", "nemesis", `import t "time"; var now = t.Now()`},
		{"imports", "controller", `import _ "github.com/single-writer/chaos/cluster/sim"`},
		{"one worker two worlds", "workload", `func f() { recover() }`},
		{"one worker two worlds", "workload", `var kind = "sim"`},
	} {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, c.dir+"/planted.go", "package planted\n"+c.code, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if len(rules[c.rule](source{c.dir + "/planted.go", c.dir, file, set})) == 0 {
			t.Errorf("the rule about %s does not see %s in %s", c.rule, c.code, c.dir)
		}
	}
}
