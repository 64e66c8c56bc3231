package verifier

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/quote"
	"pgretain/policy"
	verifysql "pgretain/sql/verify"
)

var codeDueDiffers = register("V065", Conformance, "what people see as due is not what runs count")

// dueTimeout is for a comparison that is worth no more.
const dueTimeout = time.Second

func (v *inspection) dueGroups() []group {
	if !v.opt.Counts {
		return nil
	}
	var groups []group
	for _, p := range v.file.Policies {
		groups = append(groups, group{about: fmt.Sprintf("what is due under policy %q", p.Name), codes: []string{codeDueDiffers}, check: func(ctx context.Context, tx pgx.Tx) error {
			return v.checkDue(ctx, tx, p)
		}})
	}
	return groups
}

// checkDue says nothing where the role may not read all that the policy reads, and where the answer takes
// long: the function for people runs with the rights of its caller.
func (v *inspection) checkDue(ctx context.Context, tx pgx.Tx, p *policy.Policy) error {
	type numbers struct{ Due, Count int64 }
	var found numbers
	err := pgx.BeginFunc(ctx, tx, func(savepoint pgx.Tx) error {
		path := "pg_catalog"
		for _, schema := range v.install.SearchPath {
			path += ", " + quote.Ident(schema)
		}
		timeout := strconv.FormatInt(min(v.opt.Timeout, dueTimeout).Milliseconds(), 10)
		if _, err := savepoint.Exec(ctx, v.query("as_batches"), path+", pg_temp", v.install.TimeZone, timeout); err != nil {
			return err
		}
		var err error
		found, err = one[numbers](ctx, savepoint, verifysql.PolicyQuery("due_and_count", v.install.Schema, p.Name), v.server.Now, countLimit+1, p.Name)
		return err
	})
	var refused *pgconn.PgError
	switch {
	case errors.As(err, &refused) && ctx.Err() == nil && !v.conn.IsClosed():
		return nil // what is missing or broken has a finding of its own
	case err != nil:
		return err
	case found.Due != found.Count:
		v.dueDiffers(p, found.Due, found.Count)
	}
	return nil
}

func (v *inspection) dueDiffers(p *policy.Policy, due, count int64) {
	v.add(Finding{Code: codeDueDiffers, Policy: p.Name, Position: p.Position,
		Message: fmt.Sprintf("%s.%s_due() finds other rows than %s.%s_count() at the same instant", v.install.Schema, p.Name, v.install.Schema, p.Name),
		Want:    fmt.Sprintf("%d due", count), Got: fmt.Sprintf("%d due", due),
		Detail: "Runs go by the latter.", Hint: "Run the statements of both functions from the last migration that has them again."})
}
