package checker

import (
	"embed"
	"path"
	"slices"
	"strings"
)

// explained holds a page for each property. It is the one source of what is said about properties at length: `chaos explain`
// prints it, docs/properties.md is made of it, and the tests run its histories.
//
//go:embed explained/*.md
var explained embed.FS

//go:embed notation.md
var notation string

// Notation says how the histories of the explanations are read, in Markdown.
func Notation() string { return strings.TrimSpace(notation) }

// Explanation is what there is to know about a property. Texts are Markdown.
type Explanation struct {
	Definition string `json:"definition"`
	// Breaks are the smallest histories that break the property: without any of its events each is malformed or proves
	// nothing. Lawful look like them and break nothing.
	Breaks []Example `json:"breaks"`
	Lawful []Example `json:"lawful"`
	Causes string    `json:"causes"`
}

// Example is a small history in words, one event a line, an operation in one line with its answer.
type Example struct {
	About   string `json:"about"`
	History string `json:"history"`
}

// The headings of a page, in order.
const (
	HeadingBreaks = "The smallest histories that break it"
	HeadingLawful = "Lawful, though it looks alike"
	HeadingCauses = "Usual causes"
)

// Page is the property's page as it is written: Markdown, with headings of the second level.
func (p Property) Page() string {
	b, err := explained.ReadFile(path.Join("explained", p.Name+".md"))
	if err != nil {
		return "" // TestEveryPropertyIsExplained does not let it come to that
	}
	return string(b)
}

// Explain takes the property's page apart.
func (p Property) Explain() Explanation {
	parts := map[string]string{}
	heading := ""
	for i, part := range strings.Split("\n"+p.Page(), "\n## ") {
		text := part
		if i > 0 {
			heading, text, _ = strings.Cut(part, "\n")
		}
		parts[heading] = strings.TrimSpace(text)
	}
	return Explanation{
		Definition: parts[""], Breaks: examples(parts[HeadingBreaks]), Lawful: examples(parts[HeadingLawful]),
		Causes: parts[HeadingCauses],
	}
}

// examples finds the histories of a section: what is indented is one, up to an empty line, and what stands before it is
// about it.
func examples(section string) []Example {
	var out []Example
	var about []string
	for _, block := range strings.Split(section, "\n\n") {
		if !strings.HasPrefix(block, "    ") {
			about = append(about, block)
			continue
		}
		lines := strings.Split(block, "\n")
		for i, l := range lines {
			lines[i] = strings.TrimPrefix(l, "    ")
		}
		out = append(out, Example{About: strings.Join(about, "\n\n"), History: strings.Join(lines, "\n")})
		about = nil
	}
	return out
}

// FindProperty gives the property of that name.
func FindProperty(name string) (Property, bool) {
	all := Properties()
	i := slices.IndexFunc(all, func(p Property) bool { return p.Name == name })
	if i < 0 {
		return Property{}, false
	}
	return all[i], true
}
