package verifier

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/inspect"
	"pgretain/internal/quote"
	verifysql "pgretain/sql/verify"
)

// probe is a question that is asked in one transaction. It is asked if one of its checks is to be made.
type probe struct {
	skip  bool   // there is nothing to ask
	about string // completes "could not check ..."
	// codes are the checks that it makes, and those of later probes that go by what it reads. Those that say
	// what could not be looked at belong to every probe.
	codes []string
	check func(reading) error
	// policies are what it looks at, where it looks at several at once: if it fails, none of them was checked.
	policies []string
	// more are probes that depend on what those before them read.
	more func() []probe
}

// reading is the transaction of a probe.
type reading struct {
	ctx    context.Context
	tx     pgx.Tx
	schema string // of the runtime
}

// read runs f in a READ ONLY transaction of its own, with settings that do not depend on the
// session. READ COMMITTED: no snapshot outlives a statement.
func (v *inspection) read(ctx context.Context, conn *pgx.Conn, f func(reading) error) error {
	options := pgx.TxOptions{IsoLevel: pgx.ReadCommitted, AccessMode: pgx.ReadOnly}
	return pgx.BeginTxFunc(ctx, conn, options, func(tx pgx.Tx) error {
		r := reading{ctx, tx, v.install.Schema}
		if err := r.exec("settings", strconv.FormatInt(max(v.opt.Timeout.Milliseconds(), 1), 10)); err != nil {
			return err
		}
		return f(r)
	})
}

// exec runs a query of which nobody needs the answer: one that sets something for the rest of the transaction.
func (r reading) exec(query string, args ...any) error {
	_, err := r.tx.Exec(r.ctx, verifysql.Query(query, r.schema), args...)
	return err
}

// obeying is a check that reads tables which are not the runtime's, under row security. In all others what a role may
// not see is an error.
func obeying(check func(reading) error) func(reading) error {
	return func(r reading) error {
		if err := r.exec("row_security_on"); err != nil {
			return err
		}
		return check(r)
	}
}

// savepoint runs f in a subtransaction: after an error of its own the transaction goes on.
func (r reading) savepoint(f func() error) error {
	return pgx.BeginFunc(r.ctx, r.tx, func(pgx.Tx) error { return f() })
}

// ofOthers are the schemas whose rows people may have written.
var ofOthers = regexp.MustCompile(`\b(retention|cron)\.`)

// collectRows reads the rows of a query into T, by the position of its fields.
func collectRows[T any](r reading, query string, args ...any) ([]T, error) {
	rows, _ := r.tx.Query(r.ctx, verifysql.Query(query, r.schema), args...) // rows give the same error
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[T])
	return list, changedMeanwhile(query, err)
}

// changedMeanwhile says what it means that a query answered NULL. Where functions of PostgreSQL's own catalog do so instead
// of a name, a definition or a size, they lost sight of what the statement's snapshot still has.
func changedMeanwhile(query string, err error) error {
	if null := (pgx.ScanArgError{}); errors.As(err, &null) && !ofOthers.MatchString(verifysql.Query(query, "retention")) {
		return fmt.Errorf("%w: %w", inspect.ErrChanged, err)
	}
	return err
}

// collectRow reads the only row of a query.
func collectRow[T any](r reading, query string, args ...any) (T, error) {
	rows, _ := r.tx.Query(r.ctx, verifysql.Query(query, r.schema), args...) // rows give the same error
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[T])
}

// each calls f for each row of a query.
func each[T any](r reading, query string, f func(T), args ...any) error {
	rows, err := collectRows[T](r, query, args...)
	for _, row := range rows {
		f(row)
	}
	return err
}

// finds is a check whose query answers findings: its columns have the names of a message's parts. The rest is that of the object
// whose place they name, from 1; without a place they are where their policy is.
func (v *inspection) finds(code string, about []generator.Object, query string, args ...any) func(reading) error {
	type finding struct {
		Place                                                                         int
		Policies                                                                      []string // all that it is about, where it says so
		Code, Policy, Kind, Object, Table, Severity, Message, Want, Got, Detail, Hint string
	}
	return func(r reading) error {
		rows, _ := r.tx.Query(r.ctx, verifysql.Query(query, r.schema), args...) // rows give the same error
		found, err := pgx.CollectRows(rows, pgx.RowToStructByNameLax[finding])
		for _, f := range found {
			o := generator.Object{Position: v.position(f.Policy)}
			if f.Place > 0 {
				o = about[f.Place-1]
			}
			for _, name := range f.Policies {
				v.unfit[name] = true
			}
			v.addKind(cmp.Or(generator.Kind(f.Kind), o.Kind), message{Code: cmp.Or(f.Code, code), Severity: diag.Severity(f.Severity),
				Position: o.Position, Policy: cmp.Or(f.Policy, o.Policy), Object: cmp.Or(f.Object, o.Name), Table: cmp.Or(f.Table, o.Table),
				Message: f.Message, Want: f.Want, Got: f.Got, Detail: f.Detail, Hint: f.Hint})
		}
		return changedMeanwhile(query, err)
	}
}

