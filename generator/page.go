package generator

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/pgparse"
	"pgretain/policy"
	sqlfiles "pgretain/sql"
)

// slice is the type of the only argument of most functions.
func (w *pageWriter) slice() string { return w.schema() + ".slice" }

// function is the generated function <policy>_<suffix>(arguments); data is what its template reads besides what all
// functions say of themselves. Where nobody asks for texts it has none: they are most of the work, and can be refused no
// more.
func (w *pageWriter) function(suffix, arguments, template string, data fields) Object {
	name := w.policy.Name + "_" + suffix
	signature := name + "(" + arguments + ")"
	o := Object{
		Kind: KindFunction, Name: w.schema() + "." + signature, As: AsOwner,
		Policy: w.policy.Name, Table: tableName(w.table), Position: w.policy.Position,
	}
	if !w.onlyCheck {
		all := fields{
			"Schema": sqlText(w.schema()), "Function": sqlText(name), "Signature": sqlText(signature), "Policy": sqlText(w.policy.Name),
			"PolicyLiteral": literal(w.policy.Name), "Zone": w.zone(), "SearchPath": identifiers(w.file.Install.SearchPath),
			"Table": qualified(w.table), "TableComment": tableComment(w.table),
		}
		maps.Copy(all, data)
		o.SQL = object(template, all)
	}
	return o.forWorker(w.file.Install.Roles)
}

// forWorker lets the worker call a function that runs as its caller.
func (o Object) forWorker(roles policy.Roles) Object {
	if !roles.None {
		o.Grants = append(o.Grants, roles.Worker)
	}
	return o
}

// forPeople lets operators and viewers, too, call or read an object.
func (c *compiler) forPeople(o Object) Object {
	if roles := c.file.Install.Roles; !roles.None {
		o.Grants = append(o.Grants, roles.Operator, roles.Viewer)
	}
	return o
}

// asMigrator makes an object the migrating role's, for the worker to call.
func (c *compiler) asMigrator(o Object) Object {
	o.As, o.Grants = AsMigrator, nil
	return o.forWorker(c.file.Install.Roles)
}

// storedName is the table that holds a join's rows during a run.
func (w *pageWriter) storedName(j policy.Join) string { return w.policy.Name + "_" + j.Name }

// storedTables are the tables for the joins that are read once per run.
func (w *pageWriter) storedTables() []Object {
	var objects []Object
	for _, j := range w.policy.Joins {
		if !j.OncePerRun() {
			continue
		}
		o := Object{
			Kind: KindStored, Name: w.schema() + "." + w.storedName(j), As: AsOwner,
			SQL: object("stored", fields{"Policy": sqlText(w.policy.Name), "Join": sqlText(j.Name), "Table": w.storedTable(j),
				"Query": w.bindAt(*j.Query, "NULL::timestamptz")}),
			Policy: w.policy.Name, Table: tableName(w.table), Position: j.Position,
		}
		if !w.file.Install.Roles.None {
			o.Writes = []string{"INSERT", "DELETE"}
		}
		objects = append(objects, w.forPeople(o.forWorker(w.file.Install.Roles)))
	}
	return objects
}

// madeForTable are names that PostgreSQL makes for a table: they begin like it.
var madeForTable = regexp.MustCompile(`_(seq|pkey|key|idx|excl)$`)

// checkStored refuses tables of joins whose names are taken: by the runtime, which they would take the place
// of, or by each other.
func (c *compiler) checkStored(runtime, objects []Object) {
	taken := map[string]string{}
	for _, o := range runtime {
		if o.Kind == KindTable || o.Kind == KindView || o.Kind == KindType {
			taken[o.Name] = "of the runtime"
		}
	}
	for _, o := range objects {
		if o.Kind != KindStored {
			continue
		}
		whose, found := taken[o.Name]
		for _, name := range slices.Sorted(maps.Keys(taken)) {
			if !found && strings.HasPrefix(o.Name, name+"_") && madeForTable.MatchString(o.Name) {
				whose, found = taken[name], true
			}
		}
		if found {
			c.refuse(o.Position, codeReservedName, fmt.Sprintf("the rows of this join would be kept in %q, a name %s", o.Name, whose),
				"Give the join, or the policy, another name.")
		}
		taken[o.Name] = fmt.Sprintf("of policy %q", o.Policy)
	}
}

// prepares says whether something is read when a run starts.
func (w *pageWriter) prepares() bool {
	return slices.ContainsFunc(w.clocks, func(k *clock) bool { return k != nil && k.upTo != "" }) ||
		slices.ContainsFunc(w.policy.Joins, policy.Join.OncePerRun)
}

