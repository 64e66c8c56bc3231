package verifier

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/diag"
	"pgretain/policy"
)

// coverageGroups is empty where the file does not say that schemas are covered.
func (v *inspection) coverageGroups() []group {
	if v.file.Coverage == nil {
		return nil
	}
	return []group{
		{about: `the names under "coverage"`, codes: []string{codeCoverageName}, check: v.checkCoverageNames},
		{about: "tables without a policy", codes: []string{codeUncovered}, check: v.checkCoverage},
	}
}

// covered is what the file says of tables, for the query that looks for the others.
type covered struct {
	named    []string // policies take or change their rows, or they are protected, or exempt
	reached  []string // by foreign keys of deletes
	deleted  []string // from where
	detached []string // their partitions become tables of their own, which a policy drops
	written  []string // by steps
}

func (v *inspection) covered() covered {
	c := covered{named: []string{}, reached: []string{}, deleted: []string{}, detached: []string{}, written: []string{}}
	for _, t := range v.file.Protect {
		c.named = append(c.named, t.String())
	}
	for _, e := range v.file.Coverage.Exempt {
		c.named = append(c.named, e.Table.String())
	}
	drops := slices.ContainsFunc(v.file.Policies, func(p *policy.Policy) bool { return has(p, func(s policy.Step) bool { return s.DropTable != nil }) })
	for _, p := range v.file.Policies {
		c.add(p)
		if drops && p.Partitions && has(p, func(s policy.Step) bool { return s.Detach != nil }) {
			c.detached = append(c.detached, p.Table.String())
		}
	}
	return c
}

func has(p *policy.Policy, which func(policy.Step) bool) bool {
	return slices.ContainsFunc(p.Then, which)
}

func (c *covered) add(p *policy.Policy) {
	for _, use := range p.Covers() {
		if use.Reached {
			c.reached = append(c.reached, use.Table.String())
		} else {
			c.named = append(c.named, use.Table.String())
		}
	}
	for _, use := range p.Uses() {
		if use.Access.Insert {
			c.written = append(c.written, use.Table.String())
		}
	}
	c.deleted = append(c.deleted, deletes(p)...)
}

// uncovered is a table, or a root of partitions, that may grow for ever. Its oids are those of what
// holds the rows.
type uncovered struct {
	Schema, Table, Persistence string
	Partitioned                bool
	Parts                      int
	Rows, Inserted             *int64
	Since                      *time.Time
	OIDs                       []uint32
}

func (v *inspection) checkCoverage(ctx context.Context, tx pgx.Tx) error {
	schemas := names(v.file.Coverage.Schemas)
	c := v.covered()
	rows, err := seen[uncovered](ctx, tx, v.query("uncovered"), schemas, c.named, c.reached, c.deleted, c.detached, c.written)
	if err != nil {
		return err
	}
	sizes, err := v.sizes(ctx, tx, rows)
	for i, t := range rows {
		at := v.file.Coverage.Schemas[slices.Index(schemas, t.Schema)].Position
		v.uncovered(t, sizes[int32(i)], at)
	}
	return err
}

// sizes are those of tables by their place in the list; none where somebody has one of them to himself.
func (v *inspection) sizes(ctx context.Context, tx pgx.Tx, tables []uncovered) (map[int32]string, error) {
	var places []int32
	var oids []uint32
	for i, t := range tables {
		for _, oid := range t.OIDs {
			places, oids = append(places, int32(i)), append(oids, oid)
		}
	}
	type size struct {
		N    int32
		Text string
	}
	sizes := map[int32]string{}
	err := pgx.BeginFunc(ctx, tx, func(savepoint pgx.Tx) error {
		rows, err := seen[size](ctx, savepoint, v.query("sizes"), places, oids)
		for _, row := range rows {
			sizes[row.N] = row.Text
		}
		return err
	})
	if refused := (*pgconn.PgError)(nil); errors.As(err, &refused) {
		return map[int32]string{}, nil
	}
	return sizes, err
}

func names(list []policy.Name) []string {
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = n.Text
	}
	return texts
}

// coverageName is what a name under "coverage" stands for.
type coverageName struct {
	Table   bool
	N       int
	Found   bool
	Useless string
}

