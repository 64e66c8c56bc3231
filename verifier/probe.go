package verifier

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/inspect"
	"pgretain/internal/messages"
	"pgretain/internal/pgparse"
	"pgretain/policy"
	verifysql "pgretain/sql/verify"
)

// probe is a check that runs in one transaction. It runs if one of its codes is selected.
type probe struct {
	skip  bool   // there is nothing to check
	needs string // function of the runtime without which the probe is skipped; "" if there is none
	about string // completes "could not check ..."
	// codes are the checks that the probe makes. They include checks of later probes that need the
	// data of this probe. Codes of group Sight belong to every probe.
	codes  []diag.Code
	check  func(reading) error
	policy *policy.Policy // policy whose functions the probe calls; nil if it calls none
	known  []diag.Code    // codes of findings on the policy that explain why its functions fail
	// more returns further probes, which need the data of earlier probes.
	more func() []probe
}

// reading is the transaction of a probe.
type reading struct {
	ctx    context.Context
	tx     pgx.Tx
	schema string // schema of the runtime
}

// read runs f in a READ ONLY transaction with settings that do not depend on the session. The
// isolation level is READ COMMITTED, so no snapshot outlives its statement.
func (v *inspection) read(ctx context.Context, conn *pgx.Conn, f func(reading) error) error {
	options := pgx.TxOptions{IsoLevel: pgx.ReadCommitted, AccessMode: pgx.ReadOnly}
	return pgx.BeginTxFunc(ctx, conn, options, func(tx pgx.Tx) error {
		r := reading{ctx, tx, v.install.Schema}
		timeout := strconv.FormatInt(max(v.opt.Timeout.Milliseconds(), 1), 10)
		if err := inspect.Prepare(ctx, tx, &timeout); err != nil {
			return err
		}
		return f(r)
	})
}

// set changes a setting for the rest of the transaction.
func (r reading) set(name, value string) error {
	_, err := r.tx.Exec(r.ctx, verifysql.Query("set", r.schema), name, value)
	return err
}

// withRowSecurity returns a check that reads tables outside the runtime with row security on. In
// other checks row security is off, so hidden rows raise an error.
func withRowSecurity(check func(reading) error) func(reading) error {
	return func(r reading) error {
		if err := r.set("row_security", "on"); err != nil {
			return err
		}
		return check(r)
	}
}

// savepoint runs f in a subtransaction. After an error in f the transaction continues.
func (r reading) savepoint(f func() error) error {
	return pgx.BeginFunc(r.ctx, r.tx, func(pgx.Tx) error { return f() })
}

// collect reads the rows of a query. A NULL answer is an error: a catalog function returns NULL if
// its object was dropped after the statement's snapshot.
func collect[T any](r reading, to pgx.RowToFunc[T], query string, args ...any) ([]T, error) {
	rows, _ := r.tx.Query(r.ctx, verifysql.Query(query, r.schema), args...) // reading the rows returns the same error
	list, err := pgx.CollectRows(rows, to)
	if null := (pgx.ScanArgError{}); errors.As(err, &null) && !readsOthers(verifysql.Query(query, "retention")) {
		return nil, fmt.Errorf("%w: %w", inspect.ErrChanged, err)
	}
	return list, err
}

// readsOthers reports whether a query names the runtime's schema or schema cron. A person may have
// changed rows of their tables by hand.
func readsOthers(query string) bool {
	for qualifier := range pgparse.QualifiedNames(query) {
		if qualifier == "retention" || qualifier == "cron" {
			return true
		}
	}
	return false
}

// collectRows reads the rows of a query into values of T, by position of the fields.
func collectRows[T any](r reading, query string, args ...any) ([]T, error) {
	return collect(r, pgx.RowToStructByPos[T], query, args...)
}

// collectTexts returns the only column of a query.
func collectTexts(r reading, query string, args ...any) ([]string, error) {
	return collect(r, pgx.RowTo[string], query, args...)
}

