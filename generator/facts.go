package generator

import (
	"maps"
	"slices"

	"pgretain/policy"
)

// Years from the instant on after which a clock is taken for a mistake: an age is of the past, and most
// expiries are near.
const (
	yearsOfAge    = 1
	yearsOfExpiry = 10
)

// factsOfClock is about the only clock of a policy: with several, a row may go by another one.
func (w *work) factsOfClock(f *rowFacts) {
	if len(w.clocks) != 1 || w.clocks[0] == nil || w.clocks[0].source.Kind == "position" {
		return
	}
	k := w.clocks[0]
	years := yearsOfAge
	if k.source.Kind == "expires" {
		years = yearsOfExpiry
	}
	ahead := w.converted(fragment("years later", struct {
		Instant sqlText
		Years   int
	}{w.asOf, years}), k.source, k.form)
	f.Ahead = plainText(ahead)
	if f.Value = shownClock(k); f.Value == f.Clock {
		f.Value = ""
	}
	if f.At = plainText(k.expr); f.At == shownClock(k) {
		f.At = ""
	}
	if len(w.joins)+len(w.columns) > 0 {
		f.From = plainText(w.fromRows())
	}
	if w.where != nil {
		f.Where = plainText(w.where.sql)
	}
	column := w.table.Column(k.column)
	f.Nulls = !k.source.NullsDue && !k.source.NullsKept && (column == nil || !column.NotNull)
}

// fromRows is the policy's table with what it joins.
func (w *work) fromRows() sqlText {
	return fragment("from", struct {
		Table   sqlText
		Joins   []join
		Columns []windowColumn
	}{qualified(w.table), w.joins, w.columns})
}

// factsArchives are those whose rows can be counted run by run, and are as many as the run log says: all
// that the policy writes there is archived, marked with the run, and nothing is written over. By name, the
// column with the number of the run.
func (w *work) factsArchives() map[string]string {
	list, twice := map[string]string{}, map[string]bool{}
	for _, s := range w.steps() {
		if s.Archive == nil || s.Archive.Existing == "keep" || s.Archive.Existing == "replace" || w.writesOtherwise(s.Archive.Into) {
			continue
		}
		if run := w.runColumn(s); run != "" {
			name := s.Archive.Into.String()
			twice[name] = twice[name] || list[name] != "" && list[name] != run
			list[name] = run
		}
	}
	maps.DeleteFunc(list, func(name, _ string) bool { return twice[name] })
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