func (v *inspection) checkCoverageNames(ctx context.Context, tx pgx.Tx) error {
	c := v.file.Coverage
	exempt := make([]string, len(c.Exempt))
	for i, e := range c.Exempt {
		exempt[i] = e.Table.String()
	}
	rows, err := seen[coverageName](ctx, tx, v.query("coverage_names"), names(c.Schemas), exempt)
	for _, row := range rows {
		switch {
		case !row.Table && !row.Found:
			v.noSchema(c.Schemas[row.N-1])
		case row.Table && (!row.Found || row.Useless != ""):
			v.lostExemption(c.Exempt[row.N-1], row)
		}
	}
	return err
}

var codeCoverageName = register("V081", Coverage, "a schema or exemption that names nothing")

func (v *inspection) noSchema(schema policy.Name) {
	v.add(Finding{Code: codeCoverageName, Object: schema.Text, Position: schema.Position,
		Message: fmt.Sprintf("schema %q of \"coverage\" does not exist", schema.Text),
		Detail:  "Whatever it was renamed to is not looked at.", Hint: "Write its new name, or take it out."})
}

// lostExemption: a table that is gone; for information, one that is not looked at anyway.
func (v *inspection) lostExemption(e policy.Exemption, found coverageName) {
	f := Finding{Code: codeCoverageName, Object: e.Table.String(), Position: e.Table.Position, Hint: "Take the exemption out."}
	if e.Reason != "" {
		f.Detail = fmt.Sprintf("It is exempt for: %s.", e.Reason)
	}
	if found.Found {
		f.Severity = Info
		f.Message = fmt.Sprintf("table %q needs no exemption: %s", e.Table, found.Useless)
	} else {
		f.Message = fmt.Sprintf("table %q is exempt and does not exist", e.Table)
		f.Hint = "Write its new name, or take the exemption out."
	}
	v.add(f)
}

var codeUncovered = register("V080", Coverage, "a table without policy, protection or exemption")

// uncovered: size is "" where it could not be read.
func (v *inspection) uncovered(t uncovered, size string, at diag.Position) {
	name := t.Schema + "." + t.Table
	what := "table"
	if t.Partitioned {
		what = "partitioned table"
	} else if t.Persistence == "u" {
		what = "unlogged table"
	}
	v.add(Finding{Code: codeUncovered, Object: name, Position: at,
		Message: fmt.Sprintf("%s %q has no policy, no protection and no exemption", what, name),
		Detail:  strings.Join(append(v.growth(t, size), v.writers(name)...), " "),
		Hint:    fmt.Sprintf(`Write a policy for it, or name %s under "protect" or under "exempt" of "coverage".`, name)})
}

// growth says how large a table is, and what it got.
func (v *inspection) growth(t uncovered, size string) []string {
	var facts []string
	if t.Partitioned && t.Parts == 0 {
		return []string{"It has no partition yet."}
	}
	if size != "" {
		facts = append(facts, "It takes "+size)
	} else {
		facts = append(facts, "Its size could not be read, for somebody has it to himself")
	}
	if t.Partitioned {
		facts[0] += fmt.Sprintf(" in %s", plural(t.Parts, "partition"))
	}
	if t.Rows != nil {
		facts[0] += fmt.Sprintf(", about %s", plural(int(*t.Rows), "row"))
	}
	facts[0] += "."
	if t.Inserted != nil {
		since := "its statistics began"
		if t.Since != nil {
			since = instant(*t.Since)
		}
		facts = append(facts, fmt.Sprintf("%s inserted since %s.", were(*t.Inserted), since))
	}
	return facts
}

func were(rows int64) string {
	if rows == 1 {
		return "1 row was"
	}
	return fmt.Sprintf("%d rows were", rows)
}

// writers says which policies make a table grow, or name it and take nothing.
func (v *inspection) writers(name string) []string {
	var list []string
	for _, p := range v.file.Policies {
		for i, use := range p.Uses() {
			switch {
			case use.Table.String() != name:
				continue
			case i == 0:
				list = append(list, fmt.Sprintf("Policy %q is about it, and leaves its rows as they are.", p.Name))
			case use.Access.Insert:
				list = append(list, fmt.Sprintf("Policy %q writes to it.", p.Name))
			case use.Reached:
				list = append(list, fmt.Sprintf("Policy %q has it under \"cascades\", but no foreign key of it deletes rows.", p.Name))
			default:
				continue
			}
			break
		}
	}
	return list
}
