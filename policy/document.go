package policy

import (
	"bytes"
	_ "embed"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"pgretain/internal/diag"
)

// Schema is the JSON Schema (draft 2020-12) of a policy file, for editors. It knows which keys
// there are and what kind of value each has; what SQL and names mean, only Parse knows.
//
//go:embed schema.json
var Schema string

// Parse reads and checks a policy file that is already in memory; path is used in positions only.
// All errors are reported at once, sorted by position; the File is nil when there is one.
func Parse(path string, source []byte) (*File, diag.List) {
	return parse(path, source, &File{Path: path, Source: source, Install: DefaultInstall(path)})
}

func parse[T any](path string, source []byte, into *T) (*T, diag.List) {
	r := newReader(path, source)
	r.try(func() { r.read(r.document(), into, "") })
	list := r.diags.Unique()
	if list.HasErrors() {
		return nil, list
	}
	return into, list
}

func (f *File) read(r *reader, root field) {
	m := r.mapping(root, "the file", keysOf(f))
	r.model = f
	r.policies(m)
	if jobs, ok := m.fields["jobs"]; ok && unwritten(m, jobs) {
		delete(m.fields, "jobs")
	}
	r.fill(m, f)
	r.checkProtected(f)
	r.checkEach(f)
	r.checkJobs(f)
}

// version is that of the language.
type version struct{}

func (*version) read(r *reader, f field) {
	if r.integer(f) != 1 {
		r.fail("P009", r.at(f.value), nil)
	}
}

// document parses the YAML. What the library says of a syntax error is put into words of ours.
func (r *reader) document() field {
	r.readable()
	decoder := yaml.NewDecoder(bytes.NewReader(r.source))
	var root, second yaml.Node
	if err := decoder.Decode(&root); err != nil {
		r.syntax(err)
	}
	if err := decoder.Decode(&second); err == nil {
		r.fail("P001 second", r.at(&second), nil)
	} else if !errors.Is(err, io.EOF) {
		r.syntax(err)
	}
	r.visible(root.Content[0])
	return field{value: root.Content[0]}
}

// visible refuses texts with characters that are not shown, or with more blanks in a row than a reader looks past; escapes
// write such characters, too.
func (r *reader) visible(node *yaml.Node) {
	if node.Kind == yaml.ScalarNode && !strings.ContainsRune(node.Value, 0) && diag.HiddenIn(node.Value) >= 0 { // NUL has words of its own
		r.fail("P001 hidden", r.at(node), diag.MostBlanks)
	}
	for _, inner := range node.Content {
		r.visible(inner)
	}
}

// readable refuses characters that the library reports without a place, and line breaks that editors do not count.
func (r *reader) readable() {
	refused := func(c rune) bool { return c == utf8.RuneError || c != '\t' && diag.Hidden(c) }
	for i, line := range r.lines {
		if j := slices.IndexFunc(line, refused); j >= 0 {
			r.fail("P001 character", diag.Position{File: r.path, Line: i + 1, Column: j + 1, Width: 1}, nil)
		}
	}
}

var (
	yamlLine   = regexp.MustCompile(`line (\d+)`)
	yamlAnchor = regexp.MustCompile(`unknown anchor '([^']*)' referenced`)
)

func (r *reader) syntax(err error) {
	text, line := err.Error(), 1
	if errors.Is(err, io.EOF) {
		r.fail("P001 empty", r.lineAt(1), nil)
	}
	if m := yamlAnchor.FindStringSubmatch(text); m != nil {
		before, _, _ := bytes.Cut(r.source, []byte("*"+m[1]))
		at := diag.Position{
			File: r.path, Line: bytes.Count(before, []byte("\n")) + 1, Width: utf8.RuneCountInString(m[1]) + 1,
			Column: utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1,
		}
		r.fail("P001 anchor", at, m[1])
	}
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		line, _ = strconv.Atoi(m[1])
		if strings.Contains(text, "did not find expected") { // the parser's marks count from 0
			line++
		}
	}
	r.fail("P001 syntax", r.lineAt(line), text)
}

// lineAt is a whole line, from its first column.
func (r *reader) lineAt(line int) diag.Position {
	line = min(max(line, 1), len(r.lines))
	return diag.Position{File: r.path, Line: line, Column: 1, Width: len(r.lines[line-1])}
}
