package verifier

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/generator"
	"pgretain/policy"
)

// manyRows is how many rows a table may have to be read as a whole; in larger ones an index must lead to
// what is asked.
const manyRows = 1e6

// column is what is known of a column before its rows are asked about.
type column struct {
	N       int
	NotNull bool
	Default string
	Indexed bool
	Rows    float64 // of the table, about
}

// cheap says whether rows can be found by the column without reading a large table.
func (c column) cheap() bool { return c.Indexed || c.Rows < manyRows }

// asked is what a policy's facts function is asked about.
type asked struct {
	policy   *policy.Policy
	clock    *policy.Clock // nil: not asked
	column   column        // of the clock
	archives []archive
}

// archive is one whose rows say which run they are of, and what the log says of these runs.
type archive struct {
	into policy.Table
	runs map[int64]int64 // rows by run
}

func (v *inspection) factGroups() []group {
	if !v.opt.Counts {
		return nil
	}
	return []group{{about: "what may be asked about rows", codes: factCodes(), check: v.readAsked}}
}

// factCodes are the checks that go by the answers.
func factCodes() []string { return []string{codeNoClock, codeFarAhead, codeArchiveDiffers} }

// readAsked finds the policies of which something may be asked.
func (v *inspection) readAsked(ctx context.Context, tx pgx.Tx) error {
	var list []asked
	for _, p := range v.file.Policies {
		a := asked{policy: p}
		if k := clocks(p); len(k) == 1 && k[0].Kind != "position" && !p.Partitions {
			a.clock = k[0]
		}
		for _, into := range generator.MarkedArchives(p) {
			if !v.changedByPolicies(into.Table) {
				a.archives = append(a.archives, archive{into: into.Table, runs: map[int64]int64{}})
			}
		}
		if a.clock != nil || len(a.archives) > 0 {
			list = append(list, a)
		}
	}
	if err := v.readClocks(ctx, tx, list); err != nil {
		return err
	}
	v.asked = list
	return v.readArchivedRuns(ctx, tx, list)
}

// readClocks drops what would read a large table as a whole.
func (v *inspection) readClocks(ctx context.Context, tx pgx.Tx, list []asked) error {
	var tables, columns []string
	for _, a := range list {
		name := ""
		if a.clock != nil {
			name = a.clock.Column
		}
		tables, columns = append(tables, a.policy.Table.String()), append(columns, name)
	}
	rows, err := seen[column](ctx, tx, v.query("clocks"), tables, columns)
	for _, c := range rows {
		a := &list[c.N-1]
		a.column = c
		if !c.cheap() {
			a.clock = nil
		}
	}
	return err
}

// changedByPolicies says whether a policy takes or changes rows of an archive, which is no loss.
func (v *inspection) changedByPolicies(into policy.Table) bool {
	return slices.ContainsFunc(v.file.Policies, func(p *policy.Policy) bool {
		return slices.ContainsFunc(p.Changes(), func(t policy.Table) bool { return t.String() == into.String() })
	})
}

// readArchivedRuns finds the runs to count, of archives where that costs little.
func (v *inspection) readArchivedRuns(ctx context.Context, tx pgx.Tx, list []asked) error {
	var policies, tables, columns []string
	var places []*archive
	for i := range list {
		marks := generator.MarkedArchives(list[i].policy)
		for j := range list[i].archives {
			a := &list[i].archives[j]
			k := slices.IndexFunc(marks, func(m generator.MarkedArchive) bool { return m.Table.String() == a.into.String() })
			policies, tables, columns = append(policies, list[i].policy.Name), append(tables, a.into.String()), append(columns, marks[k].Run)
			places = append(places, a)
		}
	}
	if len(places) == 0 {
		return nil
	}
	known, err := seen[column](ctx, tx, v.query("clocks"), tables, columns)
	if err != nil {
		return err
	}
	cheap := map[int]bool{}
	for _, c := range known {
		cheap[c.N] = c.cheap()
	}
	type logged struct {
		N         int
		Run, Rows int64
	}
	rows, err := many[logged](ctx, tx, v.query("archived_runs"), policies, tables)
	for _, r := range rows {
		if cheap[r.N] {
			places[r.N-1].runs[r.Run] = r.Rows
		}
	}
	return err
}

// askedGroups ask policy by policy.
func (v *inspection) askedGroups() []group {
	var groups []group
	for _, a := range v.asked {
		groups = append(groups, group{about: fmt.Sprintf("clocks and archives of policy %q", a.policy.Name), codes: factCodes(), check: func(ctx context.Context, tx pgx.Tx) error {
			return v.checkFacts(ctx, tx, a)
		}})
	}
	return groups
}

