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

	"pgretain/internal/inspect"
)

// group is a set of checks that reads in one transaction. It runs if one of its checks is to be made.
type group struct {
	about string // completes "could not check ..."
	// codes are the checks that it makes, and those of later groups that go by what it reads. Those that say
	// what could not be looked at belong to every group.
	codes []string
	check func(context.Context, pgx.Tx) error
	// policies are what it looks at, where it looks at several at once: if it fails, none of them was checked.
	policies []string
}

// all runs groups one after the other. What the server refuses becomes a finding; an error means
// that the connection or the context is gone.
func (v *inspection) all(ctx context.Context, groups []group) error {
	for _, g := range groups {
		if !v.opt.Checks.any(g.codes) {
			continue
		}
		err := v.readTwice(ctx, g.check)
		var refused *pgconn.PgError
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return ctx.Err()
		case vanished(err):
			v.changingMeanwhile(g, err)
		case illegible(err) != "":
			v.answerUnread(g, illegible(err))
		case errors.As(err, &refused) && !v.conn.IsClosed():
			v.refused(g, refused)
		default:
			return fmt.Errorf("checking %s: %w", g.about, err)
		}
	}
	return nil
}

// readTwice looks once more at what vanished while it was looked at.
func (v *inspection) readTwice(ctx context.Context, f func(context.Context, pgx.Tx) error) error {
	before := len(v.report.Findings)
	err := v.read(ctx, f)
	if vanished(err) {
		v.report.Findings = v.report.Findings[:before]
		err = v.read(ctx, f)
	}
	return err
}

// vanished says whether PostgreSQL lost sight of an object that the statement's snapshot still has: its
// functions answer NULL then (seen has that), where they do not fail with internal_error.
func vanished(err error) bool {
	var refused *pgconn.PgError
	return errors.Is(err, inspect.ErrChanged) || errors.As(err, &refused) && refused.Code == "XX000"
}

// illegible says what is wrong with an answer that is none: a function that somebody changed may answer
// NULL, and a row that somebody wrote may hold an infinite instant. "" is for all other errors.
func illegible(err error) string {
	var value pgx.ScanArgError
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &value):
		what, _, _ := strings.Cut(value.Err.Error(), " into *")
		return fmt.Sprintf("%s in column %q", what, value.FieldName)
	case errors.Is(err, pgx.ErrNoRows), errors.Is(err, pgx.ErrTooManyRows), errors.As(err, &syntax), errors.As(err, &kind):
		return err.Error()
	}
	return ""
}

// refused is about what the server did not let a group do.
func (v *inspection) refused(g group, err *pgconn.PgError) {
	switch err.Code {
	case foreignCode: // V050 says it
	case "40001": // serialization_failure: on a standby, a conflict with recovery
		v.inTheWay(g, err)
	case "57014", "55P03": // query_canceled by statement_timeout, lock_not_available
		v.tookTooLong(g, err)
	default:
		v.unreadable(g, err)
	}
}

// unchecked says, for a detail, which policies a group did not get to.
func (g group) unchecked() string {
	const named = 10
	names := slices.Clone(g.policies)
	for i, name := range names {
		names[i] = quoted(name)
	}
	switch n := len(names); {
	case n == 0:
		return ""
	case n == 1:
		return " This was not checked for policy " + names[0] + "."
	case n <= named:
		return " This was not checked for policies " + strings.Join(names, ", ") + "."
	default:
		return fmt.Sprintf(" This was not checked for policies %s and %d more.", strings.Join(names[:named], ", "), n-named)
	}
}
