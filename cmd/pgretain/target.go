package main

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/install"
	"pgretain/internal/lists"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// session is a connection to a database that has the runtime.
type session struct {
	conn           *pgx.Conn
	install        policy.Install
	order          []string // policies and reports in the order of the policy file; nil if there is no file
	database, user string
}

// runtime returns the install of the policy file, and its policies and reports in their order. With
// --schema it needs no policy file, so operators can work without one.
func (c *console) runtime() (found policy.Install, order []string, err error) {
	found = policy.DefaultInstall("")
	if c.Schema == "" {
		project, err := c.project()
		if err != nil {
			return found, nil, err
		}
		found, order = project.file.Install, project.file.Runnable()
	}
	found.Schema = cmp.Or(c.Schema, found.Schema)
	return found, order, nil
}

// withSession calls a function with a session on a database that has the runtime. If "writes" is
// true, it refuses a standby. It adds hints to errors of the server.
func (c *console) withSession(ctx context.Context, writes bool, do func(*session) error) error {
	found, order, err := c.runtime()
	if err != nil {
		return err
	}
	return connected(ctx, c.DatabaseURL, func(conn *pgx.Conn) error {
		s := &session{conn: conn, install: found, order: order}
		err := s.check(ctx, writes)
		if err == nil {
			err = do(s)
		}
		return s.explain(ctx, err)
	})
}

// connected opens a connection, calls a function with it, and closes it.
func connected(ctx context.Context, url string, do func(*pgx.Conn) error) error {
	conn, err := install.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer closeConn(conn)
	return do(conn)
}

// closeConn closes a connection. It gives up after 5 s.
func closeConn(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = conn.Close(ctx)
}

func (s *session) check(ctx context.Context, writes bool) error {
	var standby, installed bool
	var zone, version string
	if err := s.row(ctx, "facts", s.install.Schema).Scan(&standby, &s.database, &s.user, &installed); err != nil {
		return fmt.Errorf("reading the state of the database: %w", err)
	}
	if standby && writes {
		return install.Standby()
	}
	if installed {
		err := s.row(ctx, "zone").Scan(&zone, &version)
		if err == nil {
			return install.CheckVersion(version, s.database)
		} else if !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
	}
	return refuse("not installed",
		map[string]any{"Database": s.database, "Installed": installed, "Schema": s.install.Schema})
}

// explain adds a hint to an error about a missing privilege or a timeout. The hint names the roles
// that have the privileges, or the setting that ended the statement. If the server refused the
// privilege to the worker, the hint says so, because no membership of the session's role helps.
func (s *session) explain(ctx context.Context, err error) error {
	server, ok := errors.AsType[*pgconn.PgError](err)
	switch {
	case !ok:
		return err
	case server.Code == "42501" && s.install.Roles.Operator != "":
		if strings.Contains(server.Where, "._query_as_worker(") {
			place, _, _ := strings.Cut(server.Where, "\n")
			return refuse("worker denied", map[string]any{"Message": server.Message,
				"Worker": s.install.Roles.Worker, "Place": place})
		}
		return refuse("no rights", map[string]any{"Message": server.Message, "User": s.user, "Roles": s.install.Roles})
	case server.Code == "57014" && ctx.Err() == nil && s.conn != nil:
		var limit string
		if s.row(ctx, "timeout").Scan(&limit) == nil {
			return refuse("timeout", map[string]any{"Message": server.Message, "Limit": limit})
		}
	}
	return err
}

//go:embed sql/*.sql sql/rehearsal/*.sql
var statementFiles embed.FS

// statement returns a file of sql with the schema of the install in place of the default one.
// Values are query parameters.
func (s *session) statement(name string) string {
	return quote.InSchema(statementFiles, "sql/"+name+".sql", s.install.Schema)
}

// row executes one of this program's statements and returns its row.
func (s *session) row(ctx context.Context, name string, args ...any) pgx.Row {
	return s.conn.QueryRow(ctx, s.statement(name), args...)
}

// rows executes one of this program's statements. Its columns are the fields of T in order.
func rows[T any](ctx context.Context, s *session, name string, args ...any) ([]T, error) {
	found, _ := s.conn.Query(ctx, s.statement(name), args...) // CollectRows returns the same error
	return pgx.CollectRows(found, pgx.RowToStructByPos[T])
}

