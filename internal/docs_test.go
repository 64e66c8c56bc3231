package internal_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/policy"
	"pgretain/tests/fixture"
)

var (
	codeBlock   = regexp.MustCompile("(?ms)^```.*?^```")
	pageLink    = regexp.MustCompile(`\]\(([^)#:\s]*)(#[^)\s]+)?\)`)
	pageHeading = regexp.MustCompile(`(?m)^#+ (.*)$`)
)

// scripted matches a command that gives psql a script, by a pipe or by a file.
var scripted = regexp.MustCompile(`\w \| psql\b.*|^ +psql -v.*|\bpsql\b.* (-f|--file)\b.*`)

// TestPsqlStopsAtAnError checks that psql ends with an error if a statement of a script fails.
// Otherwise psql continues, and its exit code is 0.
func TestPsqlStopsAtAnError(t *testing.T) {
	t.Parallel()
	found := 0
	texts := append(fixture.Documents(t, ".."), "../cmd/pgretain/texts.txt.tmpl")
	for _, page := range texts {
		for line := range strings.Lines(fixture.ReadFile(t, page)) {
			if strings.HasPrefix(line, "|") { // a row of a table
				continue
			}
			for _, command := range scripted.FindAllString(line, -1) {
				found++
				if !strings.Contains(command, "-v ON_ERROR_STOP=1") {
					t.Errorf("%s: %s lacks -v ON_ERROR_STOP=1", page, command)
				}
			}
		}
	}
	if found < 10 {
		t.Errorf("found %d commands, want at least 10", found)
	}
}

// TestLinks checks the relative links of all Markdown pages. The linked file, and the linked
// heading, must exist. docs/index.md must link to every page of docs.
func TestLinks(t *testing.T) {
	t.Parallel()
	links := 0
	for _, page := range fixture.Documents(t, "..") {
		for _, link := range pageLink.FindAllStringSubmatch(codeBlock.ReplaceAllString(fixture.ReadFile(t, page), ""),
			-1) {
			links++
			target := page
			if link[1] != "" {
				target = filepath.Join(filepath.Dir(page), link[1])
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: link to %s: %v", page, link[1], err)
			} else if link[2] != "" && !anchors(fixture.ReadFile(t, target))[link[2][1:]] {
				t.Errorf("%s: %s has no heading %s", page, target, link[2])
			}
		}
	}
	if links < 200 {
		t.Errorf("found %d links, want at least 200", links)
	}
	index := fixture.ReadFile(t, "../docs/index.md")
	for _, page := range fixture.Documents(t, "..") {
		if name := filepath.Base(page); filepath.Dir(page) == "../docs" && name != "index.md" &&
			!strings.Contains(index, "]("+name+")") {
			t.Errorf("docs/index.md has no link to %s", name)
		}
	}
}

// anchors returns the fragments that GitHub generates for the headings of a page.
func anchors(page string) map[string]bool {
	list := map[string]bool{}
	for _, heading := range pageHeading.FindAllStringSubmatch(codeBlock.ReplaceAllString(page, ""), -1) {
		anchor := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(heading[1]), "")
		list[strings.ReplaceAll(anchor, " ", "-")] = true
	}
	return list
}

// TestContributing checks that the paths, types, templates, golden files and tests that
// CONTRIBUTING.md names exist.
func TestContributing(t *testing.T) {
	t.Parallel()
	page := fixture.ReadFile(t, "../CONTRIBUTING.md")
	exists := func(path string) {
		t.Helper()
		if _, err := os.Stat(filepath.Join("..", path)); err != nil {
			t.Errorf("CONTRIBUTING.md: %v", err)
		}
	}
	paths := regexp.MustCompile("`((?:policy|generator|verifier|internal|tests|templates|docs|sql)(?:/[a-z_0-9./]*)?)`")
	for _, path := range paths.FindAllStringSubmatch(page, -1) {
		if !strings.HasPrefix(path[1], "sql/upgrades") {
			exists(path[1])
		}
	}
	source := sources(t, "../policy", "")
	tests := sources(t, "..", "_test")
	_, table, _ := strings.Cut(page, "| construct | type in `policy` |")
	table, _, _ = strings.Cut(table, "\n\n")
	rows := strings.Split(table, "\n")[2:]
	if len(rows) < 25 {
		t.Fatalf("the table of constructs has %d rows, want at least 25", len(rows))
	}
	word := regexp.MustCompile("`([A-Za-z_]+)`")
	for _, row := range rows {
		cells := strings.Split(row, " | ")
		for _, name := range word.FindAllStringSubmatch(cells[1], -1) {
			if !regexp.MustCompile(`(?m)^(type |\t)` + name[1] + ` +(struct|=)`).MatchString(source) {
				t.Errorf("CONTRIBUTING.md: package policy has no type %s", name[1])
			}
		}
		for _, name := range word.FindAllStringSubmatch(cells[2], -1) {
			exists("templates/" + name[1] + ".sql.tmpl")
		}
		for _, name := range word.FindAllStringSubmatch(cells[3], -1) {
			exists("generator/testdata/golden/" + name[1] + ".txtar")
		}
	}
	for _, name := range regexp.MustCompile(`\bTest[A-Z]\w+`).FindAllString(page, -1) {
		if !strings.Contains(tests, "\nfunc "+name+"(t ") {
			t.Errorf("CONTRIBUTING.md: there is no test %s", name)
		}
	}
}

// sources returns the text of the Go files below a directory whose names end in suffix.go.
func sources(t *testing.T, directory, suffix string) string {
	t.Helper()
	var text strings.Builder
	err := filepath.WalkDir(directory, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, suffix+".go") {
			text.WriteString(fixture.ReadFile(t, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// TestReadmeShowsWhatIsGenerated checks the two excerpts in README.md. The SQL must occur in an
// object of the bot-queue example, and the policy must be valid.
func TestReadmeShowsWhatIsGenerated(t *testing.T) {
	t.Parallel()
	readme := fixture.ReadFile(t, "../README.md")
	statement := block(t, readme, "sql")
	file, diags := policy.Parse("retention.yaml", []byte(fixture.ReadFile(t, "../examples/bot-queue/retention.yaml")))
	if file == nil {
		t.Fatal(diags)
	}
	snapshot, err := catalog.Read(fixture.ReadFile(t, "../examples/bot-queue", catalog.FileName))
	if err != nil {
		t.Fatal(err)
	}
	objects, diags := generator.Compile(file, snapshot, nil)
	if len(objects) == 0 || diags.HasErrors() {
		t.Fatal(diags)
	}
	if !slices.ContainsFunc(objects, func(o generator.Object) bool { return strings.Contains(o.SQL, statement) }) {
		t.Errorf("no object of the example contains the statement of README.md:\n%s", statement)
	}
	if file, diags := policy.Parse("README.md", []byte(block(t, readme, "yaml"))); file == nil {
		t.Errorf("the policy of README.md is not valid: %v", diags)
	}
}

// block returns the first fenced block of a language.
func block(t *testing.T, text, language string) string {
	t.Helper()
	found := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("README.md has no block of %s", language)
	}
	return found[1]
}
