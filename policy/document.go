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
	"pgretain/internal/messages"
)

// Schema is the JSON Schema (draft 2020-12) of a policy file, for editors. It lists the keys and
// the kind of value that each key takes. SQL and names are checked by Parse only.
//
//go:embed schema.json
var Schema string

// Parse reads and checks a policy file with the given path and content. It uses the path in
// positions only. Parse returns all errors at once, sorted by position; the File is nil if there is
// an error.
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

// version reads the version of the policy language. The only valid version is 1.
type version struct{}

func (*version) read(r *reader, f field) {
	if r.integer(f) != 1 {
		r.fail(messages.UnknownVersion, r.at(f.value))
	}
}

// document parses the YAML and returns its root. Syntax errors of the YAML library become
// diagnostics of this package.
func (r *reader) document() field {
	r.checkCharacters()
	decoder := yaml.NewDecoder(bytes.NewReader(r.source))
	var root, second yaml.Node
	if err := decoder.Decode(&root); err != nil {
		r.syntax(err)
	}
	if err := decoder.Decode(&second); err == nil {
		r.fail(messages.SecondDocument, r.at(&second))
	} else if !errors.Is(err, io.EOF) {
		r.syntax(err)
	}
	r.checkVisible(root.Content[0])
	return field{value: root.Content[0]}
}

// checkVisible refuses texts with invisible characters, and texts with so many blanks in a row that
// a reviewer may overlook what follows. It checks decoded values, because escapes can also write
// such characters.
func (r *reader) checkVisible(node *yaml.Node) {
	// another check reports the NUL character: messages.ContainsNul
	if node.Kind == yaml.ScalarNode && !strings.ContainsRune(node.Value, 0) && diag.HiddenIn(node.Value) >= 0 {
		r.fail(messages.HiddenCharacter(diag.MostBlanks), r.at(node))
	}
	for _, inner := range node.Content {
		r.checkVisible(inner)
	}
}

// checkCharacters refuses two kinds of characters: characters for which the YAML library reports no
// position, and line breaks that editors do not count as line breaks.
func (r *reader) checkCharacters() {
	refused := func(c rune) bool { return c == utf8.RuneError || c != '\t' && diag.Hidden(c) }
	for i, line := range r.lines {
		if j := slices.IndexFunc(line, refused); j >= 0 {
			r.fail(messages.RefusedCharacter, diag.Position{File: r.path, Line: i + 1, Column: j + 1, Width: 1})
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
		r.fail(messages.EmptyFile, r.lineAt(1))
	}
	if m := yamlAnchor.FindStringSubmatch(text); m != nil {
		before, _, _ := bytes.Cut(r.source, []byte("*"+m[1]))
		at := diag.Position{
			File: r.path, Line: bytes.Count(before, []byte("\n")) + 1, Width: utf8.RuneCountInString(m[1]) + 1,
			Column: utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1,
		}
		r.fail(messages.UnknownAnchor(m[1]), at)
	}
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		line, _ = strconv.Atoi(m[1])
		// the line numbers in the parser's message start at 0
		if strings.Contains(text, "did not find expected") {
			line++
		}
	}
	r.fail(messages.InvalidSyntax(text), r.lineAt(line))
}

// lineAt returns the position of a whole line, from its first column.
func (r *reader) lineAt(line int) diag.Position {
	line = min(max(line, 1), len(r.lines))
	return diag.Position{File: r.path, Line: line, Column: 1, Width: len(r.lines[line-1])}
}
