// Package chaos_test holds the seams of the house: who may import whom, and what the code that runs in both worlds may
// not contain. The rules are docs/architecture.md's.
package chaos_test

import (
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

// TestClientLibraries: what speaks to a server, or to the container engine, is in cluster/ alone.
func TestClientLibraries(t *testing.T) {
	for _, s := range sources(t) {
		if s.in("cluster") {
			continue
		}
		for _, path := range s.imports() {
			for _, library := range []string{"twmb/franz-go", "gocql", "testcontainers", "moby/moby", "docker/docker"} {
				if strings.Contains(path, library) {
					t.Errorf("%s imports %s; only cluster/ may", s.path, path)
				}
			}
		}
	}
}

// allowed says which packages of the project each folder may import. A folder that is not named may import any.
var allowed = map[string][]string{
	"ledger":               {},
	"history":              {"ledger"},
	"checker":              {"ledger", "history"},
	"reports":              {"ledger", "history", "checker"},
	"workload/persistence": {"ledger", "history"},
	"workload":             {"ledger", "history", "workload/persistence"},
	"nemesis":              {"history", "workload", "workload/persistence"},
	"scenarios":            {"ledger", "workload", "nemesis"},
	"cluster/board":        {"history", "workload", "workload/persistence"},
	"cluster/sim":          {"history", "workload", "workload/persistence", "cluster", "cluster/board"},
	"cluster/clients":      {"history", "workload", "workload/persistence", "cluster/board"},
}

// TestImports: data flows one way.
func TestImports(t *testing.T) {
	for _, s := range sources(t) {
		may, ok := allowed[s.dir]
		if !ok {
			continue
		}
		for _, path := range s.imports() {
			if inside, ok := strings.CutPrefix(path, module); ok && !slices.Contains(may, inside) {
				t.Errorf("%s imports %s; %s may import %v of the project", s.path, inside, s.dir, may)
			}
		}
	}
}

// TestOneWorkerTwoWorlds: the code that runs in both worlds starts no goroutine, waits on nothing of its own, and asks
// nobody but the world for the time.
func TestOneWorkerTwoWorlds(t *testing.T) {
	for _, s := range sources(t) {
		if !s.in("workload", "nemesis") {
			continue
		}
		for _, path := range s.imports() {
			for _, bad := range []string{"sync", "sync/atomic", "math/rand", "math/rand/v2", "crypto/rand", "context", "os", "net",
				"runtime", "iter", "unsafe"} {
				if path == bad {
					t.Errorf("%s imports %s", s.path, path)
				}
			}
			if strings.HasPrefix(path, module+"cluster") || strings.HasPrefix(path, module+"controller") {
				t.Errorf("%s imports %s: it could tell which world it runs in", s.path, path)
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			at := func(what string) { t.Errorf("%s: %s", s.set.Position(n.Pos()), what) }
			switch n := n.(type) {
			case *ast.GoStmt:
				at("a go statement: a process is started by World.Go")
			case *ast.SelectStmt:
				at("a select: waiting is World.Await")
			case *ast.ChanType, *ast.SendStmt:
				at("a channel: processes share memory under one baton")
			case *ast.UnaryExpr:
				if n.Op == token.ARROW {
					at("a receive: waiting is World.Await")
				}
			case *ast.SelectorExpr:
				if pkg, ok := n.X.(*ast.Ident); ok && pkg.Name == "time" && slices.Contains(clocks, n.Sel.Name) {
					at("time." + n.Sel.Name + ": time is World.Now and World.Sleep")
				}
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.Ident); ok && f.Name == "recover" {
					at("recover: a killed process is unwound by a panic")
				}
			}
			return true
		})
	}
}

// clocks are what of package time reads or waits on the machine's clock.
var clocks = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}

// TestNoWorldWords: nothing that runs in both worlds names one.
func TestNoWorldWords(t *testing.T) {
	for _, s := range sources(t) {
		if !s.in("workload", "nemesis") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			for _, word := range []string{`"sim"`, `"containers"`, `"external"`} {
				if lit.Value == word {
					t.Errorf("%s: the string %s names a world", s.set.Position(n.Pos()), lit.Value)
				}
			}
			return true
		})
	}
}
