package images

import (
	"testing"
	"testing/fstest"
)

func TestMirror(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"none": {nil, ""},
		"one-line": {map[string]string{"sources.list": "" +
			"# deb http://old.example/debian bookworm main\n" +
			"deb-src http://src.example/debian bookworm main\n" +
			"deb http://security.example/debian-security bookworm-security main\n" +
			"deb [arch=amd64 signed-by=/k.gpg] http://mirror.example/debian bookworm main contrib\n"}, "http://mirror.example/debian"},
		"deb822": {map[string]string{"sources.list.d/debian.sources": "" +
			"Types: deb\n# a comment\nURIs: http://security.example/debian-security\nSuites: bookworm-security\nComponents: main\n\n" +
			"Types: deb\n deb-src\nURIs: https://mirror.example/debian\nSuites: trixie trixie-updates\nComponents: main\n"}, "https://mirror.example/debian"},
		"disabled": {map[string]string{"sources.list.d/debian.sources": "Types: deb\nEnabled: no\nURIs: http://a.example\nSuites: bookworm\nComponents: main\n"}, ""},
		"a derivative and a vendor": {map[string]string{
			"sources.list":               "deb http://archive.example/ubuntu noble main\n",
			"sources.list.d/node.list":   "deb http://node.example nodistro main\n",
			"sources.list.d/off.sources": "Types: deb\nURIs: cdrom:[x]\nSuites: bookworm\nComponents: main\n",
		}, ""},
		"other endings are not apt's": {map[string]string{"sources.list.d/debian.sources.off": "Types: deb\nURIs: http://a.example\nSuites: bookworm\nComponents: main\n"}, ""},
	} {
		fsys := fstest.MapFS{}
		for path, text := range c.files {
			fsys[path] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := mirror(fsys); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