// names executes one of this program's statements and returns its only column.
func (s *session) names(ctx context.Context, name string, args ...any) ([]string, error) {
	found, _ := s.conn.Query(ctx, s.statement(name), args...) // CollectRows returns the same error
	return pgx.CollectRows(found, pgx.RowTo[string])
}

// send executes statements of this program and ignores their results.
func (s *session) send(ctx context.Context, name string) error {
	return send(ctx, s.conn, s.statement(name))
}

// cronDatabase returns the connection string for the database with schema cron. It is
// --cron-database-url if that is set. Otherwise it is the connection string for the tables, with
// the name of the database replaced.
func (f *flags) cronDatabase(in policy.Install) (string, error) {
	switch {
	case f.CronDatabaseURL != "":
		return f.CronDatabaseURL, nil
	case in.CronDatabase == "":
		return "", refuse("no cron database", nil)
	}
	return withSetting(f.DatabaseURL, "dbname", in.CronDatabase), nil
}

// withSetting sets one setting in a connection string. The string is a URL, a list of keywords and
// values, or empty if the PG* variables have the other settings.
func withSetting(connection, name, value string) string {
	u, err := url.Parse(connection)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		escape := strings.NewReplacer(`\`, `\\`, `'`, `\'`)
		return strings.TrimSpace(connection + " " + name + "='" + escape.Replace(value) + "'")
	}
	values := u.Query()
	values.Set(name, value) // takes precedence over the rest of the URL
	u.RawQuery = values.Encode()
	return u.String()
}

// statement is a statement of cmd/pgretain/sql that calls one function of the runtime.
type statement struct {
	name  string
	reads bool   // the statement changes nothing, and works on a standby
	none  string // text to print if there is no row
}

// call executes a statement and prints the result, as a table or as JSON. A parameter "" is NULL.
func (c *console) call(ctx context.Context, of statement, parameters ...string) error {
	return c.withSession(ctx, !of.reads, func(s *session) error {
		values := lists.Map(parameters, func(text string) any { return orNull(text) })
		text, objects, err := s.answer(ctx, of.name, values...)
		switch {
		case err != nil:
			return err
		case c.JSON:
			return c.document("verb", of.name, "rows", objects)
		case len(objects) == 0:
			text = of.none + "\n"
		}
		c.aligned(text)
		return nil
	})
}

// optional returns the argument of a command that takes one or none, or "".
func optional(args []string) string { return strings.Join(args, "") }

// columnValues returns a JSON object of COLUMN=VALUE pairs. Values are text, which the types of the
// columns parse. Without pairs it returns "".
func columnValues(args []string) (string, error) {
	if len(args) == 0 {
		return "", nil
	}
	values := map[string]string{}
	for _, arg := range args {
		column, value, found := strings.Cut(arg, "=")
		_, twice := values[column]
		switch {
		case !found || column == "":
			return "", &usageError{fmt.Sprintf("%q is not COLUMN=VALUE", arg),
				fmt.Sprintf("Write %q, with the name of the key's column.", "id="+strings.TrimPrefix(arg, "="))}
		case twice:
			return "", usagef("column %q is given twice", column)
		}
		values[column] = value
	}
	object, err := json.Marshal(values)
	return string(object), err
}

// answer returns the result of a statement in two forms: as the text of a table with the names of
// the columns as heading, and as objects.
func (s *session) answer(
	ctx context.Context, name string, parameters ...any,
) (text string, objects []map[string]any, err error) {
	// CollectRows returns the same error
	found, _ := s.conn.Query(ctx, s.statement(name), parameters...)
	text = row(lists.Map(found.FieldDescriptions(), func(field pgconn.FieldDescription) any {
		return strings.ToUpper(strings.ReplaceAll(field.Name, "_", " "))
	})...)
	objects, err = pgx.CollectRows(found, func(r pgx.CollectableRow) (map[string]any, error) {
		values, err := r.Values()
		object := map[string]any{}
		for i, value := range values {
			object[r.FieldDescriptions()[i].Name] = value
		}
		text += row(values...)
		return object, err
	})
	return text, objects, err
}
