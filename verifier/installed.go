package verifier

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/parallel"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	verifysql "pgretain/sql/verify"
)

// pending reports what the migration directories have and the databases have not.
func (v *inspection) pending() {
	for _, name := range v.opt.Pending {
		v.add(message{Code: codePending, Object: name, Message: fmt.Sprintf("migration %q is not applied", name), Hint: "pgretain migrate up"})
	}
	for _, name := range v.opt.CronPending {
		v.add(message{Code: codePending, Object: name, Message: fmt.Sprintf("migration %q of the jobs is not applied", name),
			Hint: "pgretain migrate up --cron"})
	}
}

func (v *inspection) notInstalled() {
	if !v.opt.Checks.has(codeNotInstalled) {
		v.nothingRead("There is no such schema.", `Run "pgretain migrate up", or check that this is the right database.`)
		return
	}
	v.add(message{Code: codeNotInstalled, Position: v.install.Position,
		Message: fmt.Sprintf("schema %q does not exist in database %q", v.install.Schema, v.server.Database),
		Detail:  "It was never migrated, or the connection leads to another database.", Hint: "pgretain migrate up"})
}

// nothingRead: nothing can be checked in the runtime's schema. It is said where something should have been.
func (v *inspection) nothingRead(detail, hint string) {
	if slices.ContainsFunc(v.opt.Checks.Codes(), func(code string) bool { return checks[code].Group != Tables }) {
		v.add(message{Code: codeUnreadable, Severity: diag.Unknown, Position: v.install.Position,
			Message: fmt.Sprintf("could not check anything in schema %q", v.install.Schema), Detail: detail, Hint: hint})
	}
}

// standby says as of when everything is that the report says, and what it cannot say.
func (v *inspection) standby() {
	f := message{Code: codeStandby, Severity: Info, Position: v.install.Position, Message: "the server is a standby",
		Detail: "It has replayed all that it got."}
	if behind := v.server.Clock.Sub(v.server.Now).Round(time.Millisecond); !v.server.Now.Equal(v.server.Clock) {
		f.Detail = fmt.Sprintf("Everything is as of %s, %s ago; what happened since it does not know.", instant(v.server.Now), behind)
	}
	v.add(f)
	if !v.opt.Checks.any([]string{codeScheduler, codeLastRun}) {
		return
	}
	what := "whether a run that is written down as running is at work"
	if v.install.Scheduler == "pg_cron" {
		what = "whether the pg_cron scheduler is running and starts jobs, and " + what
	}
	v.add(message{Code: codeOnlyPrimary, Severity: diag.Unknown, Position: v.install.Position,
		Message: "some of it only the primary can tell", Detail: "Not looked at: " + what + ".",
		Hint: "Verify the primary, or leave this out: --skip V094."})
}

var relationKinds = map[generator.Kind]string{generator.KindType: "c", generator.KindTable: "r", generator.KindView: "v", generator.KindStored: "r"}

func (v *inspection) checkRelations(r reading) error {
	wanted := v.relations()
	kinds := mapped(wanted, func(o generator.Object) string { return relationKinds[o.Kind] })
	return v.finds("", wanted, "relations", v.install.Schema, mapped(wanted, v.inSchema), kinds, mapped(wanted, v.creator), repairHint)(r)
}

func (v *inspection) checkPaused(r reading) error {
	type pause struct{ Policy, By, At, Reason string }
	v.paused = map[string]bool{}
	return each(r, "paused", func(p pause) {
		v.paused[p.Policy] = true
		what, argument := fmt.Sprintf("policy %q is paused", p.Policy), quote.Literal(p.Policy)
		if p.Policy == "*" {
			what, argument = "all policies are paused", ""
		}
		if p.Reason != "" {
			p.At += ": " + p.Reason
		}
		v.add(message{Code: codePaused, Policy: p.Policy, Position: v.position(p.Policy), Message: what,
			Detail: fmt.Sprintf("By %q at %s.", p.By, p.At), Hint: fmt.Sprintf("SELECT %s(%s);", v.runtime("resume"), argument)})
	})
}

func (v *inspection) checkRegistry(r reading) error {
	wanted := v.objects(generator.KindInstall, generator.KindPolicy, generator.KindJob)
	err := v.finds(codeRowOrphan, nil, "row_orphans", mapped(wanted, func(o generator.Object) string { return string(o.Kind) }),
		mapped(wanted, func(o generator.Object) string { return o.Name }))(r)
	if err != nil {
		return err
	}
	sets, err := rowSets(wanted, v.install.Schema)
	for _, s := range sets {
		if err := v.addFound(r, "", s.objects, verifysql.RowsQuery(r.schema, s.table, s.columns, s.values), repairHint); err != nil {
			return err
		}
	}
	return err
}

// rowSet is rows of one table whose migrations write the same columns.
type rowSet struct {
	table   string
	columns []string
	objects []generator.Object
	values  [][]string
}

// rowsAtOnce bounds the text of one query; a row has a few kilobytes.
const rowsAtOnce = 500

// rowSets sorts the wanted rows by what can be compared in one query.
func rowSets(wanted []generator.Object, schema string) ([]*rowSet, error) {
	var list []*rowSet
	open := map[string]*rowSet{}
	rows, err := parallel.Each(wanted, func(o generator.Object) (pgparse.Insert, error) { return rowOf(o, schema) })
	for i, row := range rows {
		o := wanted[i]
		key := string(o.Kind) + " " + strings.Join(row.Columns, " ")
		s := open[key]
		if s == nil || len(s.objects) == rowsAtOnce {
			s = &rowSet{table: string(o.Kind), columns: row.Columns}
			open[key], list = s, append(list, s)
		}
		s.objects, s.values = append(s.objects, o), append(s.values, row.Values)
	}
	return list, err
}

// ownColumns are written by the migration too, but say where it ran: they are compared by the
// check for copies.
var ownColumns = []string{"system_identifier", "database_name"}

// rowOf is what a row's INSERT writes, and of a policy what its page registers; the key comes first.
func rowOf(o generator.Object, schema string) (pgparse.Insert, error) {
	if o.Kind == generator.KindPolicy {
		row := pgparse.Insert{Columns: []string{"name"}, Values: []string{quote.Literal(o.Name)}}
		for _, column := range slices.Sorted(maps.Keys(o.Row)) {
			if column != "name" {
				row.Columns = append(row.Columns, column)
				row.Values = append(row.Values, verifysql.RowValue(schema, "policy", column, o.Row[column]))
			}
		}
		return row, nil
	}
	insert, err := pgparse.ParseInsert(o.SQL)
	if err != nil {
		return pgparse.Insert{}, fmt.Errorf("reading the wanted %s %q: %w", o.Kind, o.Name, err)
	}
	var row pgparse.Insert
	if o.Kind == generator.KindInstall { // its key has a default
		row = pgparse.Insert{Columns: []string{"only_row"}, Values: []string{"true"}}
	}
	for i, column := range insert.Columns {
		if !slices.Contains(ownColumns, column) {
			row.Columns, row.Values = append(row.Columns, column), append(row.Values, insert.Values[i])
		}
	}
	return row, nil
}
