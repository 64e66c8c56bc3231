package generator

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/explain"
	"pgretain/policy"
)

// slice is the type of the only argument of most functions.
func (w *policyCompiler) slice() string { return w.schema() + ".slice" }

// made is an object of the policy; data is what its template reads besides what all of them say of themselves.
func (w *policyCompiler) made(kind Kind, name, template string, data fields) Object {
	all := fields{
		"Schema": sqlText(w.schema()), "Policy": sqlText(w.policy.Name), "Zone": w.zone(),
		"SearchPath": identifiers(w.file.Install.SearchPath), "Table": qualified(w.table), "TableComment": tableComment(w.table),
	}
	maps.Copy(all, data)
	o := Object{Kind: kind, Name: name, Position: w.policy.Position}
	if !w.dry || kind == KindArchive { // which is compared with what the history has
		o = made(kind, name, template, all, w.policy.Position)
	}
	if o.Policy = w.policy.Name; !w.report {
		o.Table = tableName(w.table)
	}
	return o
}

// function is the generated function <policy>_<suffix>(arguments), which runs as its caller: the worker.
func (w *policyCompiler) function(suffix, arguments, template string, data fields) Object {
	name := ident(w.policy.Name + "_" + suffix).String()
	signature := name + "(" + arguments + ")"
	data["Function"], data["Signature"] = sqlText(name), sqlText(signature)
	o := w.made(KindFunction, w.schema()+"."+signature, template, data)
	return o.grantedTo(w.file.Install.Roles, w.file.Install.Roles.Worker)
}

// ofMigrator is a function of the migrating role, which acts for the owner of the tables: the owner of the other
// functions cannot be a member of a role that is its own member.
func (w *policyCompiler) ofMigrator(suffix, arguments, template string, data fields) Object {
	o := w.function(suffix, arguments, template, data)
	o.As = AsMigrator
	return o
}

// forPeople lets operators and viewers, too, call or read an object.
func (c *compiler) forPeople(o Object) Object {
	return o.grantedTo(c.file.Install.Roles, c.file.Install.Roles.Operator, c.file.Install.Roles.Viewer)
}

func (w *policyCompiler) storedName(j policy.Join) string { return w.policy.Name + "_" + j.Name }

// storedTables are the tables for the joins that are read once per run.
func (w *policyCompiler) storedTables() []Object {
	defer w.restored()()
	w.binder.asOf = "NULL::timestamptz"
	var objects []Object
	for _, j := range w.policy.OncePerRun() {
		o := w.made(KindStored, w.schema()+"."+w.storedName(j), "stored",
			fields{"Join": sqlText(j.Name), "Table": w.storedTable(j), "Query": w.bindQuery(*j.Query, false)})
		o.Position = j.Position
		roles := w.file.Install.Roles
		if !roles.None {
			o.Writes = []string{"INSERT", "DELETE"}
		}
		objects = append(objects, w.forPeople(o.grantedTo(roles, roles.Worker)))
	}
	return objects
}

// checkStored refuses tables of joins whose names are taken: by the runtime, which they would take the place
// of, or by each other.
func (c *compiler) checkStored(objects []Object) {
	taken := map[string]string{c.file.Install.Schema + ".goose_db_version": "by the runtime"}
	for _, o := range objects { // those of the runtime come first
		if o.Kind == KindTable || o.Kind == KindView || o.Kind == KindType {
			taken[o.Name] = "by the runtime"
		} else if whose, found := taken[o.Name]; o.Kind == KindStored && found {
			c.refuse(o.Position, codeReservedName, fmt.Sprintf("table %q, which would store the rows of this join, is already used %s", o.Name, whose),
				"Rename the join or the policy.")
		} else if o.Kind == KindStored {
			taken[o.Name] = fmt.Sprintf("by policy %q", o.Policy)
		}
	}
}