// ask makes probes one after the other. What the server refuses becomes a finding; an error means
// that the connection or the context is gone.
func (v *inspection) ask(ctx context.Context, probes []probe) error {
	for _, p := range probes {
		if p.more != nil && !p.skip {
			if err := v.ask(ctx, p.more()); err != nil {
				return err
			}
			continue
		}
		if p.skip || !v.opt.Checks.any(p.codes) {
			continue
		}
		before := len(v.report.Findings)
		err := v.read(ctx, v.conn, p.check)
		if vanished(err) { // look once more
			v.report.Findings = v.report.Findings[:before]
			err = v.read(ctx, v.conn, p.check)
		}
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return ctx.Err()
		case !v.failed(p, err):
			return fmt.Errorf("checking %s: %w", p.about, err)
		}
	}
	return nil
}

// vanished says whether PostgreSQL lost sight of an object that the statement's snapshot still has: its
// functions answer NULL then (collectRows has that), where they do not fail with internal_error.
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

// failed says why a probe could not be made. It answers false for an error that is not the server's.
func (v *inspection) failed(p probe, err error) bool {
	f := message{Code: codeUnreadable, Severity: diag.Unknown, Message: "could not check " + p.about}
	refused := &pgconn.PgError{}
	server := errors.As(err, &refused)
	if server {
		f.Detail = fmt.Sprintf("The server says: %s [%s].", refused.Message, refused.Code)
	}
	switch {
	case vanished(err):
		f.Code, f.Message = codeChanging, f.Message+": something changed while it was looked at"
		f.Detail, f.Hint = fmt.Sprintf("The last look ended with: %v.", err), "Verify again."
	case illegible(err) != "":
		f.Detail = fmt.Sprintf("The answer cannot be read: %s.", illegible(err))
	case !server || v.conn.IsClosed():
		return false
	case refused.Code == foreignCode: // V050 says it
		return true
	case refused.Code == "40001": // serialization_failure: on a standby, a conflict with recovery
		f.Code, f.Message = codeOnlyPrimary, fmt.Sprintf("checking %s stood in the way of replication", p.about)
		f.Hint = "Try again, verify the primary, or set hot_standby_feedback or a longer max_standby_streaming_delay on the standby."
	case refused.Code == "57014", refused.Code == "55P03": // query_canceled by statement_timeout, lock_not_available
		f.Code, f.Message = codeTimeout, fmt.Sprintf("checking %s took longer than %s", p.about, v.opt.Timeout)
		f.Hint = "Try again when the server is less busy, or allow more time."
	case v.refusedTo(refused) != "":
		if v.knownLack(refused) && len(p.policies) <= 1 {
			return true // which right that is, is said
		}
		f.Detail = fmt.Sprintf("The server says to role %q, as which functions of the runtime run: %s.", v.refusedTo(refused), refused.Message)
		f.Hint = fmt.Sprintf("Grant role %q what it lacks.", v.refusedTo(refused))
	case refused.Code == insufficientPrivilege:
		f.Detail = fmt.Sprintf("The server says to role %q: %s.", v.server.User, refused.Message)
		f.Hint = v.connectHint()
		if refused.Routine == "check_enable_rls" { // which no membership helps against
			f.Hint = "Connect as a superuser, or as a role with BYPASSRLS."
		}
	}
	f.Detail += p.unchecked()
	v.add(f)
	return true
}

// unchecked says, for a detail, which policies a probe did not get to.
func (p probe) unchecked() string {
	const named = 10
	names := mapped(p.policies, quoted)
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

const insufficientPrivilege = "42501"

// refusedTo is the role that lacks a right which a function has from its owner: the innermost of ours, of those
// that are not run as their caller; "" where that is none.
func (v *inspection) refusedTo(err *pgconn.PgError) string {
	if err.Code != insufficientPrivilege {
		return ""
	}
	ours := slices.DeleteFunc(v.objects(generator.KindFunction), func(o generator.Object) bool { return !isDefiner(o) })
	for _, line := range strings.Split(err.Where, "\n") {
		_, name, _ := strings.Cut(line, " "+v.runtime(""))
		name, _, called := strings.Cut(name, "(")
		at := slices.IndexFunc(ours, func(o generator.Object) bool { return strings.HasPrefix(o.Name, v.install.Schema+"."+name+"(") })
		if called && at >= 0 {
			return v.creator(ours[at])
		}
	}
	return ""
}

// isDefiner says whether a function of ours runs with its owner's rights, which its text says before its body.
func isDefiner(o generator.Object) bool {
	head, _, _ := strings.Cut(o.SQL, "AS $")
	return strings.Contains(head, "SECURITY DEFINER")
}

// knownLack says whether there is a finding on the right that the server misses: its message has the name of the
// object, without the schema.
func (v *inspection) knownLack(err *pgconn.PgError) bool {
	return slices.ContainsFunc(v.report.Findings, func(f Finding) bool {
		name, _, _ := strings.Cut(f.Object, "(")
		name = strings.TrimPrefix(name[strings.LastIndex(name, ".")+1:], "schema ")
		return f.Code == codeTableRights && name != "" && strings.Contains(err.Message, strings.Trim(name, `"`))
	})
}

// connectHint is for a role that is none of the install's.
func (v *inspection) connectHint() string {
	if v.install.Roles.None {
		return fmt.Sprintf("Connect as %q, or as a superuser.", v.server.SchemaOwner)
	}
	return fmt.Sprintf("GRANT %s TO %s;", quote.Ident(v.install.Roles.Viewer), quote.Ident(v.server.User))
}
