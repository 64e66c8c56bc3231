package generator

import (
	"cmp"
	"slices"
	"strings"

	"pgretain/internal/explain"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// batchRange returns the parameter of most generated functions.
func (w *policyCompiler) batchRange(name string) []pgparse.Parameter {
	return []pgparse.Parameter{in(name, w.schema()+".batch_range")}
}

// forOperatorsAndViewers grants an object to operators and viewers, too.
func (c project) forOperatorsAndViewers(d draft) draft {
	return d.grantedTo(c.file.Install.Roles, c.file.Install.Roles.Operator, c.file.Install.Roles.Viewer)
}

func (w *policyCompiler) storedTableName(j policy.Join) string { return w.policy.Name + "_" + j.Name }

// storedTable is a table that stores the rows of a join during a run. Persistence is "UNLOGGED ".
// It is "" in a temporary schema, in which every table is temporary.
type storedTable struct{ Policy, Join, Persistence, Table, Query sqlText }

// storedTables returns the tables that hold the rows of joins that are read once per run.
func (w *policyCompiler) storedTables() []draft {
	w = w.with(outsideRun("NULL::timestamptz"))
	persistence := sqlText("UNLOGGED ")
	if w.schema() != w.runtimeName { // a trial
		persistence = ""
	}
	var tables []draft
	for _, j := range w.policy.OncePerRun() {
		d := w.draft(KindStored, w.schema()+"."+w.storedTableName(j), "stored", storedTable{
			sqlText(w.policy.Name), sqlText(j.Name), persistence, w.storedTable(j), w.bindQuery(*j.Query, false)})
		d.Position = j.Position
		roles := w.file.Install.Roles
		if !roles.None {
			d.Writes = []string{"INSERT", "DELETE"}
		}
		tables = append(tables, w.forOperatorsAndViewers(d.grantedTo(roles, roles.Worker)))
	}
	return tables
}

// checkStored refuses the table of a join if the runtime or another join uses the same name.
func (c *compiler) checkStored(policies []*policyPlan) {
	runtime := "" // the runtime is no policy
	taken := map[string]string{c.schema() + ".goose_db_version": runtime}
	for _, o := range Runtime(c.file.Install) {
		if o.Kind == KindTable || o.Kind == KindView || o.Kind == KindType {
			taken[o.Name] = runtime
		}
	}
	for _, p := range policies {
		for _, d := range p.stored {
			if of, found := taken[d.Name]; found {
				c.fail(messages.StoredNameUsed(d.Name, of), d.Position)
				continue
			}
			taken[d.Name] = d.Policy
		}
	}
}

// start returns the function that reads joins and ceilings when a run starts. It returns no object
// if there is nothing to read.
func (w *policyCompiler) start() []draft {
	var values []namedValue
	stored := lists.Map(w.policy.OncePerRun(), func(j policy.Join) namedValue {
		return namedValue{w.storedTable(j), w.bindQuery(*j.Query, false)}
	})
	for i, k := range w.clocks {
		if k != nil && k.upTo != "" {
			values = append(values, namedValue{sqlText(ceilingName(i + 1).String()), w.ceiling(k, i+1, false)})
		}
	}
	if len(stored)+len(values) == 0 {
		return nil
	}
	start := function{suffix: "start", parameters: w.batchRange(""), returns: "jsonb", language: "plpgsql"}
	return []draft{w.function(start, "start", &startData{Stored: stored, Values: values})}
}

// startData is the data of the template "start". Stored are tables with the queries that fill them.
type startData struct {
	functionHead
	Stored, Values []namedValue
}

// wordFacts returns the facts for the description of the policy that the policy file does not
// contain.
func (w *policyCompiler) wordFacts() explain.Facts {
	p := w.policy
	facts := explain.Facts{Zone: w.file.Install.TimeZone, Schema: w.schema(), Orders: w.orders(), Way: w.batchMethod(),
		ByList: w.partitioned.ofValues(), Tables: w.tables,
		Clocks: lists.Map(w.clocks, func(k *clock) string { return cmp.Or(k, &clock{}).typ })}
	for _, d := range p.Deletes() {
		facts.Cascades = append(facts.Cascades, w.cascadeKeys(d.Table.String())...)
	}
	for _, name := range slices.Concat([]string{p.Table.String()}, w.related, tableNames(p.Changes()), w.reach) {
		facts.Holds = lists.AppendUnique(facts.Holds, w.tables.Root(name))
	}
	return facts
}

// orders returns the order in which each pass of a run reads the rows, in words.
func (w *policyCompiler) orders() []string {
	switch {
	case w.partitioned.ofValues():
		return []string{"lowest value first"}
	case w.policy.Partitions:
		return []string{"lowest upper bound first"}
	}
	return lists.Map(w.scans, func(p pass) string {
		key := lists.Map(identifiers(rowKey(w.table)), ident.String)
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
			return order + clock // a batch ends at the end of a value
		}
		key = slices.DeleteFunc(key, func(name string) bool { return name == clock })
		return order + strings.Join(slices.Insert(key, 0, clock), ", ")
	})
}

