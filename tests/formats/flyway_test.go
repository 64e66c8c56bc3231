package formats

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"pgretain/internal/pgparse"
)

// The patterns follow Flyway's documentation and the rules of its parser. The tests do not run
// Flyway. https://documentation.red-gate.com/fd/migrations-271585107.html
var (
	versioned     = regexp.MustCompile(`^V([0-9]+)__[A-Za-z0-9_]+\.sql$`)
	undo          = regexp.MustCompile(`^U([0-9]+)__[A-Za-z0-9_]+\.sql$`)
	script        = regexp.MustCompile(`^[UV][0-9]+__[A-Za-z0-9_]+\.sql\.conf$`)
	noTransaction = regexp.MustCompile(`(?im)^\s*(CREATE|DROP)( UNIQUE)? INDEX CONCURRENTLY`)
)

// flywayNames returns the names of the versioned migrations, ordered by version.
func flywayNames(dir fstest.MapFS) []string {
	version := func(name string) int {
		n, _ := strconv.Atoi(versioned.FindStringSubmatch(name)[1])
		return n
	}
	list := slices.DeleteFunc(names(dir, ".sql"), func(name string) bool { return !versioned.MatchString(name) })
	slices.SortFunc(list, func(a, b string) int { return cmp.Compare(version(a), version(b)) })
	return list
}

// checkFlyway checks that Flyway accepts the names and contents of all files of a directory.
func checkFlyway(t *testing.T, dir fstest.MapFS) {
	t.Helper()
	for name, file := range dir {
		switch {
		case script.MatchString(name):
			if dir[strings.TrimSuffix(name, ".conf")] == nil {
				t.Errorf("%s configures a migration that does not exist", name)
			}
			continue
		case versioned.MatchString(name):
			if dir["U"+name[1:]] == nil {
				t.Errorf("%s has no undo migration", name)
			}
		case !undo.MatchString(name):
			t.Errorf("%s is not a file name that Flyway reads", name)
		}
		checkScript(t, name, string(file.Data), configuration(t, dir, name))
	}
}

func checkScript(t *testing.T, name, text string, settings map[string]string) {
	t.Helper()
	if got := settings["executeInTransaction"] == "false"; got != noTransaction.MatchString(text) {
		t.Errorf("%s: executeInTransaction is false: %t, the file has CONCURRENTLY: %t", name, got, !got)
	}
	if strings.Contains(text, "${") && settings["placeholderReplacement"] != "false" {
		t.Errorf("%s has \"${\", but does not set placeholderReplacement=false", name)
	}
	want, err := pgparse.Statements(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if got := flywaySplit(text); got != len(want) {
		t.Errorf("Flyway finds %d statements in %s, PostgreSQL %d", got, name, len(want))
	}
}

// configuration reads the script configuration of a file. It has lines of key=value, and comments.
func configuration(t *testing.T, dir fstest.MapFS, name string) map[string]string {
	t.Helper()
	settings := map[string]string{}
	if dir[name+".conf"] == nil {
		return settings
	}
	for line := range strings.Lines(string(dir[name+".conf"].Data)) {
		line = strings.TrimSpace(line)
		key, value, ok := strings.Cut(line, "=")
		switch {
		case strings.HasPrefix(line, "#"):
		case !ok || key != "executeInTransaction" && key != "placeholderReplacement":
			t.Errorf("%s.conf has a line that is not an expected setting: %s", name, line)
		default:
			settings[key] = value
		}
	}
	return settings
}

// flywaySplit counts the statements that Flyway's parser for PostgreSQL finds. A dollar sign always
// begins a quoted string there. E'...' has escapes only with a capital E. Comments nest.
func flywaySplit(text string) int {
	count, filled, word := 0, false, false
	for len(text) > 0 {
		size := 1
		switch c := text[0]; {
		case strings.HasPrefix(text, "--"):
			size = until(text, "\n")
		case strings.HasPrefix(text, "/*"):
			size = nested(text)
		case c == '$':
			tag := text[:1+until(text[1:], "$")]
			size, filled = len(tag)+until(text[len(tag):], tag), true
		case c == '\'' || c == '"':
			size, filled = quoted(text, c, false), true
		case !word && (strings.HasPrefix(text, "E'") || strings.HasPrefix(text, "B'") || strings.HasPrefix(text, "X'")):
			size, filled = 1+quoted(text[1:], '\'', true), true
		case c == ';':
			if filled {
				count++
			}
			filled = false
		case c != ' ' && c != '\n':
			filled = true
		}
		word = size == 1 && (text[0] == '_' || text[0] >= 'A')
		text = text[size:]
	}
	if filled {
		count++
	}
	return count
}

// until returns the length of text up to and including end, or of all of it without an end.
func until(text, end string) int {
	if i := strings.Index(text, end); i >= 0 {
		return i + len(end)
	}
	return len(text)
}

func quoted(text string, quote byte, escapes bool) int {
	for i := 1; i < len(text); i++ {
		switch {
		case escapes && text[i] == '\\':
			i++
		case text[i] == quote && i+1 < len(text) && text[i+1] == quote:
			i++
		case text[i] == quote:
			return i + 1
		}
	}
	return len(text)
}

func nested(text string) int {
	depth := 0
	for i := 0; i+1 < len(text); i++ {
		switch text[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			depth--
			i++
			if depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}