// start is the function that reads joins and ceilings when a run starts; none where there is nothing to read.
func (w *pageWriter) start() []Object {
	if !w.prepares() {
		return nil
	}
	type query struct {
		Table sqlText // or the name of a value
		Query sqlText
	}
	var stored, values []query
	for _, j := range w.policy.Joins {
		if j.OncePerRun() {
			stored = append(stored, query{w.storedTable(j), w.bindQuery(*j.Query)})
		}
	}
	for i, k := range w.clocks {
		if k != nil && k.upTo != "" {
			values = append(values, query{sqlText(ceilingName(i + 1).String()), w.ceiling(k, i+1, false)})
		}
	}
	return []Object{w.function("start", w.slice(), "start", fields{"Stored": stored, "Values": values})}
}

// reports are the functions of the file's reports and their rows in the registry.
func (c *compiler) reports() []Object {
	var objects []Object
	for _, r := range c.file.Reports {
		w := &pageWriter{reliances: reliances{expected: map[string]*expectation{}, named: map[string]bool{}}}
		w.binder = binder{compiler: c, policy: &policy.Policy{Name: r.Name, Position: r.Position}, table: &catalog.Table{}, asOf: "p_as_of"}
		function := w.report(r)
		row := w.policyObject(w.reportFields(r, Hash(sqlfiles.Version, function.SQL, r.Description)))
		row.Position, row.Words = r.Position, words(r)
		objects = append(objects, function, row)
	}
	return objects
}

func (w *pageWriter) report(r *policy.Report) Object {
	data := fields{"ReportLiteral": literal(r.Name), "Query": w.bindQuery(r.Query), "Alert": sqlText("")}
	if parsed, err := pgparse.Query(r.Query.SQL); err == nil { // reported where it is bound
		w.noteReads(r.Query, parsed)
	}
	if r.Alert != nil {
		// Its names are the query's columns, which only the server knows, but for as_of.
		if parsed, ok := w.parse(*r.Alert); ok {
			w.noteReads(*r.Alert, parsed)
			data["Alert"] = spliced(*r.Alert, w.columnEdits(parsed, func(pgparse.ColumnRef) (sqlText, bool) { return "", false }))
		}
	}
	o := w.function("report", "timestamp with time zone", "report", data)
	o.Table = ""
	return w.forPeople(o)
}

// noteReads notes what an expression of a report reads.
func (w *pageWriter) noteReads(e policy.Expr, parsed *pgparse.Expr) {
	w.noteNames(parsed)
	for _, ref := range parsed.Tables {
		w.addRead(e, ref)
		if table := w.lookUp(ref); table != nil && table.Schema != w.schema() {
			w.expected[tableName(table)] = &expectation{Kind: kindOf(table)}
		}
	}
}

// unworded are fields that no page has: names that are in the path, columns, which are objects of their own, and what
// changes no SQL; Order is said by OrderText.
var unworded = map[string]bool{
	"Policy.Name": true, "Report.Name": true, "Guard.Name": true, "Join.Name": true,
	"Policy.Ensure": true, "Policy.Triggers": true, "Rank.Order": true,
}

// plainFields give their parts no name of their own.
var plainFields = map[string]bool{"Entries": true, "Tiers": true, "Clock": true, "Interval": true}

// words are the properties of a policy or report, one a line, in the order of the file: "batch.rows: 500". Whatever means
// the same is said in the same words. None is an annotation of a migration tool.
func words(definition any) []string {
	var list []string
	word("", reflect.ValueOf(definition), func(path, text string) {
		list = append(list, strings.ReplaceAll(comment(path+": "+text), "+goose", "(+)goose"))
	})
	return list
}

// policyWords are those of a policy, but for whole sections that are as they are by default.
func policyWords(p *policy.Policy) []string {
	all, byDefault := words(p), defaultWords()
	return slices.DeleteFunc(slices.Clone(all), func(word string) bool {
		return slices.Contains(byDefault, word) && slices.Equal(sectionOf(all, word), sectionOf(byDefault, word))
	})
}

// defaultWords are the bounds that hold where a file says nothing.
func defaultWords() []string {
	return slices.DeleteFunc(words(policy.Default()), func(word string) bool { return strings.HasPrefix(word, "table: ") })
}

// sectionOf are the words of the section that a word is in.
func sectionOf(all []string, word string) []string {
	name, _, _ := strings.Cut(word, ".")
	return slices.DeleteFunc(slices.Clone(all), func(other string) bool { return !strings.HasPrefix(other, name+".") })
}

