package generator

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	query "github.com/pganalyze/pg_query_go/v6"

	"pgretain/internal/catalog"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/policy"
	"pgretain/tests/fixture"
)

// TestForm checks the syntax and the layout of all generated SQL, in all golden cases.
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
				if isPartOfScript(o) { // the script of the policy drops it
					delete(texts, "Drop")
				}
				for what, sql := range texts {
					sql = instanceScript.ReplaceAllString(sql, "''")
					for _, fault := range faults(strings.ReplaceAll(sql, o.Policy+"_", "p_"), hostile) {
						t.Errorf("%s of %s %s: %s", what, o.Kind, o.Name, fault)
					}
				}
			}
		})
	}
}

// faults lists what is wrong with a generated text. Only hostile cases may contain template
// delimiters and long names, because a policy contains them.
func faults(sql string, hostile bool) []string {
	found := append(notSQL(sql), layoutFaults(sql)...)
	if strings.Contains(sql, "<no value>") || !hostile && strings.Contains(sql, "{{") {
		found = append(found, "a template action was not executed")
	}
	withoutText := quotedText.ReplaceAllString(rowText.ReplaceAllString(sql, ""), "''")
	for _, name := range regexp.MustCompile(`"(?:[^"]|"")+"`).FindAllString(withoutText, -1) {
		if plain := strings.ReplaceAll(name[1:len(name)-1], `""`, `"`); !hostile && len(plain) > 63 {
			found = append(found, "a name is too long: "+name)
		}
	}
	return found
}

// rowText matches a registry row in JSON.
var rowText = regexp.MustCompile(`(?s)\$row\$.*\$row\$`)

// instanceScript matches the script of a policy for each schema. The test checks the objects of
// this script one by one.
var instanceScript = regexp.MustCompile(`(?s)\$script\$.*\$script\$`)

var quotedText = regexp.MustCompile(`'(?:[^']|'')*'`)

// bodyError returns the syntax error of the PL/pgSQL functions that a text creates.
func bodyError(sql string) error {
	parsed, err := query.ParsePlPgSqlToJSON(sql)
	if err == nil && !strings.Contains(parsed, "PLpgSQL_function") {
		err = errors.New("there is no plpgsql function")
	}
	return err
}

// notSQL returns the syntax errors of a text. It parses every statement, and the body of every
// function.
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

// layoutFaults returns the lines whose layout a reader of the SQL would stumble over.
func layoutFaults(sql string) []string {
	var found []string
	if !strings.HasSuffix(sql, "\n") || strings.HasSuffix(sql, "\n\n") || strings.Contains(sql, "\n\n\n") {
		found = append(found, "does not end with one line break, or has two blank lines")
	}
	if !utf8.ValidString(sql) || strings.ContainsAny(sql, "\r\t\x00") {
		found = append(found, "has a tab, a carriage return or a byte that is not UTF-8")
	}
	for line := range strings.Lines(sql) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.TrimRight(line, " ") != line:
			found = append(found, fmt.Sprintf("trailing blanks: %q", line))
		case strings.HasPrefix(strings.TrimSpace(line), ","), strings.HasSuffix(line, " AND"),
			strings.HasSuffix(line, " OR"):
			found = append(found, fmt.Sprintf("line begins with a comma, or ends with AND or OR: %q", line))
		case utf8.RuneCountInString(line) > 120 && !strings.ContainsAny(line, `"'`) && !strings.HasPrefix(line, "--"):
			found = append(found, fmt.Sprintf("line is too wide: %q", line))
		case doubled.MatchString(line) && !strings.Contains(line, "row_number() OVER ()"):
			found = append(found, fmt.Sprintf("parentheses in parentheses: %q", line))
		}
	}
	return found
}

