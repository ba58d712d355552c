// Package chaos_test holds the seams of the house: who may import whom, and what the code that runs in both worlds may
// not contain. The rules are docs/architecture.md's, and the first is read from its table.
package chaos_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
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

// judging: only the checker judges, and its search for an order of operations is one package.
func judging(s source) (broken []string) {
	for _, path := range s.imports() {
		if strings.Contains(path, "porcupine") && !s.in("checker/register") {
			broken = append(broken, s.path+" imports "+path+"; only checker/register may")
		}
	}
	return broken
}

// anything, in the place of a list, lets a folder import all of the project.
const anything = "anything"

var quoted = regexp.MustCompile("`([^`]+)`")

// allowed reads from docs/architecture.md which packages of the project each folder may import.
var allowed = sync.OnceValue(func() map[string][]string {
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		panic(err)
	}
	_, table, _ := strings.Cut(string(page), "| may import of the project |\n|---|---|---|\n")
	out := map[string][]string{}
	for line := range strings.Lines(table) {
		cells := strings.Split(line, " | ")
		if len(cells) != 3 {
			break
		}
		may := []string{}
		if strings.HasPrefix(cells[2], anything) {
			may = append(may, anything)
		}
		for _, m := range quoted.FindAllStringSubmatch(cells[2], -1) {
			may = append(may, m[1])
		}
		for _, m := range quoted.FindAllStringSubmatch(cells[0], -1) {
			out[m[1]] = may
		}
	}
	return out
})

// imports: data flows one way.
func imports(s source) (broken []string) {
	may, ok := allowed()[s.dir]
	switch {
	case s.dir == ".":
		may = nil
	case !ok:
		return []string{s.path + ": docs/architecture.md does not say what " + s.dir + " may import"}
	case slices.Contains(may, anything):
		return nil
	}
	for _, path := range s.imports() {
		if inside, ok := strings.CutPrefix(path, module); ok && !slices.Contains(may, inside) {
			broken = append(broken, fmt.Sprintf("%s imports %s; %s may import %v of the project", s.path, inside, s.dir, may))
		}
	}
	return broken
}

// TestTheTableNamesFolders: a row of a folder that is gone, or that may import what is gone, says nothing.
func TestTheTableNamesFolders(t *testing.T) {
	for folder, may := range allowed() {
		for _, name := range append([]string{folder}, may...) {
			if _, err := os.Stat(name); err != nil && name != anything {
				t.Errorf("docs/architecture.md, %s: %v", folder, err)
			}
		}
	}
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
		{"judging", "checker", `import _ "github.com/anishathalye/porcupine"`},
		{"imports", "controller", `import _ "github.com/single-writer/chaos/controller/search"`},
		{"imports", "checker/register", `import _ "github.com/single-writer/chaos/checker"`},
		{"imports", "checker", `import _ "github.com/single-writer/chaos/workload"`},
		{"imports", "ledger", `import _ "github.com/single-writer/chaos/history"`},
		{"imports", "cluster/clients/wire", `import _ "github.com/single-writer/chaos/history"`},
		{"imports", "new/folder", `import _ "fmt"`},
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
