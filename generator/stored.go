package generator

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"pgretain/internal/quote"
	"pgretain/policy"
)

// storedName is the table that holds a join's rows during a run.
func (w *work) storedName(j policy.Join) string { return w.policy.Name + "_" + j.Name }

// storedTables are the tables for the joins that are read once per run.
func (w *work) storedTables() []Object {
	var objects []Object
	for _, j := range w.policy.Joins {
		if !j.OncePerRun() {
			continue
		}
		data := struct {
			Policy, Join string
			Table, Query sqlText
		}{Policy: w.policy.Name, Join: j.Name, Table: sqlText(quote.Qualified(w.schema(), w.storedName(j))),
			Query: w.queryAt(*j.Query, "NULL::timestamptz")}
		o := Object{Kind: KindStored, Name: w.schema() + "." + w.storedName(j), As: AsOwner,
			SQL:    object("stored", data),
			Policy: w.policy.Name, Table: tableName(w.table), Position: j.Position}
		if !w.file.Install.Roles.None {
			o.Writes = []string{"INSERT", "DELETE"}
		}
		objects = append(objects, w.forPeople(o.forWorker(w.file.Install.Roles)))
	}
	return objects
}

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
		for _, name := range slices.Sorted(maps.Keys(taken)) { // what PostgreSQL makes for a table has names that begin like it
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

var madeForTable = regexp.MustCompile(`_(seq|pkey|key|idx|excl)$`)

// queryAt binds a query with another as_of.
func (w *work) queryAt(e policy.Expr, asOf sqlText) sqlText {
	saved := w.binder.asOf
	w.binder.asOf = asOf
	defer func() { w.binder.asOf = saved }()
	return w.bindQuery(e)
}

// prepares says whether something is read when a run starts.
func (w *work) prepares() bool {
	for _, k := range w.clocks {
		if k != nil && k.upTo != "" {
			return true
		}
	}
	for _, j := range w.policy.Joins {
		if j.OncePerRun() {
			return true
		}
	}
	return false
}

// start is the function that reads joins and ceilings when a run starts; none where there is
// nothing to read.
func (w *work) start() []Object {
	if !w.prepares() {
		return nil
	}
	type stored struct{ Table, Query sqlText }
	type value struct {
		Name  literal
		Query sqlText
	}
	data := struct {
		Schema, Function, Signature, Policy string
		Stored                              []stored
		Values                              []value
	}{Schema: w.schema(), Function: w.policy.Name + "_start", Signature: w.policy.Name + "_start(" + w.schema() + ".slice)", Policy: w.policy.Name}
	for _, j := range w.policy.Joins {
		if j.OncePerRun() {
			data.Stored = append(data.Stored, stored{sqlText(quote.Qualified(w.schema(), w.storedName(j))), w.bindQuery(*j.Query)})
		}
	}
	live := *w
	live.stored = false
	for i, k := range w.clocks {
		if k != nil && k.upTo != "" {
			name := ceilingName(i + 1)
			data.Values = append(data.Values, value{literal(name), live.ceilingValue(k, name)})
		}
	}
	return []Object{w.function(data.Signature, "start", data)}
}