// TestNames checks that PostgreSQL does not truncate the name of any generated object.
func TestNames(t *testing.T) {
	t.Parallel()
	for _, c := range cases(t, "golden", 1) {
		for _, o := range compileCase(t, c) {
			name := o.Name
			if o.Kind == KindFunction || o.Kind == KindIndex {
				_, name, _ = strings.Cut(strings.SplitN(o.Name, "(", 2)[0], ".")
			}
			if o.Kind != KindPrivilege && o.Kind != KindColumn && len(name) > 63 {
				t.Errorf("%s: name of %s %s has %d bytes, want at most 63", c.Name, o.Kind, name, len(name))
			}
			if o.Kind == KindIndex && len(name+"_invalid") > 63 {
				t.Errorf("%s: name of index %s is too long for the suffix _invalid", c.Name, quote.Ident(name))
			}
		}
	}
}

// init sets inspect, which checks the data of every template that any test renders. Text from users
// must be an identifier, a literal, parsed SQL, a number or a boolean, and never a plain string.
// Each field that the template names must be a field of the data.
func init() {
	inspect = func(template string, data any) {
		checkFields(template, reflect.TypeOf(data))
		if path := plainTextIn(reflect.ValueOf(data)); path != "" {
			panic("template " + template + " reads a plain string: " + path)
		}
	}
}

// plainTexts maps a type to the path of a field that is a plain string; "" if there is none.
var plainTexts sync.Map

// plainTextIn returns the path to a plain string in the data of a template; "" if there is none.
func plainTextIn(v reflect.Value) string {
	for v.IsValid() && (v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer) {
		v = v.Elem()
	}
	if !v.IsValid() {
		return ""
	}
	path, known := plainTexts.Load(v.Type())
	if !known {
		path = plainTextOf(v.Type(), map[reflect.Type]bool{})
		plainTexts.Store(v.Type(), path)
	}
	return path.(string)
}

// plainTextOf returns the path to an exported field of a type that is a plain string; "" if there
// is none. Templates cannot read other fields.
func plainTextOf(typ reflect.Type, seen map[reflect.Type]bool) string {
	switch typ.Kind() {
	case reflect.Slice, reflect.Pointer:
		return plainTextOf(typ.Elem(), seen)
	case reflect.Interface:
		return "may be a plain string"
	case reflect.String:
		if typ == reflect.TypeFor[string]() {
			return "is a plain string"
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

// TestStepKinds checks that stepOf knows each kind of step that policy.Step can have.
func TestStepKinds(t *testing.T) {
	t.Parallel()
	c := newCompiler(&policy.File{}, &catalog.Snapshot{}, nil)
	w := &policyCompiler{binder: binder{compiler: c, policy: &policy.Policy{}, table: &catalog.Table{}}}
	file, list := policy.Parse("retention.yaml", []byte(`version: 1
policies: {p: {table: note, where: "true", then: [delete, sql: "INSERT INTO app.log SELECT id FROM batch"]}}
`))
	if len(list) > 0 {
		t.Fatal(list)
	}
	for field := range reflect.TypeFor[policy.Step]().Fields() {
		if field.Type.Kind() != reflect.Pointer || field.Name == "Where" || field.Name == "Related" {
			continue
		}
		s, kind := policy.Step{}, reflect.New(field.Type.Elem())
		if e, ok := kind.Interface().(*policy.Expr); ok {
			*e = *file.Policies[0].Then[1].SQL
		}
		reflect.ValueOf(&s).Elem().FieldByIndex(field.Index).Set(kind)
		if made := w.stepOf(s); made.verb == "" || made.render == nil {
			t.Errorf("stepOf does not set verb and render for %s", field.Name)
		}
	}
}

// TestCommentsStayComments checks that quote.Comment replaces every character that ends a line in
// PostgreSQL, in a migration tool or in an editor.
func TestCommentsStayComments(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a\nb", "a\r\nb", "a\x00b", "a\u2028b", "a\u2029b", "a\u0085b", "a\vb", "a\fb"} {
		if got := quote.Comment(text); got != "a b" && got != "a  b" {
			t.Errorf("Comment(%q) = %q, want \"a b\"", text, got)
		}
	}
}

// TestDollarQuote checks that dollarQuote returns a quote that the text does not contain.
func TestDollarQuote(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                       "$function$",
		"$$":                     "$function$",
		"a $function$":           "$function1$",
		"$function1$ $function$": "$function2$",
	} {
		if got := dollarQuote(text, "function"); got != want {
			t.Errorf("dollarQuote(%q) = %q, want %q", text, got, want)
		}
	}
}

// TestLayout checks that layout indents fragments inside fragments, and that oneLine joins lines.
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

// TestBodies parses the body of every PL/pgSQL function of the example projects. Parsing one
// function takes a millisecond or more. That is too slow for "pgretain lint", in which only
// "--sandbox" checks the bodies.
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
		t.Errorf("got %d function bodies, want at least 200", bodies)
	}
}

