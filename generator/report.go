package generator

import (
	"pgretain/internal/pgparse"
	"pgretain/policy"
	sqlfiles "pgretain/sql"
)

// reportData is what the template of a report's function reads.
type reportData struct {
	Schema, Function, Signature string
	Report                      string
	ReportLiteral               literal
	Query, Alert                sqlText
}

// reports are the functions of the file's reports and their rows in the registry.
func (c *compiler) reports() []Object {
	var objects []Object
	for _, r := range c.file.Reports {
		w := &work{compiler: c, binder: binder{
			policy: &policy.Policy{Name: r.Name, Position: r.Position}, diags: &c.diags, asOf: "p_as_of",
		}, expected: map[string]*expectation{}, named: map[string]bool{}}
		function := w.report(r)
		objects = append(objects, function, w.reportRow(r, function))
	}
	return objects
}

func (w *work) report(r *policy.Report) Object {
	name := r.Name + "_report"
	d := reportData{
		Schema: w.schema(), Function: name, Signature: name + "(timestamp with time zone)",
		Report: r.Name, ReportLiteral: literal(r.Name),
		Query: w.bindQuery(r.Query),
	}
	if r.Alert != nil {
		d.Alert = w.alert(*r.Alert)
	}
	if parsed, err := pgparse.Query(r.Query.SQL); err == nil { // reported where it is bound
		w.reads(r.Query, parsed)
	}
	o := Object{Kind: KindFunction, Name: d.Schema + "." + d.Signature, As: AsOwner, SQL: object("report", d),
		Policy: r.Name, Position: r.Position}
	return w.forPeople(o.forWorker(w.file.Install.Roles))
}

// alert is a condition on a row of the report: its names are the query's columns, which only the
// server knows, but for as_of.
func (w *work) alert(e policy.Expr) sqlText {
	parsed, ok := w.parse(e)
	if !ok {
		return "NULL"
	}
	var edits []pgparse.Edit
	for _, ref := range parsed.parsed.Columns {
		if len(ref.Fields) == 1 && !ref.Star && ref.Fields[0] == "as_of" {
			edits = append(edits, pgparse.Edit{Offset: ref.Offset, Length: nameLength(e.SQL[ref.Offset:]), Text: string(w.asOf)})
		}
	}
	w.reads(e, parsed.parsed)
	return sqlText(smooth(pgparse.Splice(flat(e.SQL), edits)))
}

// reads notes what an expression of a report reads.
func (w *work) reads(e policy.Expr, parsed *pgparse.Expr) {
	w.noteNames(parsed.Columns, parsed.Schemas)
	for _, ref := range parsed.Tables {
		w.addRead(e, ref)
		if table := w.lookUp(ref); table != nil && table.Schema != w.schema() {
			w.expected[tableName(table)] = &expectation{Kind: kindOf(table)}
		}
	}
}

func (w *work) reportRow(r *policy.Report, function Object) Object {
	o := w.policyObject(r.Name, w.reportFields(r, Hash(sqlfiles.Version, function.SQL, r.Description)))
	o.Position, o.Words = r.Position, words(r)
	return o
}
