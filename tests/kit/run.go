package kit

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/quote"
	"pgretain/tests/pgtest"
)

// Outcome is how a run ended: its row in retention.run, and the error that CALL raised.
type Outcome struct {
	ID                                          int64
	Policy                                      string
	State, Message, SQLState, Note              string
	Due                                         *int64
	Scanned, Taken, Contended, Refused, Batches int64
	Kept, Related, Cascaded                     map[string]int64
	Summary                                     string // the procedure's INOUT parameter
	Err                                         *pgconn.PgError
}

// Run calls retention.run as the runner and reads the run's row in retention.run. The argument asOf
// is a timestamp in SQL's notation.
func (in *Installed) Run(policy, asOf string) Outcome {
	in.t.Helper()
	var o Outcome
	o.Policy = policy
	o.Summary, o.Err = in.Call("CALL "+in.schema()+".run($1, $2)", policy, asOf)
	in.read(&o, policy)
	return o
}

// Done runs a policy like Run, and fails the test unless the run ends "done".
func (in *Installed) Done(policy, asOf string) Outcome {
	in.t.Helper()
	o := in.Run(policy, asOf)
	if o.State != "done" || o.Err != nil {
		in.t.Fatalf("run of %s ended %s: %s %s %v", policy, o.State, o.SQLState, o.Message, o.Err)
	}
	return o
}

// Last returns the newest run of a policy in retention.run. Any session may have started this run.
func (in *Installed) Last(policy string) Outcome {
	in.t.Helper()
	var o Outcome
	in.read(&o, policy)
	return o
}

// Call calls a procedure of the runtime as the runner. It returns the procedure's INOUT parameter.
func (in *Installed) Call(sql string, args ...any) (string, *pgconn.PgError) {
	in.t.Helper()
	var outcome *string
	err := in.Runner().QueryRow(in.t.Context(), sql, args...).Scan(&outcome)
	var server *pgconn.PgError
	if err != nil && !errors.As(err, &server) {
		in.t.Fatalf("%s: %v", sql, err)
	}
	if outcome == nil {
		return "", server
	}
	return *outcome, server
}

// Runner returns a session with the runner's rights. The first call opens it.
func (in *Installed) Runner() *pgx.Conn {
	in.t.Helper()
	if in.runner == nil {
		in.runner = in.as(in.t, in.File.Install.Roles.Runner)
	}
	return in.runner
}

// as opens a session with the rights of a role of the runtime. If the policy file has roles: none,
// these are the migrator's rights.
func (in *Installed) as(t testing.TB, role string) *pgx.Conn {
	t.Helper()
	conn := in.Conn(t)
	pgtest.Exec(t, conn, "SET SESSION AUTHORIZATION "+quote.Ident(in.role(role)))
	return conn
}

// ForSubtest returns the same installation for a subtest. It shares the sessions of runner and
// viewer.
func (in *Installed) ForSubtest(t testing.TB) *Installed {
	in.Runner()
	in.Viewer()
	other := *in
	other.t = t
	return &other
}

// Operator runs SQL with the rights of the operator's role.
func (in *Installed) Operator(sql string, args ...any) error {
	in.t.Helper()
	conn := in.as(in.t, in.File.Install.Roles.Operator)
	defer conn.Close(context.Background())
	_, err := conn.Exec(in.t.Context(), sql, args...)
	return err
}

func (in *Installed) role(name string) string {
	if in.File.Install.Roles.None {
		return Migrator
	}
	return name
}

func (in *Installed) schema() string { return quote.Ident(in.File.Install.Schema) }

func (in *Installed) read(o *Outcome, policy string) {
	in.t.Helper()
	in.row(`
		SELECT id, state, coalesce(message, ''), coalesce(sqlstate, ''), coalesce(note, ''),
		       due, scanned, taken, contended, refused, batches, kept, related, cascaded
		FROM `+in.schema()+`.run WHERE policy = $1 ORDER BY id DESC LIMIT 1`, []any{policy},
		&o.ID, &o.State, &o.Message, &o.SQLState, &o.Note, &o.Due, &o.Scanned, &o.Taken, &o.Contended,
		&o.Refused, &o.Batches, &o.Kept, &o.Related, &o.Cascaded)
}