// PolicyScripts merges the objects of each policy or report into one object, its script: functions,
// tables for joins and the registry row. A script can be executed again without losing data. A
// migration replaces it as a whole.
func PolicyScripts(objects []Object, roles policy.Roles) []Object {
	parts, rows := map[string][]Object{}, map[string]bool{}
	for _, o := range objects {
		if rows[o.Policy] = rows[o.Policy] || hasScript(o.Kind); isPartOfScript(o) {
			parts[o.Policy] = append(parts[o.Policy], o)
		}
	}
	var list []Object
	for _, o := range objects {
		switch {
		case isPartOfScript(o) && rows[o.Policy]:
		case hasScript(o.Kind) && len(parts[o.Policy]) > 0:
			list = append(list, policyScript(o, parts[o.Policy], roles))
		default:
			list = append(list, o)
		}
	}
	return list
}

// hasScript reports whether an object of this kind contains the script of its policy.
func hasScript(kind Kind) bool { return kind == KindPolicy || kind == KindEach }

// isPartOfScript reports whether an object becomes part of the script of its policy.
func isPartOfScript(o Object) bool {
	return o.Policy != "" && (o.Kind == KindFunction || o.Kind == KindProcedure || o.Kind == KindStored)
}

// policyScript returns the registry row of a policy, preceded by the policy's other objects, tables
// first.
func policyScript(row Object, parts []Object, roles policy.Roles) Object {
	schema, _, _ := strings.Cut(parts[0].Name, ".")
	slices.SortStableFunc(parts, func(a, b Object) int { return rank(b.Kind) - rank(a.Kind) }) // tables first
	script := scriptData{Schema: sqlText(schema), Name: literal(row.Name), Row: sqlText(row.SQL)}
	for _, o := range parts {
		part := scriptPart{SQL: sqlText(o.SQL)}
		if o.As == AsMigrator {
			part.Owner = ident(roles.Owner)
		}
		script.Parts = append(script.Parts, part)
	}
	if row.Kind != KindEach { // for each schema, the row's own statement contains the words
		script.Words = describedBy(row.Words)
	}
	row.SQL = execute("policy_script.sql.tmpl", script)
	return row.with(PartWords, explain.Page(row.Words))
}

// scriptData is the data of the template "policy_script".
type scriptData struct {
	Schema sqlText
	Name   literal
	Words  description // "" if the row's own statement contains the words
	Parts  []scriptPart
	Row    sqlText
}

// scriptPart is an object in a script. Owner is the role to which the migrating role gives the
// object; "" if its owner stays.
type scriptPart struct {
	SQL   sqlText
	Owner ident
}

// description is the description of a policy, a report or a job, for a script and for the registry.
// It prints itself in dollar quotes.
type description string

// describedBy returns lines as a description. It begins with a line break.
func describedBy(lines []explain.Line) description { return description("\n" + explain.Page(lines)) }

func (d description) String() string { return string(inDollars(string(d), "description")) }
