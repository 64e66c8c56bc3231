package generator

import (
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
			Readers      []string
			Comment      literal
		}{Policy: w.policy.Name, Join: j.Name, Table: sqlText(quote.Qualified(w.schema(), w.storedName(j))),
			Query: w.queryAt(*j.Query, "NULL::timestamptz"), Comment: literal("pgretain: what join " + j.Name + " of policy " + w.policy.Name + " read when the last run started")}
		if roles := w.file.Install.Roles; !roles.None {
			data.Readers = []string{roles.Operator, roles.Viewer}
		}
		objects = append(objects, Object{Kind: KindStored, Name: w.schema() + "." + w.storedName(j), As: AsOwner,
			SQL: object("stored", data), Drop: object("stored_drop", data),
			Policy: w.policy.Name, Table: tableName(w.table), Position: j.Position})
	}
	return objects
}

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

// prepare is the function that reads joins and ceilings when a run starts; none where there is
// nothing to read.
func (w *work) prepare() []Object {
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
		Comment, Zone                       literal
		SearchPath                          []ident
		Stored                              []stored
		Values                              []value
	}{Schema: w.schema(), Function: w.policy.Name + "_prepare", Signature: w.policy.Name + "_prepare(bigint)", Policy: w.policy.Name,
		Comment: literal("pgretain: reads what policy " + w.policy.Name + " needs to know when a run starts"),
		Zone:    literal(w.file.Install.TimeZone), SearchPath: w.searchPath()}
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
	return []Object{w.function(data.Signature, "prepare", data)}
}
