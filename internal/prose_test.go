package internal_test

import (
	"bufio"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/fixture"
)

var updateLong = flag.Bool("update-long", false, "write testdata/long_lines.txt again; it may only get shorter")

const (
	proseWidth = 100 // columns of a line of a comment, or of a paragraph in Markdown
	codeWidth  = 120 // columns of any other line
	tabWidth   = 4
)

// generated matches files that are test data or that the generator writes.
var generated = regexp.MustCompile(
	`(^|/)testdata/|^migrations/.*\.sql$|^generator/statements\.txt$`)

// unwanted matches words that readers stumble over. CONTRIBUTING.md has a glossary of better ones.
var unwanted = regexp.MustCompile(
	`(?i)\b(?:ma(?:de|kes?) anew|not to be had|pass(?:es|ed)? by|go(?:es)? by|of which|a word of)\b`)

// plainWhich matches phrases that are easy to read although they have an unwanted word.
var plainWhich = regexp.MustCompile(`(?i)\b(?:all|any|both|each|none|one|some) of which\b`)

// TestProseLines checks that no file has too long lines, except the files in testdata/long_lines.txt.
func TestProseLines(t *testing.T) {
	t.Parallel()
	long := map[string]bool{}
	eachLine(t, func(file string, number int, text string, prose bool) {
		most := codeWidth
		if prose {
			most = proseWidth
		}
		if columns(text) > most && !strings.Contains(text, "://") {
			long[file] = true
		}
	})
	got := slices.Sorted(maps.Keys(long))
	if *updateLong {
		if err := os.WriteFile("testdata/long_lines.txt", []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := strings.Fields(fixture.ReadFile(t, "testdata/long_lines.txt"))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files with lines of more than %d columns of prose or %d of code (-listed +found); break new ones, "+
			"and remove files without any from internal/testdata/long_lines.txt:\n%s", proseWidth, codeWidth, diff)
	}
}

// TestProseWords checks that comments and documentation contain no unwanted word.
func TestProseWords(t *testing.T) {
	t.Parallel()
	eachLine(t, func(file string, number int, text string, prose bool) {
		if word := unwanted.FindString(plainWhich.ReplaceAllString(text, "")); prose && word != "" {
			t.Errorf("%s:%d: %q has to be read twice: %s", file, number, word, strings.TrimSpace(text))
		}
	})
}

// columns returns how wide a line is. A tab counts as tabWidth.
func columns(text string) int {
	return utf8.RuneCountInString(text) + (tabWidth-1)*strings.Count(text, "\t")
}

// eachLine calls visit for each line of the sources and of the documentation. A line is prose if it
// is a whole-line comment, or a line of Markdown outside of code and tables.
func eachLine(t *testing.T, visit func(file string, number int, text string, prose bool)) {
	t.Helper()
	comments := map[string]string{".go": "//", ".sql": "--", ".tmpl": "--", ".sh": "#", ".yml": "#", ".yaml": "#"}
	count := 0
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		file := filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator)))
		extension := filepath.Ext(file)
		mark, known := comments[extension]
		switch {
		case entry.IsDir() && slices.Contains([]string{".git", "bin", "dist"}, entry.Name()):
			return fs.SkipDir
		case entry.IsDir() || generated.MatchString(file) || !known && extension != ".md":
			return nil
		}
		count++
		handle, err := os.Open(path)
		if err != nil {
			return err
		}
		defer handle.Close()
		lines, fenced := bufio.NewScanner(handle), false
		lines.Buffer(nil, 1<<20)
		for number := 1; lines.Scan(); number++ {
			text := lines.Text()
			prose := known && strings.HasPrefix(strings.TrimSpace(text), mark) && !strings.HasPrefix(text, "//go:")
			if extension == ".md" {
				fence := strings.HasPrefix(strings.TrimSpace(text), "```")
				table, indented := strings.HasPrefix(text, "|"), strings.HasPrefix(text, "    ")
				prose = !fenced && !fence && !table && !indented
				fenced = fenced != fence
				if table {
					continue
				}
			}
			visit(file, number, text, prose)
		}
		return lines.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	if count < 500 {
		t.Errorf("only %d files were read", count)
	}
}
