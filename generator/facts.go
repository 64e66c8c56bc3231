package generator

import (
	"fmt"
	"slices"

	"pgretain/policy"
)

// Years from the instant on after which a clock is taken for a mistake: an age is of the past, and most
// expiries are near.
const (
	yearsOfAge    = 1
	yearsOfExpiry = 10
)

// factsData is what the template facts reads.
type factsData struct {
	Schema, Function, Signature, Policy string
	Comment, Zone                       literal
	SearchPath                          []ident
	Roles                               []string
	Table                               sqlText
	Joins                               []join
	Columns                             []windowColumn // none: no window is read
	Type                                string         // of the clock
	Clock, Printed                      sqlText        // Printed has a least and a greatest value
	NoClock, TooFar, InTime             []sqlText      // conditions; none: not asked
	Years                               int
	Ahead                               sqlText
	Archives                            []factsArchive
}

// factsArchive is an archive whose rows say which run they are of.
type factsArchive struct {
	Into    sqlText
	Name    literal
	Comment string
	Run     ident
}

// facts is <policy>_facts, none where there is nothing to ask.
func (w *work) facts() []Object {
	name := w.policy.Name + "_facts"
	d := factsData{
		Schema: w.schema(), Function: name, Signature: FactsSignature(w.policy.Name), Policy: w.policy.Name,
		Comment: literal(fmt.Sprintf("pgretain: what pgretain verify asks about the rows of policy %s", w.policy.Name)),
		Zone:    literal(w.file.Install.TimeZone), SearchPath: w.searchPath(), Table: qualified(w.table), Joins: w.joins, Archives: w.factsArchives(),
	}
	if roles := w.file.Install.Roles; !roles.None {
		d.Roles = []string{roles.Runner, roles.Operator, roles.Viewer}
	}
	w.factsOfClock(&d)
	if d.NoClock == nil && d.TooFar == nil && d.Archives == nil {
		return nil
	}
	return []Object{w.function(d.Signature, "facts", d)}
}

// factsOfClock is about the only clock of a policy: with several, a row may go by another one.
func (w *work) factsOfClock(d *factsData) {
	if len(w.clocks) != 1 || w.clocks[0] == nil || w.clocks[0].source.Kind == "position" {
		return
	}
	k := w.clocks[0]
	d.Type, d.Clock, d.Printed = k.typ, k.expr, "x.clock"
	if k.typ == "uuid" {
		d.Printed = fragment("as text", d.Printed) // there is no min(uuid)
	}
	d.Years = yearsOfAge
	if k.source.Kind == "expires" {
		d.Years = yearsOfExpiry
	}
	d.Ahead = w.converted("v_far", k.source.Encoding, k.form)
	d.TooFar = w.andWhere(fragment("newer", struct{ Clock, Mark sqlText }{k.expr, "v_ahead"}))
	d.InTime = w.andWhere(fragment("up to", struct{ Clock, Mark sqlText }{k.expr, "v_ahead"}))
	column := w.table.Column(k.column)
	if !k.source.NullsDue && !k.source.NullsKept && (column == nil || !column.NotNull) {
		d.NoClock = w.andWhere(fragment("is null", k.expr))
	}
}

// andWhere is a condition on the rows that the policy is about.
func (w *work) andWhere(condition sqlText) []sqlText {
	if w.where == nil {
		return []sqlText{condition}
	}
	return []sqlText{w.where.sql, condition}
}

// factsArchives are those whose rows can be counted run by run, and are as many as the run log says: all
// that the policy writes there is archived, marked with the run, and nothing is written over.
func (w *work) factsArchives() []factsArchive {
	var list []factsArchive
	for _, s := range w.steps() {
		if s.Archive == nil || s.Archive.Existing == "keep" || s.Archive.Existing == "replace" || w.writesOtherwise(s.Archive.Into) {
			continue
		}
		run := w.runColumn(s)
		if run == "" {
			continue
		}
		a := factsArchive{quotedTable(s.Archive.Into), literal(s.Archive.Into.String()), comment(s.Archive.Into.String()), ident(run)}
		if i := slices.IndexFunc(list, func(other factsArchive) bool { return other.Name == a.Name }); i < 0 {
			list = append(list, a)
		} else if list[i].Run != a.Run {
			list = slices.Delete(list, i, i+1)
		}
	}
	return list
}

// runColumn is the archive's column with the number of the run, "" where there is none.
func (w *work) runColumn(s step) string {
	from := w.table
	if s.Related != nil {
		from = w.relation(s.Related.Table)
	}
	into := w.archiveTable(s.Step, from)
	for _, a := range s.Archive.Set {
		if into == nil || !runID.MatchString(a.Value.SQL) {
			continue
		}
		if column := into.Column(a.Column); column != nil && slices.Contains([]string{"", "bigint", "integer", "numeric"}, column.Type) {
			return a.Column
		}
	}
	return ""
}

// writesOtherwise says whether a step writes into a table in another way than by a marked archive.
func (w *work) writesOtherwise(into policy.Table) bool {
	return slices.ContainsFunc(w.steps(), func(s step) bool {
		switch {
		case s.SQL != nil:
			return true
		case s.Archive != nil:
			return s.Archive.Into.String() == into.String() && (s.Archive.Existing == "keep" || s.Archive.Existing == "replace" || w.runColumn(s) == "")
		case s.Insert != nil:
			return s.Insert.Into.String() == into.String()
		}
		return s.Related != nil && s.Related.Table.String() == into.String()
	})
}

// FactsSignature is the function that answers what the verifier asks about a policy's rows, with its types.
func FactsSignature(policy string) string {
	return policy + "_facts(timestamp with time zone, bigint[], bigint)"
}

// MarkedArchive is an archive of a policy, and its column with the number of the run.
type MarkedArchive struct {
	Table policy.Table
	Run   string
}

// MarkedArchives lists the archives of a policy in which each run's rows can be told. Whether their
// number must be the run log's, the facts function of the policy says.
func MarkedArchives(p *policy.Policy) []MarkedArchive {
	var list []MarkedArchive
	for _, s := range p.Then {
		if s.Archive == nil || slices.ContainsFunc(list, func(m MarkedArchive) bool { return m.Table.String() == s.Archive.Into.String() }) {
			continue
		}
		for _, a := range s.Archive.Set {
			if runID.MatchString(a.Value.SQL) {
				list = append(list, MarkedArchive{s.Archive.Into, a.Column})
				break
			}
		}
	}
	return list
}