// row scans the only row of a query, in the superuser's session.
func (in *Installed) row(sql string, args []any, into ...any) {
	in.t.Helper()
	rows, err := in.Query(in.t.Context(), sql, args...)
	if err == nil {
		_, err = pgx.CollectExactlyOneRow(rows, func(row pgx.CollectableRow) (struct{}, error) {
			return struct{}{}, row.Scan(into...)
		})
	}
	if err != nil {
		in.t.Fatalf("%s: %v", sql, err)
	}
}

// Count returns the counts of retention.preview: the number of due rows, and the numbers of kept
// rows by the guard or hold that keeps them.
func (in *Installed) Count(policy, asOf string) (due int64, kept map[string]int64) {
	in.t.Helper()
	in.row("SELECT due, kept FROM "+in.schema()+".preview($1, $2)", []any{policy, asOf}, &due, &kept)
	return due, kept
}

// DueQuery returns a query for the rows that are due and not held. Its parameter $1 is as_of. The
// query reads the rows of <policy>_rows that nothing keeps, and leaves out the rows of _held_rows.
func (in *Installed) DueQuery(policy string) string {
	rows := in.RowsCall(policy, in.schema()+".scope_at("+quote.Literal(policy)+", $1::timestamptz)")
	return strings.NewReplacer(
		"p_rows", rows,
		"retention", in.schema(),
		"'p'", quote.Literal(policy),
	).Replace(`
		WITH r AS (
			SELECT d.*
			FROM p_rows
			WHERE d.verdict IS NULL
		)
		SELECT (r.t).*
		FROM r
		WHERE (r.rel, r.tid) NOT IN (SELECT h.rel, h.tid FROM retention._held_rows('p', $1::timestamptz) h)`)
}

// RowsCall returns the call of <policy>_rows for a FROM clause, under the alias d. argument is SQL.
func (in *Installed) RowsCall(policy, argument string) string {
	in.t.Helper()
	return pgtest.Value[string](in.t, in, "SELECT "+in.schema()+`._rows_call(p, $2)
		FROM `+in.schema()+".policy p WHERE p.name = $1", policy, argument)
}

// CountDue returns how many rows are due and not held.
func (in *Installed) CountDue(policy, asOf string) int64 {
	in.t.Helper()
	return pgtest.Value[int64](in.t, in, "SELECT count(*) FROM ("+in.DueQuery(policy)+") d", asOf)
}

// Idle reports whether the policy's probe says that no row is due. It returns false if the policy
// has no probe.
func (in *Installed) Idle(t testing.TB, policy, asOf string) bool {
	t.Helper()
	in.Exec(t, `INSERT INTO retention.vouched
		SELECT (v).* FROM (SELECT retention._vouchable(p) FROM retention.policy p WHERE p.name = $1) x (v)
		WHERE (v).mark IS NOT NULL ON CONFLICT (policy) DO UPDATE SET mark = excluded.mark`, policy)
	return pgtest.Value[bool](t, in, `
		SELECT retention._probe(array_agg(m.policy), array_agg(m.mark), $2::timestamptz) = 1
		FROM retention.vouched v CROSS JOIN LATERAL retention._marks(ARRAY[v]) m
		WHERE v.policy = $1 HAVING count(*) = 1
		UNION ALL SELECT false LIMIT 1`, policy, asOf)
}

// Rows returns the rows of a query as text, sorted. The query may be "TABLE name".
func (in *Installed) Rows(query string) []string {
	in.t.Helper()
	return pgtest.Column[string](in.t, in, "SELECT x::text FROM ("+query+") x ORDER BY 1")
}