// TestVariablesAreReserved checks that isGeneratedName knows all variables of the functions that
// take rows. Otherwise a column of such a name would be confused with the variable.
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
					t.Errorf("%s: isGeneratedName does not know variable %s of %s", project.Name, found[1], o.Name)
				}
			}
		}
	}
	if len(seen) < 10 {
		t.Errorf("got %d variables, want at least 10", len(seen))
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

// sizes are the numbers of lines that reviewers have to read at most. A line of more than 120
// characters counts as several lines.
var sizes = struct {
	runtime, file, plain, richest int
	scripts                       []string // policies that have one age or one rank and nothing else
}{runtime: 8800, file: 170, plain: 66, richest: 159,
	scripts: []string{"enqueued_messages_ttl", "enqueued_messages_cap"}}

var objectMark = regexp.MustCompile(`(?m)^-- pgretain: (?:put|drop|end)`)

// TestSizes checks that the migrations of the runtime and of the examples do not exceed sizes.
func TestSizes(t *testing.T) {
	t.Parallel()
	atMost := func(what string, got, most int) {
		t.Helper()
		if got > most {
			t.Errorf("%s has %d lines of %d, more than %d", what, got, textWidth, most)
		}
	}
	runtime := fixture.ReadFile(t, "../migrations/00001_pgretain_runtime.sql")
	atMost("the runtime's migration", linesOf(withoutGoose(runtime)), sizes.runtime)
	found := map[string]int{}
	for _, project := range fixture.Examples(t, "..") {
		history, err := Read(fstest.MapFS{})
		if err != nil {
			t.Fatal(err)
		}
		files, err := Next(history, compileProject(t, project), NextOptions{})
		if err != nil {
			t.Fatal(err)
		}
		text := withoutGoose(files[len(files)-1].Text)
		if project.Name == "bot-queue" {
			atMost(project.Name, linesOf(text), sizes.file)
		}
		up, _, _ := strings.Cut(text, "\n"+tools[Goose].downLine)
		for _, object := range objectMark.Split(up, -1) {
			if name, isPolicy := strings.CutPrefix(object, ` policy "`); isPolicy {
				name, _, _ = strings.Cut(name, `"`)
				found[name] = linesOf(object)
				atMost(project.Name+": script of "+name, found[name], sizes.richest)
			}
		}
	}
	for _, name := range sizes.scripts {
		if found[name] == 0 {
			t.Errorf("got no script of policy %s", name)
		}
		atMost("script of "+name, found[name], sizes.plain)
	}
}

// withoutGoose removes the lines of a migration that only goose reads.
func withoutGoose(text string) string { return frameLine.ReplaceAllString(text, "") }

// linesOf returns the number of lines of a text. A line that is wider than textWidth counts as
// several lines.
func linesOf(text string) int {
	n := 0
	for line := range strings.Lines(strings.TrimSuffix(text, "\n")) {
		n += max(1, (utf8.RuneCountInString(strings.TrimSuffix(line, "\n"))+textWidth-1)/textWidth)
	}
	return n
}