func word(path string, v reflect.Value, add func(path, text string)) {
	if text, ok := wordText(v); ok {
		if text != "" {
			add(path, text)
		}
		return
	}
	if a, ok := v.Interface().(policy.Assignment); ok {
		add(path, oneLine(a.Value.SQL))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			word(path, v.Elem(), add)
		}
	case reflect.Slice:
		wordSlice(path, v, add)
	case reflect.Struct:
		said := false
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !unworded[v.Type().Name()+"."+f.Name] {
				word(below(path, f.Name), v.Field(i), func(path, text string) { said = true; add(path, text) })
			}
		}
		if !said && path != "" && v.NumField() < 2 { // a step that says no more
			add(path, "yes")
		}
	}
}

// wordSlice names the items of a list by what they are called, else by their number; plain ones are on one line.
func wordSlice(path string, v reflect.Value, add func(path, text string)) {
	var texts []string
	for i := range v.Len() {
		item := v.Index(i)
		if text, ok := wordText(item); ok {
			texts = append(texts, text)
			continue
		}
		name := ""
		if v.Len() > 1 {
			name = fmt.Sprint(i + 1)
		}
		for _, field := range []string{"Name", "Column"} {
			if f := item.FieldByName(field); item.Type().Name() != "Clock" && f.IsValid() && f.Kind() == reflect.String {
				name = f.String()
			}
		}
		word(strings.Trim(path+"."+name, "."), item, add)
	}
	if len(texts) > 0 {
		add(path, strings.Join(texts, ", "))
	}
}

// wordText is the text of what has no parts; "" says nothing.
func wordText(v reflect.Value) (string, bool) {
	switch x := v.Interface().(type) {
	case diag.Position:
		return "", true
	case policy.Expr:
		return oneLine(x.SQL), true
	case policy.Table:
		return x.String(), true
	case policy.Name:
		return x.Text, true
	case policy.Interval:
		return x.Text, true
	case time.Duration:
		return nonZero(v, strings.NewReplacer("m0s", "m", "h0m0s", "h").Replace(x.String())), true
	case policy.Schedule:
		return x.Text, true
	}
	switch v.Kind() {
	case reflect.Bool:
		return nonZero(v, "yes"), true
	case reflect.String, reflect.Int, reflect.Int64, reflect.Float64:
		return nonZero(v, fmt.Sprint(v.Interface())), true
	}
	return "", false
}

func nonZero(v reflect.Value, text string) string {
	if v.IsZero() {
		return ""
	}
	return text
}

// below is the path of a field in the words of the policy file.
func below(path, field string) string {
	if plainFields[field] {
		return path
	}
	var name strings.Builder
	for i, r := range field {
		if i > 0 && unicode.IsUpper(r) && !unicode.IsUpper(rune(field[i-1])) {
			name.WriteByte('_')
		}
		name.WriteRune(unicode.ToLower(r))
	}
	return strings.TrimPrefix(path+"."+name.String(), ".")
}

// wordsOf are the first lines of a page: a property of the policy each.
func wordsOf(sql string) []string {
	var words []string
	for line := range strings.Lines(sql) {
		text, ok := strings.CutPrefix(line, "-- ")
		if !ok {
			break
		}
		words = append(words, strings.TrimSuffix(text, "\n"))
	}
	return words
}

// withDefaults adds what a policy's page does not say, since it holds by default.
func withDefaults(said []string) []string {
	if !slices.ContainsFunc(said, func(word string) bool { return strings.HasPrefix(word, "way: ") }) {
		return said // a report
	}
	all := slices.Clone(said)
	for _, word := range defaultWords() {
		if len(sectionOf(said, word)) == 0 {
			all = append(all, word)
		}
	}
	return all
}

// Differences says in words how one page differs from another: "due.window: 7 days -> 3 days".
func Differences(before, after string) string {
	was, is := withDefaults(wordsOf(before)), withDefaults(wordsOf(after))
	var list []string
	for _, word := range was {
		name, old, _ := strings.Cut(word, ": ")
		i := slices.IndexFunc(is, func(other string) bool { return strings.HasPrefix(other, name+": ") })
		switch {
		case i < 0:
			list = append(list, "without "+word)
		case is[i] != word:
			list = append(list, name+": "+old+" -> "+strings.TrimPrefix(is[i], name+": "))
		}
	}
	for _, word := range is {
		name, _, _ := strings.Cut(word, ": ")
		if !slices.ContainsFunc(was, func(other string) bool { return strings.HasPrefix(other, name+": ") }) {
			list = append(list, "with "+word)
		}
	}
	if len(list) == 0 {
		return "the same definition, other SQL"
	}
	return strings.Join(list, "; ")
}