// collectNamed reads the rows of a query into values of T. Columns and fields have the same names.
func collectNamed[T any](r reading, query string, args ...any) ([]T, error) {
	return collect(r, pgx.RowToStructByName[T], query, args...)
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

// collectJSON reads the JSON answer of a query, as a parameter for other queries.
func collectJSON(r reading, query string, args ...any) (json.RawMessage, error) {
	found, err := collectRow[struct{ JSON string }](r, query, args...)
	return json.RawMessage(found.JSON), err
}

// eachFact calls f for each row of a query. The columns have the names of the fields of T.
func eachFact[T any](r reading, query string, f func(T), args ...any) error {
	list, err := collectNamed[T](r, query, args...)
	for _, row := range list {
		f(row)
	}
	return err
}

// reports returns a check that executes a query and adds a finding for each row. The function "say"
// makes the finding.
func reports[T any](v *inspection, say func(T) message, query string, args ...any) func(reading) error {
	return func(r reading) error {
		return eachFact(r, query, func(row T) { v.add(say(row)) }, args...)
	}
}

// ask runs probes one after another. An error from the server becomes a finding. ask returns an
// error only if the connection or the context has ended.
func (v *inspection) ask(ctx context.Context, probes []probe) error {
	for _, p := range probes {
		if p.more != nil && !p.skip {
			if err := v.ask(ctx, p.more()); err != nil {
				return err
			}
			continue
		}
		missing := p.needs != "" && v.found(v.install.Schema+"."+p.needs, messages.CodeMissing)
		if p.skip || missing || !v.opt.Checks.any(p.codes) {
			continue
		}
		before := len(v.report.Findings)
		err := v.read(ctx, v.conn, p.check)
		if concurrentlyDropped(err) { // try once more
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

// concurrentlyDropped reports whether an object was dropped after the statement's snapshot was
// taken. In this case catalog functions return NULL, which collectRows reports as an error, or they
// fail with internal_error.
func concurrentlyDropped(err error) bool {
	var refused *pgconn.PgError
	return errors.Is(err, inspect.ErrChanged) || errors.As(err, &refused) && refused.Code == "XX000"
}

// unscannable returns why an answer cannot be read; "" for other errors. A changed function may
// return NULL, and a row that a person wrote may contain an infinite timestamp.
func unscannable(err error) string {
	if value, ok := errors.AsType[pgx.ScanArgError](err); ok {
		what, _, _ := strings.Cut(value.Err.Error(), " into *")
		return fmt.Sprintf("%s in column %q", what, value.FieldName)
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return err.Error()
	}
	return ""
}

// failed adds the finding that says why a probe failed. It returns false for an error that does not
// come from the server.
func (v *inspection) failed(p probe, err error) bool {
	refused := &pgconn.PgError{}
	server := errors.As(err, &refused)
	said := serverError(refused)
	switch {
	case concurrentlyDropped(err):
		v.add(messages.ChangedMeanwhile(p.about, err))
	case unscannable(err) != "":
		v.add(messages.AnswerUnreadable(p.about, unscannable(err)))
	case !server || v.conn.IsClosed():
		return false
	case refused.Code == foreignCode, p.policy != nil && (v.found(p.policy.Name, p.known...) && meansNothing(refused) ||
		v.refusedToCount(p.policy, refused)): // another finding reports it
	case refused.Code == "40001": // serialization_failure: on a standby, a conflict with recovery
		v.add(messages.ConflictsWithReplication(p.about, said))
	case refused.Code == "57014", refused.Code == "55P03": // query_canceled by statement_timeout, lock_not_available
		v.add(messages.TookTooLong(p.about, v.opt.Timeout, said))
	case v.refusedTo(refused) != "":
		role := v.refusedTo(refused)
		v.lacks = append(v.lacks, lack{messages.FunctionDenied(p.about, role, refused.Message), role, refused})
	case refused.Code == insufficientPrivilege && refused.Routine == "check_enable_rls":
		v.add(messages.SessionDenied(p.about, v.server.User, refused.Message, messages.BypassRowSecurity))
	case refused.Code == insufficientPrivilege:
		v.add(messages.SessionDenied(p.about, v.server.User, refused.Message, v.connectHint()))
	default:
		v.add(messages.Unchecked(p.about, said))
	}
	return true
}

func serverError(err *pgconn.PgError) messages.ServerError {
	return messages.ServerError{Message: err.Message, Detail: err.Detail, SQLState: err.Code}
}

const insufficientPrivilege = "42501"

// lack is the finding for a probe that failed because a role lacks a privilege.
type lack struct {
	message message
	role    string
	err     *pgconn.PgError
}

// addLacks adds a finding for each probe that failed because a privilege is missing. It adds none
// if another finding reports the same privilege. It runs after all probes, because a later probe
// may add that other finding.
func (v *inspection) addLacks() {
	for _, l := range v.lacks {
		if !v.knownLack(l.role, l.err) {
			v.add(l.message)
		}
	}
}

// refusedTo returns the role that lacks a privilege, if the server refused the privilege in a
// SECURITY DEFINER function of the runtime. That role is the function's owner. refusedTo returns ""
// for other errors, and if the session's own role lacks the privilege.
func (v *inspection) refusedTo(err *pgconn.PgError) string {
	if err.Code != insufficientPrivilege {
		return ""
	}
	for _, line := range strings.Split(err.Where, "\n") {
		_, call, ours := strings.Cut(line, " "+v.runtime(""))
		name, _, _ := strings.Cut(call, "(")
		for _, o := range v.objects(generator.KindFunction) {
			if ours && strings.HasPrefix(v.inSchema(o), name+"(") && o.Routine.SecurityDefiner() {
				return v.wantedRoutine(o).Owner
			}
		}
	}
	return ""
}

// knownLack reports whether a finding already reports the privilege that a role lacks. It compares
// names without schemas, because the server's message contains no schema.
func (v *inspection) knownLack(role string, err *pgconn.PgError) bool {
	kind, denied := messages.DeniedObject(err.Message)
	return kind != "" && slices.ContainsFunc(v.report.Findings, func(f Finding) bool {
		name, _, _ := strings.Cut(f.Object, "(")
		name = strings.TrimPrefix(name[strings.LastIndex(name, ".")+1:], "schema ")
		return slices.Contains([]diag.Code{messages.CodeTableRights, messages.CodePrivileges}, f.Code) &&
			v.opt.Checks.shows(f.Code) &&
			strings.Trim(name, `"`) == denied && strings.Contains(f.Message+f.Want, role)
	})
}

// connectHint returns the hint for a role that is not a role of the install.
func (v *inspection) connectHint() string {
	if v.install.Roles.None {
		return messages.ConnectAs(v.server.SchemaOwner)
	}
	return messages.GrantViewer(v.install.Roles.Viewer, v.server.User)
}
