package main

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/install"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// session is a connection to a database that has the runtime.
type session struct {
	conn           *pgx.Conn
	install        policy.Install
	database, user string
}

// runtime is the install with its schema and roles; operators need no policy file.
func (c *console) runtime() (policy.Install, error) {
	found := policy.DefaultInstall("")
	if c.Schema == "" && !c.noPolicy() {
		project, err := readProject(c.Policy)
		if err != nil {
			return found, err
		}
		found = project.file.Install
	}
	found.Schema = cmp.Or(c.Schema, found.Schema)
	return found, nil
}

// with calls do with a session that can work, not on a standby where it writes, and explains what the server refuses.
func (c *console) with(ctx context.Context, writes bool, do func(*session) error) error {
	found, err := c.runtime()
	if err != nil {
		return err
	}
	return connected(ctx, c.DatabaseURL, func(conn *pgx.Conn) error {
		s := &session{conn: conn, install: found}
		err := s.check(ctx, writes)
		if err == nil {
			err = do(s)
		}
		return s.explain(err)
	})
}

// connected calls do with a connection.
func connected(ctx context.Context, url string, do func(*pgx.Conn) error) error {
	conn, err := install.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer closeConn(conn)
	return do(conn)
}

// closeConn closes a connection, giving up after 5 s.
func closeConn(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = conn.Close(ctx)
}

func (s *session) check(ctx context.Context, writes bool) error {
	var standby, installed bool
	var zone, version string
	if err := s.row(ctx, "facts", s.install.Schema).Scan(&standby, &s.database, &s.user, &installed); err != nil {
		return fmt.Errorf("looking at the database: %w", err)
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
	return refuse("not installed", map[string]any{"Database": s.database, "Installed": installed, "Schema": s.install.Schema})
}

// explain adds to a refusal for lack of rights which role would have them.
func (s *session) explain(err error) error {
	server, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return err
	}
	message := fmt.Sprintf("%s [%s]", server.Message, server.Code)
	if server.Code == "42501" && s.install.Roles.Operator != "" {
		return refuse("no rights", map[string]any{"Message": message, "User": s.user, "Roles": s.install.Roles})
	}
	return &install.CheckError{Message: message, Detail: server.Detail, Hint: server.Hint}
}

//go:embed sql/*.sql
var statementFiles embed.FS

// statement is a file of sql with the schema of the install in place of the default one. Values
// are query parameters.
func (s *session) statement(name string) string {
	return quote.InSchema(statementFiles, "sql/"+name+".sql", s.install.Schema)
}

// row asks one of our statements for one row.
func (s *session) row(ctx context.Context, name string, args ...any) pgx.Row {
	return s.conn.QueryRow(ctx, s.statement(name), args...)
}

// rows asks one of our statements for rows, whose columns are the fields of T in order.
func rows[T any](ctx context.Context, s *session, name string, args ...any) ([]T, error) {
	found, _ := s.conn.Query(ctx, s.statement(name), args...) // found gives the same error
	return pgx.CollectRows(found, pgx.RowToStructByPos[T])
}

// cronDatabase is where schema cron lives: as given, or the other connection with its database replaced.
func (f *flags) cronDatabase(in policy.Install) (string, error) {
	switch {
	case f.CronDatabaseURL != "":
		return f.CronDatabaseURL, nil
	case in.CronDatabase == "":
		return "", refuse("no cron database", nil)
	}
	return with(f.DatabaseURL, "dbname", in.CronDatabase), nil
}

// with replaces one of connection settings: of a URL, of keywords and values, or of the PG* variables where there are
// none.
func with(connection, name, value string) string {
	u, err := url.Parse(connection)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		escape := strings.NewReplacer(`\`, `\\`, `'`, `\'`)
		return strings.TrimSpace(connection + " " + name + "='" + escape.Replace(value) + "'")
	}
	values := u.Query()
	values.Set(name, value) // which goes before what the rest of the URL says
	u.RawQuery = values.Encode()
	return u.String()
}
