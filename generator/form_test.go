package generator

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
)

// TestForm holds what is true of everything that is generated, in all golden cases.
func TestForm(t *testing.T) {
	t.Parallel()
	for _, dir := range cases(t, "golden", 1) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			hostile := strings.HasPrefix(filepath.Base(dir), "hostile")
			for _, o := range compileCase(t, dir) {
				texts := map[string]string{"SQL": o.SQL, "Drop": o.Drop}
				if ofPage(o) { // dropped with its page
					delete(texts, "Drop")
				}
				for what, sql := range texts {
					for _, fault := range faults(strings.ReplaceAll(sql, o.Policy+"_", "p_"), hostile) {
						t.Errorf("%s of %s %s: %s", what, o.Kind, o.Name, fault)
					}
				}
			}
		})
	}
}

// faults lists what is wrong with a generated text. The policy's own texts may be as wide as they
// are, and have template delimiters in hostile cases.
func faults(sql string, hostile bool) []string {
	found := append(notSQL(sql), misplaced(sql)...)
	if strings.Contains(sql, "<no value>") || !hostile && strings.Contains(sql, "{{") {
		found = append(found, "a template is left")
	}
	for _, name := range regexp.MustCompile(`"(?:[^"]|"")+"`).FindAllString(quotedText.ReplaceAllString(rowText.ReplaceAllString(sql, ""), "''"), -1) {
		if plain := strings.ReplaceAll(name[1:len(name)-1], `""`, `"`); !hostile && len(plain) > 63 {
			found = append(found, "a name is too long: "+name)
		}
	}
	return found
}

// rowText is a row of the registry, as JSON.
var rowText = regexp.MustCompile(`(?s)\$row\$.*\$row\$`)

var quotedText = regexp.MustCompile(`'(?:[^']|'')*'`)

// composite is a variable of a type of the runtime, whose fields a parser without a server does not
// know.
var composite = regexp.MustCompile(`v_out [a-z_]+\.[a-z_]+( := [^;]*)?;`)

// notSQL parses every statement, and the body of every function.
func notSQL(sql string) []string {
	var found []string
	statements, err := pgparse.Statements(sql)
	if err != nil {
		return []string{fmt.Sprintf("%v", err)}
	}
	if len(statements) == 0 {
		found = append(found, "no statement")
	}
	for _, statement := range statements {
		if strings.Contains(statement, "LANGUAGE plpgsql") {
			if err := pgparse.PLpgSQL(composite.ReplaceAllString(statement, "v_out record;")); err != nil {
				found = append(found, fmt.Sprintf("%v", err))
			}
		}
	}
	return found
}

var doubled = regexp.MustCompile(`\(\([^()]*\)\)`)

// misplaced looks at the lines: a DBA reads them.
func misplaced(sql string) []string {
	var found []string
	if !strings.HasSuffix(sql, "\n") || strings.HasSuffix(sql, "\n\n") || strings.Contains(sql, "\n\n\n") {
		found = append(found, "ends with other than one line break, or has two blank lines")
	}
	if !utf8.ValidString(sql) || strings.ContainsAny(sql, "\r\t\x00") {
		found = append(found, "has a tab, a carriage return or a byte that is no UTF-8")
	}
	for line := range strings.Lines(sql) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.TrimRight(line, " ") != line:
			found = append(found, fmt.Sprintf("trailing blanks: %q", line))
		case strings.HasPrefix(strings.TrimSpace(line), ","), strings.HasSuffix(line, " AND"), strings.HasSuffix(line, " OR"):
			found = append(found, fmt.Sprintf("a comma begins or AND ends the line %q", line))
		case utf8.RuneCountInString(line) > 120 && !strings.ContainsAny(line, `"'`) && !strings.HasPrefix(line, "--"):
			found = append(found, fmt.Sprintf("wide: %q", line))
		case doubled.MatchString(line) && !strings.Contains(line, "row_number() OVER ()"):
			found = append(found, fmt.Sprintf("parentheses in parentheses: %q", line))
		}
	}
	return found
}

// TestNames holds that everything made for a policy has a name that PostgreSQL does not cut.
func TestNames(t *testing.T) {
	t.Parallel()
	for _, dir := range cases(t, "golden", 1) {
		for _, o := range compileCase(t, dir) {
			name := o.Name
			if o.Kind == KindFunction || o.Kind == KindIndex {
				_, name, _ = strings.Cut(strings.SplitN(o.Name, "(", 2)[0], ".")
			}
			if o.Kind != KindPrivilege && o.Kind != KindColumn && len(name) > 63 {
				t.Errorf("%s: %s %s has %d bytes", dir, o.Kind, name, len(name))
			}
			if o.Kind == KindIndex && len(name+"_invalid") > 63 {
				t.Errorf("%s: %s leaves no room for the mark of an invalid index", dir, quote.Ident(name))
			}
		}
	}
}