// start is the function that reads joins and ceilings when a run starts; none where there is nothing to read.
func (w *policyCompiler) start() []Object {
	var values []namedValue
	stored := each(w.policy.OncePerRun(), func(j policy.Join) namedValue {
		return namedValue{w.storedTable(j), w.bindQuery(*j.Query, false)}
	})
	for i, k := range w.clocks {
		if k != nil && k.upTo != "" {
			values = append(values, namedValue{sqlText(ceilingName(i + 1).String()), w.ceiling(k, i+1, false)})
		}
	}
	if w.prepares = len(stored)+len(values) > 0; !w.prepares {
		return nil
	}
	return []Object{w.function("start", w.slice(), "start", fields{"Stored": stored, "Values": values})}
}

// reports are the functions of the file's reports and their rows in the registry.
func (c *compiler) reports() []Object {
	var objects []Object
	for _, r := range c.file.Reports {
		p := policy.Default()
		p.Name, p.Position = r.Name, r.Position
		w := c.writer(p, &catalog.Table{}, "p_as_of")
		w.report = true
		data, parts := fields{"Query": w.bindQuery(r.Query, false), "Alert": sqlText("")}, r.Parts()
		if r.Alert != nil { // its names are the query's columns, which only the server knows, but for as_of
			data["Alert"] = w.valueFrom(*r.Alert, nil, "")
			parts = append(parts, policy.Part{Expr: *r.Alert})
		}
		for _, part := range parts {
			w.noteReads(part)
		}
		if c.dry {
			continue
		}
		dependencies := map[string]*expectation{}
		for _, read := range w.tablesRead(parts) {
			if read.table.Schema != w.schema() {
				dependencies[tableName(read.table)] = &expectation{Kind: kindOf(read.table)}
			}
		}
		function := w.forPeople(w.function("report", "timestamp with time zone", "report", data))
		row := w.policyObject(w.fields([]passEntry{}, rowFacts{}, []stepEntry{}, dependencies), function.SQL)
		objects = append(objects, function, row.explained(explain.Report(r)))
	}
	return objects
}

// explained says what the policy does, with what the catalog says and how it is generated.
func (w *policyCompiler) explained() []explain.Line {
	p := w.policy
	facts := explain.Facts{Zone: w.file.Install.TimeZone, Schema: w.schema(), Orders: w.orders(), Way: w.way(),
		ByList: w.partitioned.ofValues(), Tables: w.tables,
		Clocks: each(w.clocks, func(k *clock) string { return cmp.Or(k, &clock{}).typ })}
	for _, d := range p.Deletes() {
		facts.Cascades = append(facts.Cascades, w.changedBy(d.Table.String())...)
	}
	for _, name := range slices.Concat([]string{p.Table.String()}, w.related, tableNames(p.Changes()), w.reach) {
		facts.Holds = appendUnique(facts.Holds, w.tables.Root(name))
	}
	return explain.Policy(p, facts)
}

// orders say how a run goes through the rows, a pass each.
func (w *policyCompiler) orders() []string {
	switch {
	case w.partitioned.ofValues():
		return []string{"lowest value first"}
	case w.policy.Partitions:
		return []string{"lowest upper bound first"}
	}
	return each(w.scans, func(p pass) string {
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
			list = append(list, policyScript(o, parts[o.Policy], roles))
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

// policyScript is the row of a policy with all of its parts before it, tables first.
func policyScript(row Object, parts []Object, roles policy.Roles) Object {
	schema, _, _ := strings.Cut(parts[0].Name, ".")
	slices.SortStableFunc(parts, func(a, b Object) int { return rank(b.Kind) - rank(a.Kind) }) // tables before functions
	list := each(parts, func(o Object) fields {
		owner := "" // who is to be again after the role that migrates made it, "" where nobody changes
		if o.As == AsMigrator {
			owner = roles.Owner
		}
		return fields{"SQL": sqlText(o.SQL), "Owner": ident(owner)}
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
