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
	"pgretain/policy"
	verifysql "pgretain/sql/verify"
)

// probe is a question that is asked in one transaction. It is asked if one of its checks is to be made.
type probe struct {
	skip  bool   // there is nothing to ask
	about string // completes "could not check ..."
	// codes are the checks that it makes, and those of later probes that depend on what it reads. Those that say
	// what could not be looked at belong to every probe.
	codes  []string
	check  func(reading) error
	policy *policy.Policy // whose own functions it calls, nil for none
	known  []string       // findings on that policy that say why these fail
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
		if err := inspect.Prepare(ctx, tx, new(strconv.FormatInt(max(v.opt.Timeout.Milliseconds(), 1), 10))); err != nil {
			return err
		}
		return f(r)
	})
}

// set has a setting hold for the rest of the transaction.
func (r reading) set(name, value string) error {
	_, err := r.tx.Exec(r.ctx, verifysql.Query("set", r.schema), name, value)
	return err
}

// obeying is a check that reads tables which are not the runtime's, under row security. In all others what a role may
// not see is an error.
func obeying(check func(reading) error) func(reading) error {
	return func(r reading) error {
		if err := r.set("row_security", "on"); err != nil {
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

// collect reads the rows of a query. It says what it means that a query answered NULL: where functions of PostgreSQL's own
// catalog do so instead of a name, a definition or a size, they lost sight of what the statement's snapshot still has.
func collect[T any](r reading, to pgx.RowToFunc[T], query string, args ...any) ([]T, error) {
	rows, _ := r.tx.Query(r.ctx, verifysql.Query(query, r.schema), args...) // rows give the same error
	list, err := pgx.CollectRows(rows, to)
	if null := (pgx.ScanArgError{}); errors.As(err, &null) && !ofOthers.MatchString(verifysql.Query(query, "retention")) {
		return nil, fmt.Errorf("%w: %w", inspect.ErrChanged, err)
	}
	return list, err
}

// collectRows reads the rows of a query into T, by the position of its fields.
func collectRows[T any](r reading, query string, args ...any) ([]T, error) {
	return collect(r, pgx.RowToStructByPos[T], query, args...)
}

// collectRow reads the only row of a query.
func collectRow[T any](r reading, query string, args ...any) (one T, err error) {
	list, err := collectRows[T](r, query, args...)
	if err == nil && len(list) != 1 {
		err = pgx.ErrNoRows
	}
	if err == nil {
		one = list[0]
	}
	return one, err
}

// collectJSON reads what a query answers as a text of JSON, for other queries.
func collectJSON(r reading, query string, args ...any) (json.RawMessage, error) {
	found, err := collectRow[struct{ JSON string }](r, query, args...)
	return json.RawMessage(found.JSON), err
}

// finding is a row of a query that answers findings: its columns have the names of a message's parts.
type finding struct {
	Place                                                                         int
	Policies                                                                      []string // all that it is about, where it says so
	Code, Policy, Kind, Object, Table, Severity, Message, Want, Got, Detail, Hint string
}

// eachNamed calls f for each row of a query, whose columns have the names of T's fields, if any.
func eachNamed[T any](r reading, query string, f func(T), args ...any) error {
	list, err := collect(r, pgx.RowToStructByNameLax[T], query, args...)
	for _, row := range list {
		f(row)
	}
	return err
}

// finds is a check whose query answers findings.
func (v *inspection) finds(code string, about []generator.Object, query string, args ...any) func(reading) error {
	return func(r reading) error {
		return eachNamed(r, query, func(f finding) { v.find(code, about, f) }, args...)
	}
}

// find adds a finding of a query. What the row leaves out is that of the object whose place it names, from 1; without a place
// it is where its policy is.
func (v *inspection) find(code string, about []generator.Object, f finding) {
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
			continue
		case ctx.Err() != nil:
			return ctx.Err()
		case p.policy != nil:
			v.uncounted[p.policy.Name] = true
		}
		if !v.failed(p, err) {
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
	if value, ok := errors.AsType[pgx.ScanArgError](err); ok {
		what, _, _ := strings.Cut(value.Err.Error(), " into *")
		return fmt.Sprintf("%s in column %q", what, value.FieldName)
	}
	if errors.Is(err, pgx.ErrNoRows) {
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
	case refused.Code == foreignCode, p.policy != nil && (v.found(p.policy.Name, p.known...) && meansNothing(refused) ||
		v.refusedToCount(p.policy, refused)): // a finding says it
		return true
	case refused.Code == "40001": // serialization_failure: on a standby, a conflict with recovery
		f.Code, f.Message = codeOnlyPrimary, fmt.Sprintf("checking %s stood in the way of replication", p.about)
		f.Hint = "Try again, verify the primary, or set hot_standby_feedback or a longer max_standby_streaming_delay on the standby."
	case refused.Code == "57014", refused.Code == "55P03": // query_canceled by statement_timeout, lock_not_available
		f.Code, f.Message = codeTimeout, fmt.Sprintf("checking %s took longer than %s", p.about, v.opt.Timeout)
		f.Hint = "Try again when the server is less busy, or allow more time."
	case v.refusedTo(refused) != "":
		role := v.refusedTo(refused)
		f.Detail = fmt.Sprintf("The server says to role %q, as which functions of the runtime run: %s.", role, refused.Message)
		f.Hint = grantHint(role, refused)
		v.lacks = append(v.lacks, lack{f, role, refused})
		return true
	case refused.Code == insufficientPrivilege:
		f.Detail = fmt.Sprintf("The server says to role %q: %s.", v.server.User, refused.Message)
		f.Hint = v.connectHint()
		if refused.Routine == "check_enable_rls" { // which no membership helps against
			f.Hint = "Connect as a superuser, or as a role with BYPASSRLS."
		}
	}
	v.add(f)
	return true
}

const insufficientPrivilege = "42501"

// lack is a finding on a probe that failed because a role lacks a privilege.
type lack struct {
	message message
	role    string
	err     *pgconn.PgError
}

// addLacks adds a finding for each probe that failed for want of a privilege, unless another finding is about that
// privilege. It is called after all probes, because that finding may be a later probe's.
func (v *inspection) addLacks() {
	for _, l := range v.lacks {
		if !v.knownLack(l.role, l.err) {
			v.add(l.message)
		}
	}
}

// refusedTo returns the owner of the innermost SECURITY DEFINER function of ours in which the server refused a
// privilege. It returns "" for other errors, and where the caller's own role lacks the privilege.
func (v *inspection) refusedTo(err *pgconn.PgError) string {
	if err.Code != insufficientPrivilege {
		return ""
	}
	for _, line := range strings.Split(err.Where, "\n") {
		_, call, ours := strings.Cut(line, " "+v.runtime(""))
		name, _, _ := strings.Cut(call, "(")
		for _, o := range v.objects(generator.KindFunction) {
			head, _, _ := strings.Cut(o.SQL, "AS $")
			if ours && strings.HasPrefix(v.inSchema(o), name+"(") && strings.Contains(head, "SECURITY DEFINER") {
				routine, _ := v.wantedRoutine(o) // checkRoutines reports the error
				return routine.Owner
			}
		}
	}
	return ""
}

// deniedObject matches PostgreSQL's message for a missing privilege: the kind of object, and its name without schema.
var deniedObject = regexp.MustCompile(`^permission denied for (\w+(?: \w+)*) (\S+|".*")$`)

// grantHint returns the statement that gives a role the privilege that the server missed. The message has the schema of
// no other object, so that hint is in words.
func grantHint(role string, err *pgconn.PgError) string {
	if m := deniedObject.FindStringSubmatch(err.Message); m != nil && m[1] == "schema" {
		return fmt.Sprintf("GRANT USAGE ON SCHEMA %s TO %s;", quote.Ident(m[2]), quote.Ident(role))
	}
	return fmt.Sprintf("Grant the privilege to role %q.", role)
}

// knownLack reports whether a finding is about the privilege that a role lacks by the server's message. The message names
// an object without its schema.
func (v *inspection) knownLack(role string, err *pgconn.PgError) bool {
	denied := deniedObject.FindStringSubmatch(err.Message)
	return denied != nil && slices.ContainsFunc(v.report.Findings, func(f Finding) bool {
		name, _, _ := strings.Cut(f.Object, "(")
		name = strings.TrimPrefix(name[strings.LastIndex(name, ".")+1:], "schema ")
		return slices.Contains([]string{codeTableRights, codePrivileges}, f.Code) && v.opt.Checks.shows(f.Code) &&
			strings.Trim(name, `"`) == denied[2] && strings.Contains(f.Message+f.Want, role)
	})
}

// connectHint is for a role that is none of the install's.
func (v *inspection) connectHint() string {
	if v.install.Roles.None {
		return fmt.Sprintf("Connect as %q, or as a superuser.", v.server.SchemaOwner)
	}
	return fmt.Sprintf("GRANT %s TO %s;", quote.Ident(v.install.Roles.Viewer), quote.Ident(v.server.User))
}
