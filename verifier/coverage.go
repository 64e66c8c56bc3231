package verifier

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/policy"
)

// covered is what the file says of tables, for the query that looks for the others.
type covered struct {
	named    []string // policies take or change their rows, or they are protected, or exempt
	reached  []string // by foreign keys of deletes
	deleted  []string // from where
	detached []string // their partitions become tables of their own, which a policy drops
	written  []string // by steps
}

func (v *inspection) covered() covered {
	c := covered{named: mapped(v.file.Protect, policy.Table.String), reached: []string{}, deleted: []string{}, detached: []string{}, written: []string{}}
	c.named = append(c.named, mapped(v.file.Coverage.Exempt, exempted)...)
	has := func(p *policy.Policy, which func(policy.Step) bool) bool { return slices.ContainsFunc(p.Then, which) }
	drops := slices.ContainsFunc(v.file.Policies, func(p *policy.Policy) bool {
		return has(p, func(s policy.Step) bool { return s.DropTable != nil })
	})
	for _, p := range v.file.Policies {
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
		for _, s := range p.Then { // what refers to a partition keeps it
			switch {
			case s.Delete == nil:
			case s.Related != nil:
				c.deleted = append(c.deleted, s.Related.Table.String())
			default:
				c.deleted = append(c.deleted, p.Table.String())
			}
		}
		if drops && p.Partitions && has(p, func(s policy.Step) bool { return s.Detach != nil }) {
			c.detached = append(c.detached, p.Table.String())
		}
	}
	return c
}

func exempted(e policy.Exemption) string { return e.Table.String() }

func nameText(n policy.Name) string { return n.Text }

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

func (v *inspection) checkCoverage(r reading) error {
	schemas, c := mapped(v.file.Coverage.Schemas, nameText), v.covered()
	tables, err := collectRows[uncovered](r, "uncovered", schemas, c.named, c.reached, c.deleted, c.detached, c.written)
	if err != nil {
		return err
	}
	sizes, err := readSizes(r, tables)
	for i, t := range tables {
		name, what := t.Schema+"."+t.Table, "table"
		if t.Partitioned {
			what = "partitioned table"
		} else if t.Persistence == "u" {
			what = "unlogged table"
		}
		v.add(message{Code: codeUncovered, Object: name, Position: v.file.Coverage.Schemas[slices.Index(schemas, t.Schema)].Position,
			Message: fmt.Sprintf("%s %q has no policy, no protection and no exemption", what, name),
			Detail:  strings.Join(append(growth(t, sizes[i]), v.writers(name)...), " "),
			Hint:    fmt.Sprintf(`Write a policy for it, or name %s under "protect" or under "exempt" of "coverage".`, name)})
	}
	return err
}

// readSizes are those of tables by their place in the list; none where one of them is locked.
func readSizes(r reading, tables []uncovered) (map[int]string, error) {
	var places []int32
	var oids []uint32
	for i, t := range tables {
		for _, oid := range t.OIDs {
			places, oids = append(places, int32(i)), append(oids, oid)
		}
	}
	type size struct {
		N    int
		Text string
	}
	sizes := map[int]string{}
	err := r.savepoint(func() error {
		return each(r, "sizes", func(s size) { sizes[s.N] = s.Text }, places, oids)
	})
	if refused := (*pgconn.PgError)(nil); errors.As(err, &refused) {
		return map[int]string{}, nil
	}
	return sizes, err
}

// growth says how large a table is, and what it got; size is "" where it could not be read.
func growth(t uncovered, size string) []string {
	if t.Partitioned && t.Parts == 0 {
		return []string{"It has no partition yet."}
	}
	fact := "It takes " + size
	if size == "" {
		fact = "Its size could not be read, for somebody has it to himself"
	}
	if t.Partitioned {
		fact += " in " + plural(t.Parts, "partition")
	}
	if t.Rows != nil {
		fact += ", about " + plural(*t.Rows, "row")
	}
	facts := []string{fact + "."}
	if t.Inserted != nil {
		since := "its statistics began"
		if t.Since != nil {
			since = instant(*t.Since)
		}
		facts = append(facts, fmt.Sprintf("%s inserted since %s.", verb(*t.Inserted, "1 row was", fmt.Sprintf("%d rows were", *t.Inserted)), since))
	}
	return facts
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

// checkCoverageNames looks up the names under "coverage". A table that is gone is drift; for information is one that is
// not looked at anyway.
func (v *inspection) checkCoverageNames(r reading) error {
	type meaning struct {
		Table   bool
		N       int
		Found   bool
		Useless string
	}
	c := v.file.Coverage
	return each(r, "coverage_names", func(m meaning) {
		f := message{Code: codeCoverageName}
		switch {
		case m.Found && m.Useless == "":
			return
		case !m.Table:
			schema := c.Schemas[m.N-1]
			f.Object, f.Position = schema.Text, schema.Position
			f.Message = fmt.Sprintf("schema %q of \"coverage\" does not exist", schema.Text)
			f.Detail, f.Hint = "Whatever it was renamed to is not looked at.", "Write its new name, or take it out."
			v.add(f)
			return
		}
		e := c.Exempt[m.N-1]
		f.Object, f.Position = e.Table.String(), e.Table.Position
		f.Message, f.Hint = fmt.Sprintf("table %q is exempt and does not exist", e.Table), "Write its new name, or take the exemption out."
		if m.Found {
			f.Severity, f.Message = Info, fmt.Sprintf("table %q needs no exemption: %s", e.Table, m.Useless)
			f.Hint = "Take the exemption out."
		}
		if e.Reason != "" {
			f.Detail = fmt.Sprintf("It is exempt for: %s.", e.Reason)
		}
		v.add(f)
	}, mapped(c.Schemas, nameText), mapped(c.Exempt, exempted))
}
