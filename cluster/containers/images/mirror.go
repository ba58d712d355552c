package images

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// debianSuites are the names by which a source of packages is known as one of Debian's own archive: a
// derivative's archive, or a vendor's, has other suites and does not hold the base system.
var debianSuites = []string{"bullseye", "bookworm", "trixie", "forky", "sid", "oldstable", "stable", "testing", "unstable"}

// mirror returns the Debian mirror that this machine's apt is set up to use, or "" when none is
// found, in which case debootstrap knows a default of its own. etcApt is the folder /etc/apt.
func mirror(etcApt fs.FS) string {
	var names []string
	for _, pattern := range []string{"sources.list", "sources.list.d/*.list", "sources.list.d/*.sources"} {
		found, _ := fs.Glob(etcApt, pattern) // the patterns are well-formed
		names = append(names, found...)
	}
	for _, name := range names {
		text, err := fs.ReadFile(etcApt, name)
		if err != nil {
			continue // readable by root only, or gone: another may do
		}
		sources := oneLine(string(text))
		if path.Ext(name) == ".sources" {
			sources = stanzas(string(text))
		}
		for _, s := range sources {
			if s.debian() {
				return s.uri
			}
		}
	}
	return ""
}

// source is one archive that apt uses.
type source struct {
	types, suites, components []string
	uri                       string
	disabled                  bool
}

func (s source) debian() bool {
	fetchable := strings.HasPrefix(s.uri, "http://") || strings.HasPrefix(s.uri, "https://") || strings.HasPrefix(s.uri, "file:")
	return !s.disabled && fetchable && slices.Contains(s.types, "deb") && slices.Contains(s.components, "main") &&
		slices.ContainsFunc(s.suites, func(suite string) bool { return slices.Contains(debianSuites, suite) })
}

// oneLine reads the one-line format: deb [options] uri suite component...
func oneLine(text string) []source {
	var sources []source
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		if before, rest, ok := strings.Cut(line, "["); ok {
			_, after, _ := strings.Cut(rest, "]")
			line = before + after
		}
		if f := strings.Fields(line); len(f) >= 4 {
			sources = append(sources, source{types: f[:1], uri: f[1], suites: f[2:3], components: f[3:]})
		}
	}
	return sources
}

// stanzas reads the deb822 format: fields of one archive, an empty line, fields of the next.
func stanzas(text string) []source {
	var sources []source
	var s source
	var field string
	end := func() {
		if s.uri != "" {
			sources = append(sources, s)
		}
		s, field = source{}, ""
	}
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "#"):
			continue
		case strings.TrimSpace(line) == "":
			end()
			continue
		}
		values := line
		if line[0] != ' ' && line[0] != '\t' { // otherwise it continues the field above
			field, values, _ = strings.Cut(line, ":")
		}
		words := strings.Fields(values)
		switch strings.ToLower(field) {
		case "types":
			s.types = append(s.types, words...)
		case "uris":
			if s.uri == "" && len(words) > 0 {
				s.uri = words[0]
			}
		case "suites":
			s.suites = append(s.suites, words...)
		case "components":
			s.components = append(s.components, words...)
		case "enabled":
			s.disabled = len(words) == 1 && strings.EqualFold(words[0], "no")
		}
	}
	end()
	return sources
}
