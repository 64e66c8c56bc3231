package verifier

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

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
