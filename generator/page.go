package generator

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/explain"
	"pgretain/internal/pgparse"
	"pgretain/policy"
	sqlfiles "pgretain/sql"
)

// slice is the type of the only argument of most functions.
func (w *pageWriter) slice() string { return w.schema() + ".slice" }

// function is the generated function <policy>_<suffix>(arguments); data is what its template reads besides what all
// functions say of themselves.
func (w *pageWriter) function(suffix, arguments, template string, data fields) Object {
	name := ident(w.policy.Name + "_" + suffix).String()
	signature := name + "(" + arguments + ")"
	o := Object{
		Kind: KindFunction, Name: w.schema() + "." + signature, As: AsOwner,
		Policy: w.policy.Name, Table: tableName(w.table), Position: w.policy.Position,
	}
	all := fields{
		"Schema": sqlText(w.schema()), "Function": sqlText(name), "Signature": sqlText(signature), "Policy": sqlText(w.policy.Name),
		"Zone": w.zone(), "SearchPath": identifiers(w.file.Install.SearchPath),
		"Table": qualified(w.table), "TableComment": tableComment(w.table),
	}
	maps.Copy(all, data)
	o.SQL = object(template, all)
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

// asMigrator makes a function the migrating role's.
func (o Object) asMigrator() Object {
	o.As = AsMigrator
	return o
}

// storedName is the table that holds a join's rows during a run.
func (w *pageWriter) storedName(j policy.Join) string { return w.policy.Name + "_" + j.Name }

// storedTables are the tables for the joins that are read once per run.
func (w *pageWriter) storedTables() []Object {
	defer w.restored()()
	w.binder.asOf = "NULL::timestamptz"
	var objects []Object
	for _, j := range w.policy.OncePerRun() {
		o := Object{
			Kind: KindStored, Name: w.schema() + "." + w.storedName(j), As: AsOwner,
			SQL: object("stored", fields{"Policy": sqlText(w.policy.Name), "Join": sqlText(j.Name), "Table": w.storedTable(j),
				"Query": w.bindQuery(*j.Query, false)}),
			Policy: w.policy.Name, Table: tableName(w.table), Position: j.Position,
		}
		if !w.file.Install.Roles.None {
			o.Writes = []string{"INSERT", "DELETE"}
		}
		objects = append(objects, w.forPeople(o.forWorker(w.file.Install.Roles)))
	}
	return objects
}

// checkStored refuses tables of joins whose names are taken: by the runtime, which they would take the place
// of, or by each other.
func (c *compiler) checkStored(objects []Object) {
	taken := map[string]string{}
	for _, o := range objects { // those of the runtime come first
		switch whose, found := taken[o.Name]; {
		case o.Kind == KindTable || o.Kind == KindView || o.Kind == KindType:
			taken[o.Name] = "of the runtime"
		case o.Kind == KindStored && found:
			c.refuse(o.Position, codeReservedName, fmt.Sprintf("the rows of this join would be kept in %q, a name %s", o.Name, whose),
				"Give the join, or the policy, another name.")
		case o.Kind == KindStored:
			taken[o.Name] = fmt.Sprintf("of policy %q", o.Policy)
		}
	}
}

// prepares says whether something is read when a run starts.
func (w *pageWriter) prepares() bool {
	return slices.ContainsFunc(w.clocks, func(k *clock) bool { return k != nil && k.upTo != "" }) ||
		len(w.policy.OncePerRun()) > 0
}

// start is the function that reads joins and ceilings when a run starts; none where there is nothing to read.
func (w *pageWriter) start() []Object {
	if !w.prepares() {
		return nil
	}
	var stored, values []namedValue
	for _, j := range w.policy.OncePerRun() {
		stored = append(stored, namedValue{w.storedTable(j), w.bindQuery(*j.Query, false)})
	}
	for i, k := range w.clocks {
		if k != nil && k.upTo != "" {
			values = append(values, namedValue{sqlText(ceilingName(i + 1).String()), w.ceiling(k, i+1, false)})
		}
	}
	return []Object{w.function("start", w.slice(), "start", fields{"Stored": stored, "Values": values})}
}

// reports are the functions of the file's reports and their rows in the registry.
func (c *compiler) reports() []Object {
	var objects []Object
	for _, r := range c.file.Reports {
		p := policy.Default()
		p.Name, p.Position = r.Name, r.Position
		w := c.writer(p, &catalog.Table{}, reportInputs)
		w.report, w.qualify = true, false
		function, expects := w.reportFunction(r)
		row := w.policyObject(w.fields([]passEntry{}, rowFacts{}, []stepEntry{}, expects), Hash(sqlfiles.Version, function.SQL))
		objects = append(objects, function, row.explained(explain.Report(r)))
	}
	return objects
}

func (w *pageWriter) reportFunction(r *policy.Report) (Object, map[string]*expectation) {
	data, parts := fields{"Query": w.bindQuery(r.Query, false), "Alert": sqlText("")}, r.Parts()
	if r.Alert != nil { // its names are the query's columns, which only the server knows, but for as_of
		data["Alert"] = spliced(*r.Alert, w.columnEdits(w.parse(*r.Alert), func(pgparse.ColumnRef) (sqlText, bool) { return "", false }))
		parts = append(parts, policy.Part{Expr: *r.Alert})
	}
	for _, part := range parts {
		w.noteReads(part)
	}
	expects := map[string]*expectation{}
	for _, read := range w.tablesRead(parts) {
		if read.table.Schema != w.schema() {
			expects[tableName(read.table)] = &expectation{Kind: kindOf(read.table)}
		}
	}
	o := w.function("report", "timestamp with time zone", "report", data)
	o.Table = ""
	return w.forPeople(o), expects
}

// explained says what the policy does, with what the catalog says and how it is generated.
func (w *pageWriter) explained() []explain.Line {
	p := w.policy
	facts := explain.Facts{Zone: w.file.Install.TimeZone, Schema: w.schema(), Orders: w.orders(), Way: w.way(), ByList: w.partitioned.ofValues(), Tables: w.tables}
	for _, k := range w.clocks {
		typ := ""
		if k != nil {
			typ = k.typ
		}
		facts.Clocks = append(facts.Clocks, typ)
	}
	for _, d := range p.Deletes() {
		if table := w.tables[d.Table.String()]; table != nil {
			facts.Cascades = append(facts.Cascades, w.changedBy(table)...)
		}
	}
	for _, name := range slices.Concat([]string{p.Table.String()}, w.related, tableNames(p.Changes()), w.reach) {
		facts.Holds = with(facts.Holds, w.tables.Root(name))
	}
	return explain.Policy(p, facts)
}

// orders say how a run goes through the rows, a pass each.
func (w *pageWriter) orders() []string {
	switch {
	case w.partitioned.ofValues():
		return []string{"lowest value first"}
	case w.policy.Partitions:
		return []string{"lowest upper bound first"}
	}
	return each(w.passes, func(p pass) string {
		key := each(identifiers(w.table.PrimaryKey), ident.String)
		switch {
		case p.clock == nil && p.beyond != nil:
			return "group by group"
		case p.nulls:
			return "rows without an instant by " + strings.Join(key, ", ")
		case !p.byClock():
			return "by " + strings.Join(key, ", ")
		}
		order, clock := "oldest first, by ", ident(p.clock.column).String()
		if p.clock.source.Kind == "position" {
			order = "lowest first, by "
		}
		if e := p.clock.source.Expression; e != nil {
			clock = strings.TrimSpace(e.SQL)
		}
		if p.clock.mark != "" {
			return order + clock // a batch ends on a whole value
		}
		key = slices.DeleteFunc(key, func(name string) bool { return name == clock })
		return order + strings.Join(slices.Insert(key, 0, clock), ", ")
	})
}

// pageOf is what a page says of its policy in words; "" where it says nothing.
func pageOf(sql string) string {
	quote := wordsQuote.FindString(sql)
	_, rest, _ := strings.Cut(sql, quote)
	words, _, found := strings.Cut(rest, strings.TrimSuffix(quote, "\n"))
	if quote == "" || !found {
		return ""
	}
	return words
}

var wordsQuote = regexp.MustCompile(`\$words[0-9]*\$\n`)

// Differences says in words how one page differs from another: "due: ... 7 days back -> ... 3 days back".
func Differences(before, after string) string {
	if changes := explain.Changes(pageOf(before), pageOf(after)); changes != "" {
		return changes
	}
	return "the same definition, other SQL"
}

// Pages puts what belongs to one policy or report, and can be replaced without data, into one object: its
// functions, its tables for joins and its row of the registry. The page is the unit of change of a migration.
func Pages(objects []Object, roles policy.Roles) []Object {
	parts, rows := map[string][]Object{}, map[string]bool{}
	for _, o := range objects {
		if rows[o.Policy] = rows[o.Policy] || hasPage(o.Kind); ofPage(o) {
			parts[o.Policy] = append(parts[o.Policy], o)
		}
	}
	var list []Object
	for _, o := range objects {
		switch {
		case ofPage(o) && rows[o.Policy]:
		case hasPage(o.Kind) && len(parts[o.Policy]) > 0:
			list = append(list, page(o, parts[o.Policy], roles))
		default:
			list = append(list, o)
		}
	}
	return list
}

// hasPage says whether an object has a page around it.
func hasPage(kind Kind) bool { return kind == KindPolicy || kind == KindEach }

// ofPage says whether an object stands in its policy's page.
func ofPage(o Object) bool {
	return o.Policy != "" && (o.Kind == KindFunction || o.Kind == KindProcedure || o.Kind == KindStored)
}

// page is the row of a policy with all of its parts before it, tables first.
func page(row Object, parts []Object, roles policy.Roles) Object {
	type pagePart struct {
		SQL   sqlText
		Owner sqlText // who is to be again after the role that migrates made it, "" where nobody changes
	}
	schema, _, _ := strings.Cut(parts[0].Name, ".")
	slices.SortStableFunc(parts, func(a, b Object) int { return rank(b.Kind) - rank(a.Kind) }) // tables before functions
	list := each(parts, func(o Object) pagePart {
		if o.As == AsMigrator && !roles.None {
			return pagePart{sqlText(o.SQL), sqlText(ident(roles.Owner).String())}
		}
		return pagePart{SQL: sqlText(o.SQL)}
	})
	words := wordsText(row.Words)
	if row.Kind == KindEach {
		words = "" // its own statement has them
	}
	row.SQL = execute("page.sql.tmpl", fields{"Words": words, "Schema": sqlText(schema), "Name": literal(row.Name),
		"Parts": list, "Row": sqlText(row.SQL)})
	return row
}

// explained notes what a policy or report does, for its page and for the registry.
func (o Object) explained(lines []explain.Line) Object {
	o.Words, o.Row["words"] = lines, json.RawMessage(encode(pageText(lines)))
	return o
}

// pageText is what a page and the registry say, from a new line on.
func pageText(lines []explain.Line) string { return "\n" + explain.Page(lines) }

// wordsText is pageText as a constant of SQL.
func wordsText(lines []explain.Line) sqlText {
	return inDollars(pageText(lines), "words")
}