// facts is what a policy's function answers.
type facts struct {
	NoClock  int64  `json:"no_clock"`
	Ahead    int64  `json:"ahead"`
	First    string `json:"first"` // as the clock prints it
	Last     string `json:"last"`
	AllAhead bool   `json:"all_ahead"`
}

func (v *inspection) checkFacts(ctx context.Context, tx pgx.Tx, a asked) error {
	var runs []int64
	for _, archive := range a.archives {
		for run := range archive.runs {
			runs = append(runs, run)
		}
	}
	limit := 0
	if a.clock != nil {
		limit = countLimit
	}
	if limit == 0 && len(runs) == 0 || v.notRead[a.policy.Name] {
		return nil // one cause, one finding
	}
	var found struct{ JSON string }
	err := pgx.BeginFunc(ctx, tx, func(savepoint pgx.Tx) error {
		var err error
		found, err = one[struct{ JSON string }](ctx, savepoint, v.query("facts"), a.policy.Name, v.server.Now, runs, limit)
		return err
	})
	if err != nil {
		return v.unlessKnown(err, a.policy)
	}
	var answer facts
	archived := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(found.JSON), &answer); err != nil {
		return fmt.Errorf("reading the facts of policy %q: %w", a.policy.Name, err)
	}
	_ = json.Unmarshal([]byte(found.JSON), &archived)
	if answer.NoClock > 0 {
		v.noClock(a, answer.NoClock)
	}
	if answer.Ahead > 0 {
		v.farAhead(a, answer)
	}
	for _, archive := range a.archives {
		v.compareArchived(a.policy, archive, archived[archive.into.String()])
	}
	return nil
}

// unlessKnown forgets the error of a function that is missing, was changed, or misses a table or a column, where
// that has a finding.
func (v *inspection) unlessKnown(err error, p *policy.Policy) error {
	if v.refusedToCount(p, err) {
		return nil
	}
	var refused *pgconn.PgError
	if !errors.As(err, &refused) || !slices.Contains([]string{"42P01", "42703", "42883"}, refused.Code) {
		return err
	}
	if v.found(p, codeMissing, codeDiffers, codeNoTable, codeNoColumn) {
		return nil
	}
	return err
}

// compareArchived compares what an archive holds of each run with the run log.
func (v *inspection) compareArchived(p *policy.Policy, a archive, answer json.RawMessage) {
	if answer == nil {
		return // the archive cannot tell
	}
	live := map[int64]int64{}
	if json.Unmarshal(answer, &live) != nil {
		return
	}
	var differ []archivedRun
	for run, logged := range a.runs {
		if live[run] != logged {
			differ = append(differ, archivedRun{run, logged, live[run]})
		}
	}
	if len(differ) > 0 {
		slices.SortFunc(differ, func(a, b archivedRun) int { return int(a.run - b.run) })
		v.archiveDiffers(p, a.into, differ)
	}
}

// checkArchives: a column that the rows have got since would go without a copy.
func (v *inspection) checkArchives(live map[string][]string) {
	for _, p := range v.file.Policies {
		for _, s := range p.Then {
			from := p.Table
			if s.Related != nil {
				from = s.Related.Table
			}
			if s.Archive == nil || s.Archive.Document != "" || p.Partitions && s.Related == nil {
				continue
			}
			rows, archive := live[from.String()], live[s.Archive.Into.String()]
			if rows == nil || archive == nil {
				continue // a finding of its own
			}
			for _, column := range rows {
				if !slices.Contains(archive, column) && !slices.ContainsFunc(s.Archive.Set, func(a policy.Assignment) bool { return a.Column == column }) {
					v.notCopied(p, s, from, column)
				}
			}
		}
	}
}

var codeArchiveDiffers = register("V063", Conformance, "an archive does not hold what the run log says")

// archivedRun is a run whose rows in an archive are more or fewer than it wrote.
type archivedRun struct{ run, logged, live int64 }

func (v *inspection) archiveDiffers(p *policy.Policy, into policy.Table, differ []archivedRun) {
	var want, got []string
	for i, d := range differ {
		if i == 5 {
			want, got = append(want, "..."), append(got, "...")
			break
		}
		want, got = append(want, fmt.Sprintf("run %d: %d", d.run, d.logged)), append(got, fmt.Sprintf("run %d: %d", d.run, d.live))
	}
	v.add(Finding{Code: codeArchiveDiffers, Policy: p.Name, Position: into.Position, Object: into.String(),
		Message: fmt.Sprintf("archive %q does not hold what policy %q archived, in %s", into, p.Name, plural(len(differ), "run")),
		Want:    strings.Join(want, ", "), Got: strings.Join(got, ", "),
		Detail: "Nothing of this policy file takes rows from there: somebody else deleted, changed or added some.",
		Hint:   "Look for the lost rows in a backup. If an application may delete there, a policy on the archive says so."})
}
