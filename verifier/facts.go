package verifier

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/policy"
)

// manyRows is how many rows a table may have to be read as a whole; in larger ones an index must lead to
// what is asked.
const manyRows = 1e6

// column is what is known of a column before its rows are asked about.
type column struct {
	N       int
	Default string
	Indexed bool
	Rows    float64 // of the table, about
}

// cheap says whether rows can be found by the column without reading a large table.
func (c column) cheap() bool { return c.Indexed || c.Rows < manyRows }

// factQuery is what a policy's facts function is asked about.
type factQuery struct {
	policy   *policy.Policy
	clock    *policy.Clock // nil: not asked
	column   column        // of the clock
	archives []*archive
}

// archive is one whose rows say which run they are of, and what the log says of these runs.
type archive struct {
	policy string
	into   policy.Table
	cheap  bool            // its rows may be counted
	runs   map[int64]int64 // rows by run
}

// codesOfFacts are the checks that go by the answers.
var codesOfFacts = []string{codeNoClock, codeFarAhead, codeArchiveDiffers}

// readFactQueries finds the policies of which something may be asked: that reads no large table as a whole. Archives
// from which a policy takes rows, or where it changes them, have lost nothing.
func (v *inspection) readFactQueries(r reading) error {
	var changed []string
	for _, p := range v.file.Policies {
		changed = append(changed, mapped(p.Changes(), policy.Table.String)...)
	}
	var tables, columns []string
	var known []func(column)
	look := func(table policy.Table, column string, f func(column)) {
		tables, columns, known = append(tables, table.String()), append(columns, column), append(known, f)
	}
	marks := map[string]map[string]string{} // by policy and archive, the column with the number of the run
	for _, o := range v.objects(generator.KindPolicy) {
		var facts struct{ Archives map[string]string }
		if err := json.Unmarshal(o.Row["facts"], &facts); err != nil {
			return fmt.Errorf("reading the facts of policy %q: %w", o.Policy, err)
		}
		marks[o.Policy] = facts.Archives
	}
	var archives []*archive
	v.facts = nil
	for _, p := range v.file.Policies {
		q := &factQuery{policy: p}
		if k := p.DueClocks(); len(k) == 1 && k[0].Kind != "position" && !p.Partitions {
			q.clock = k[0]
			look(p.Table, q.clock.Column, func(c column) {
				if q.column = c; !c.cheap() {
					q.clock = nil
				}
			})
		}
		for _, s := range p.Then {
			if s.Archive == nil || marks[p.Name][s.Archive.Into.String()] == "" || slices.Contains(changed, s.Archive.Into.String()) {
				continue
			}
			a := &archive{policy: p.Name, into: s.Archive.Into, runs: map[int64]int64{}}
			look(a.into, marks[p.Name][a.into.String()], func(c column) { a.cheap = c.cheap() })
			q.archives = append(q.archives, a)
			delete(marks[p.Name], a.into.String()) // once
		}
		archives, v.facts = append(archives, q.archives...), append(v.facts, q)
	}
	if len(tables) == 0 {
		return nil
	}
	if err := each(r, "clocks", func(c column) { known[c.N-1](c) }, tables, columns); err != nil {
		return err
	}
	type logged struct {
		N         int
		Run, Rows int64
	}
	return each(r, "archived_runs", func(l logged) {
		if a := archives[l.N-1]; a.cheap {
			a.runs[l.Run] = l.Rows
		}
	}, mapped(archives, func(a *archive) string { return a.policy }), mapped(archives, func(a *archive) string { return a.into.String() }))
}

// factProbes ask policy by policy. Where the rows could not be counted they are not asked about: one cause, one finding.
func (v *inspection) factProbes() []probe {
	return mapped(v.facts, func(q *factQuery) probe {
		return probe{skip: v.uncounted[q.policy.Name] || q.clock == nil && len(q.archives) == 0, about: fmt.Sprintf("clocks and archives of policy %q", q.policy.Name), codes: codesOfFacts,
			check: func(r reading) error { return v.checkFacts(r, q) }}
	})
}

// facts is what a policy's function answers.
type facts struct {
	NoClock  int64  `json:"no_clock"`
	Ahead    int64  `json:"ahead"`
	First    string `json:"first"` // as the clock prints it
	Last     string `json:"last"`
	AllAhead bool   `json:"all_ahead"`
}

