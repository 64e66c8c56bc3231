package generator

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	query "github.com/pganalyze/pg_query_go/v6"

	"pgretain/internal/catalog"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/policy"
	"pgretain/tests/fixture"
)

// TestForm holds what is true of everything that is generated, in all golden cases.
func TestForm(t *testing.T) {
	t.Parallel()
	for _, c := range cases(t, "golden", 1) {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			hostile := strings.HasPrefix(c.Name, "hostile")
			objects := compileCase(t, c)
			for _, o := range objects {
				if o.Instances != nil {
					objects = append(objects, o.Instances.Objects...)
				}
			}
			for _, o := range objects {
				texts := map[string]string{"SQL": o.SQL, "Drop": o.Drop}
				if isPartOfScript(o) { // dropped with its page
					delete(texts, "Drop")
				}
				for what, sql := range texts {
					for _, fault := range faults(strings.ReplaceAll(memberPage.ReplaceAllString(sql, "''"),
						o.Policy+"_", "p_"), hostile) {
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

// memberPage is the page of a policy for each schema, whose objects are looked at one by one.
var memberPage = regexp.MustCompile(`(?s)\$page\$.*\$page\$`)

var quotedText = regexp.MustCompile(`'(?:[^']|'')*'`)

// bodyError is what is wrong with the syntax of the plpgsql functions that a text creates.
func bodyError(sql string) error {
	parsed, err := query.ParsePlPgSqlToJSON(sql)
	if err == nil && !strings.Contains(parsed, "PLpgSQL_function") {
		err = errors.New("there is no plpgsql function")
	}
	return err
}

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
			if err := bodyError(statement); err != nil {
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
		case strings.HasPrefix(strings.TrimSpace(line), ","), strings.HasSuffix(line, " AND"), strings.HasSuffix(line,
			" OR"):
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
	for _, c := range cases(t, "golden", 1) {
		for _, o := range compileCase(t, c) {
			name := o.Name
			if o.Kind == KindFunction || o.Kind == KindIndex {
				_, name, _ = strings.Cut(strings.SplitN(o.Name, "(", 2)[0], ".")
			}
			if o.Kind != KindPrivilege && o.Kind != KindColumn && len(name) > 63 {
				t.Errorf("%s: %s %s has %d bytes", c.Name, o.Kind, name, len(name))
			}
			if o.Kind == KindIndex && len(name+"_invalid") > 63 {
				t.Errorf("%s: %s leaves no room for the mark of an invalid index", c.Name, quote.Ident(name))
			}
		}
	}
}

// init looks at all that any test renders: what comes from users reaches a template only as an
// identifier, a literal, parsed SQL, a number or a boolean, never as plain text.
func init() {
	inspect = func(template string, data any) {
		if path := plainTextIn(reflect.ValueOf(data)); path != "" {
			panic("template " + template + " reads plain text: " + path)
		}
	}
}

// plainTexts has for each type the path to a field that is plain text, "" for none.
var plainTexts sync.Map

// plainTextIn is the path to a plain text in what a template reads, "" for none.
func plainTextIn(v reflect.Value) string {
	for v.IsValid() && (v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer) {
		v = v.Elem()
	}
	if !v.IsValid() {
		return ""
	}
	if m, ok := v.Interface().(fields); ok {
		for name, value := range m {
			if path := plainTextIn(reflect.ValueOf(value)); path != "" {
				return name + " " + path
			}
		}
		return ""
	}
	if list, ok := v.Interface().([]fields); ok {
		for _, m := range list {
			if path := plainTextIn(reflect.ValueOf(m)); path != "" {
				return path
			}
		}
		return ""
	}
	path, known := plainTexts.Load(v.Type())
	if !known {
		path = plainTextOf(v.Type(), map[reflect.Type]bool{})
		plainTexts.Store(v.Type(), path)
	}
	return path.(string)
}

// plainTextOf is the same of a type; fields that are no template's business have small letters.
func plainTextOf(typ reflect.Type, seen map[reflect.Type]bool) string {
	switch typ.Kind() {
	case reflect.Slice, reflect.Pointer:
		return plainTextOf(typ.Elem(), seen)
	case reflect.String:
		if typ == reflect.TypeFor[string]() {
			return "is plain text"
		}
	case reflect.Struct:
		for i := range typ.NumField() {
			if field := typ.Field(i); field.IsExported() && !seen[typ] {
				seen[typ] = true
				if path := plainTextOf(field.Type, seen); path != "" {
					return typ.Name() + "." + field.Name + " " + path
				}
				seen[typ] = false
			}
		}
	}
	return ""
}

// TestStepKinds generates each kind of step that a policy may have, as what the registry calls it.
func TestStepKinds(t *testing.T) {
	t.Parallel()
	c := newCompiler(&policy.File{}, &catalog.Snapshot{}, nil)
	w := &policyCompiler{binder: binder{compiler: c, policy: &policy.Policy{}, table: &catalog.Table{}}}
	for field := range reflect.TypeFor[policy.Step]().Fields() {
		if field.Type.Kind() != reflect.Pointer || field.Name == "Where" || field.Name == "Related" {
			continue
		}
		s, kind := policy.Step{}, reflect.New(field.Type.Elem())
		if e, ok := kind.Interface().(*policy.Expr); ok {
			e.SQL = "SELECT FROM batch"
		}
		reflect.ValueOf(&s).Elem().FieldByIndex(field.Index).Set(kind)
		if made := w.stepOf(s); made.verb == "" || made.render == nil {
			t.Errorf("nothing generates %s", field.Name)
		}
	}
}

// TestCommentsStayComments tries what ends a line somewhere.
func TestCommentsStayComments(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a\nb", "a\r\nb", "a\x00b", "a\u2028b", "a\u2029b", "a\u0085b", "a\vb", "a\fb"} {
		if got := quote.Comment(text); got != "a b" && got != "a  b" {
			t.Errorf("Comment(%q) = %q", text, got)
		}
	}
}

// TestDollarQuote quotes texts that contain the usual quotes.
func TestDollarQuote(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "$function$", "$$": "$function$", "a $function$": "$function1$", "$function1$ $function$": "$function2$",
	} {
		if got := dollarQuote(text, "function"); got != want {
			t.Errorf("%q is quoted by %q, want %q", text, got, want)
		}
	}
}

// TestLayout hangs fragments inside fragments, and joins lines of an expression.
func TestLayout(t *testing.T) {
	t.Parallel()
	inner := indented("EXISTS (\n    b)")
	outer := indented("é(a\n AND " + string(inner) + ")")
	if got, want := layout("  x "+string(outer)+"\ny"), "  x é(a\n     AND EXISTS (\n             b))\ny"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for sql, want := range map[string]string{
		"a\n  AND b\n": "a AND b", "a  b": "a  b", "\r\n\ta\r\n\r\nb": "a b", "'x  y'\n|| b": "'x  y' || b",
	} {
		if got := oneLine(sql); got != want {
			t.Errorf("oneLine(%q) = %q, want %q", sql, got, want)
		}
	}
}

// TestBodies parses the body of every plpgsql function of the examples and of the jobs of real
// projects. It takes a millisecond or more a function, too long for lint: there the server does it,
// with --sandbox.
func TestBodies(t *testing.T) {
	t.Parallel()
	bodies := 0
	for _, project := range fixture.Projects(t, "..") {
		for _, o := range compileProject(t, project) {
			if o.Kind != KindFunction || o.Policy == "" || !strings.Contains(o.SQL, "LANGUAGE plpgsql") {
				continue
			}
			bodies++
			if err := bodyError(o.SQL); err != nil {
				t.Errorf("%s: %s: %v", project.Name, o.Name, err)
			}
		}
	}
	if bodies < 200 {
		t.Errorf("%d bodies only", bodies)
	}
}

// TestVariablesAreReserved: a column with the name of a variable would be taken for it.
func TestVariablesAreReserved(t *testing.T) {
	t.Parallel()
	declared, seen := regexp.MustCompile(`(?m)(?:^    (?:    )?|; |^DECLARE |OUT )(v_\w+) [a-z]`), map[string]bool{}
	for _, project := range fixture.Projects(t, "..") {
		for _, o := range compileProject(t, project) {
			if o.Kind != KindFunction || o.Policy == "" || !strings.HasSuffix(o.Name, "_take(retention.batch_range)") {
				continue
			}
			for _, found := range declared.FindAllStringSubmatch(o.SQL, -1) {
				if seen[found[1]] = true; !isGeneratedName(found[1]) {
					t.Errorf("%s: %s: %s is not reserved", project.Name, o.Name, found[1])
				}
			}
		}
	}
	if len(seen) < 10 {
		t.Errorf("%d variables only", len(seen))
	}
}

func compileProject(t *testing.T, project *fixture.Case) []Object {
	t.Helper()
	file, list := policy.Parse("retention.yaml", []byte(project.Text("retention.yaml")))
	if file == nil {
		t.Fatalf("%s: %+v", project.Name, list)
	}
	snapshot, err := catalog.Read(project.Text(catalog.FileName))
	if err != nil {
		t.Fatal(err)
	}
	objects, list := Compile(file, snapshot, nil)
	if list.HasErrors() {
		t.Fatalf("%s: %+v", project.Name, list)
	}
	return objects
}

// sizes are the most lines that reviewers have to read, of 120 characters each: a longer one counts
// as several.
var sizes = struct {
	runtime, file, plain, richest int
	pages                         []string // of plain policies: an age, a cap
}{runtime: 7000, file: 155, plain: 60, richest: 126, pages: []string{"enqueued_messages_ttl", "enqueued_messages_cap"}}

var pageMark = regexp.MustCompile(`(?m)^-- pgretain: (?:put|drop|end)`)

func TestSizes(t *testing.T) {
	t.Parallel()
	atMost := func(what string, got, most int) {
		t.Helper()
		if got > most {
			t.Errorf("%s has %d lines of %d, more than %d", what, got, textWidth, most)
		}
	}
	atMost("the runtime's migration", linesOf(readSized(t, "../migrations/00001_pgretain_runtime.sql")), sizes.runtime)
	files, err := filepath.Glob("../examples/*/migrations/*_policies.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	found := map[string]int{}
	for _, file := range files {
		text := readSized(t, file)
		if strings.Contains(file, "bot-queue") {
			atMost(file, linesOf(text), sizes.file)
		}
		up, _, _ := strings.Cut(text, "\n"+tools[Goose].downLine)
		for _, object := range pageMark.Split(up, -1) {
			if name, page := strings.CutPrefix(object, ` policy "`); page {
				name, _, _ = strings.Cut(name, `"`)
				found[name] = linesOf(object)
				atMost(file+": page of "+name, found[name], sizes.richest)
			}
		}
	}
	for _, name := range sizes.pages {
		if found[name] == 0 {
			t.Errorf("no page of %s", name)
		}
		atMost("page of "+name, found[name], sizes.plain)
	}
}

func readSized(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func linesOf(text string) int {
	n := 0
	for line := range strings.Lines(strings.TrimSuffix(text, "\n")) {
		n += max(1, (utf8.RuneCountInString(strings.TrimSuffix(line, "\n"))+textWidth-1)/textWidth)
	}
	return n
}