func (v *inspection) checkFacts(r reading, q *factQuery) error {
	var runs []int64
	for _, a := range q.archives {
		runs = slices.AppendSeq(runs, maps.Keys(a.runs))
	}
	limit := 0
	if q.clock != nil {
		limit = countLimit
	}
	if limit == 0 && len(runs) == 0 {
		return nil
	}
	var found struct{ JSON string }
	err := r.savepoint(func() (err error) {
		found, err = collectRow[struct{ JSON string }](r, "facts", q.policy.Name, v.server.Now, runs, limit)
		return err
	})
	if err != nil {
		return v.unlessKnown(err, q.policy)
	}
	var answer facts
	if err := json.Unmarshal([]byte(found.JSON), &answer); err != nil {
		return fmt.Errorf("reading the facts of policy %q: %w", q.policy.Name, err)
	}
	if answer.NoClock > 0 {
		v.noClock(q, answer.NoClock)
	}
	if answer.Ahead > 0 {
		v.farAhead(q, answer)
	}
	archived := map[string]json.RawMessage{}
	_ = json.Unmarshal([]byte(found.JSON), &archived)
	for _, a := range q.archives {
		v.compareArchived(q.policy, a, archived[a.into.String()])
	}
	return nil
}

// unlessKnown forgets the error of a function that is missing, was changed, or misses a table or a column, where
// that has a finding.
func (v *inspection) unlessKnown(err error, p *policy.Policy) error {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	if v.refusedToCount(p, err) || ok && slices.Contains([]string{"42P01", "42703", "42883"}, refused.Code) &&
		v.found(p.Name, codeMissing, codeDiffers, codeNoTable, codeUnexpected) {
		return nil
	}
	return err
}

// compareArchived compares what an archive holds of each run with the run log. It cannot tell without an answer.
func (v *inspection) compareArchived(p *policy.Policy, a *archive, answer json.RawMessage) {
	live := map[int64]int64{}
	if answer == nil || json.Unmarshal(answer, &live) != nil {
		return
	}
	differ := slices.DeleteFunc(slices.Sorted(maps.Keys(a.runs)), func(run int64) bool { return live[run] == a.runs[run] })
	if len(differ) == 0 {
		return
	}
	list := func(rows map[int64]int64) string {
		words := mapped(differ[:min(len(differ), 5)], func(run int64) string { return fmt.Sprintf("run %d: %d", run, rows[run]) })
		if len(differ) > 5 {
			words = append(words, "...")
		}
		return strings.Join(words, ", ")
	}
	v.add(message{Code: codeArchiveDiffers, Policy: p.Name, Position: a.into.Position, Object: a.into.String(),
		Message: fmt.Sprintf("archive %q does not hold what policy %q archived, in %s", a.into, p.Name, plural(len(differ), "run")),
		Want:    list(a.runs), Got: list(live),
		Detail: "Nothing of this policy file takes rows from there: somebody else deleted, changed or added some.",
		Hint:   "Look for the lost rows in a backup. If an application may delete there, a policy on the archive says so."})
}

func (q *factQuery) message(code string) message {
	return message{Code: code, Severity: Info, Policy: q.policy.Name, Position: q.clock.Position,
		Object: q.policy.Table.String()}
}

// noClock is for information, since a row without an instant is not due unless the policy says so. Where the
// column has a default nobody left it out: somebody wrote NULL, and whether that is meant the policy
// file can say.
func (v *inspection) noClock(q *factQuery, rows int64) {
	f := q.message(codeNoClock)
	if q.column.Default != "" {
		f.Severity = diag.Drift
	}
	v.say(f, "no clock", words{"Rows": rows, "Column": q.clock.Column, "Default": q.column.Default})
}

// farAhead is for information: an expiry in the year 9999 may well be meant. It is drift where all rows have
// one, and their numbers are instants in a smaller unit than the policy says.
func (v *inspection) farAhead(q *factQuery, found facts) {
	f := q.message(codeFarAhead)
	encoding := q.clock.Encoding.Kind
	unit := smallerUnit(encoding, found, v.server.Now)
	if unit != "" {
		f.Severity = diag.Drift
	}
	v.say(f, "far ahead", words{"Rows": found.Ahead, "First": found.First, "Last": found.Last, "Encoding": encoding,
		"Unit": unit})
}

// smallerUnit is the unit in which numbers are instants of our time that lie far ahead as they are read, ""
// for none. One number for all rows is a word for "never".
func smallerUnit(encoding string, found facts, now time.Time) string {
	perSecond, known := map[string]float64{"epoch_s": 1, "epoch_ms": 1e3}[encoding]
	first, errFirst := strconv.ParseFloat(found.First, 64)
	last, errLast := strconv.ParseFloat(found.Last, 64)
	if !known || !found.AllAhead || first == last || errFirst != nil || errLast != nil {
		return ""
	}
	for _, unit := range []struct {
		name      string
		perSecond float64
	}{{"milliseconds", 1e3}, {"microseconds", 1e6}, {"nanoseconds", 1e9}} {
		if unit.perSecond > perSecond && ourTime(first/unit.perSecond, now) && ourTime(last/unit.perSecond, now) {
			return unit.name
		}
	}
	return ""
}

// ourTime says whether seconds since 1970 lie between 1990 and a hundred years from now.
func ourTime(seconds float64, now time.Time) bool {
	return seconds >= 631152000 && seconds <= float64(now.AddDate(100, 0, 0).Unix())
}
