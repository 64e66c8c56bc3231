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
	"github.com/spf13/cobra"

	"pgretain/internal/install"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// target is an installed runtime: which database, and which schema there.
type target struct {
	paths
	schema string
	writes bool // a standby will not do
}

func (t *target) add(command *cobra.Command) {
	t.paths.add(command, "database-url", "policy")
	command.Flags().Lookup("policy").Usage = "the policy `file`; it names the schema of the runtime"
	command.Flags().StringVar(&t.schema, "schema", "", "the `schema` of the runtime (default: that of the policy file, or \"retention\")")
}

// install finds schema and roles; operators need no policy file.
func (t *target) install() (policy.Install, error) {
	found := policy.DefaultInstall("")
	if t.schema == "" && !t.noPolicy() {
		project, err := readProject(t.policy)
		if err != nil {
			return found, err
		}
		found = project.file.Install
	}
	found.Schema = cmp.Or(t.schema, found.Schema)
	return found, nil
}

// session is a connection to a database that has the runtime.
type session struct {
	conn           *pgx.Conn
	install        policy.Install
	database, user string
}

// with calls do with a session that can work, and explains what the server refuses.
func (t *target) with(ctx context.Context, do func(*session) error) error {
	found, err := t.install()
	if err != nil {
		return err
	}
	return connected(ctx, t.url, func(conn *pgx.Conn) error {
		s := &session{conn: conn, install: found}
		err := s.check(ctx, t.writes)
		if err == nil {
			err = do(s)
		}
		return s.explain(err)
	})
}

// closeConn closes a connection, giving up after 5 s.
func closeConn(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = conn.Close(ctx)
}

func (s *session) check(ctx context.Context, writes bool) error {
	var standby, installed bool
	err := s.row(ctx, "facts", s.install.Schema).Scan(&standby, &s.database, &s.user, &installed)
	if err != nil {
		return fmt.Errorf("looking at the database: %w", err)
	}
	if standby && writes {
		return install.Standby()
	}
	if !installed {
		return s.notInstalled("There is no table \"install\" in schema " + quoted(s.install.Schema) + ".")
	}
	var zone, version string
	err = s.row(ctx, "zone").Scan(&zone, &version)
	if errors.Is(err, pgx.ErrNoRows) {
		return s.notInstalled("Its registry is empty: a migration stopped half way.")
	}
	if err != nil {
		return err
	}
	return install.CheckVersion(version, s.database)
}

func (s *session) notInstalled(detail string) error {
	return &install.CheckError{
		Message: fmt.Sprintf("the runtime is not installed in database %q", s.database), Detail: detail,
		Hint: `Install it with "pgretain migrate up", or name another schema with --schema.`,
	}
}

// explain adds to a refusal for lack of rights which role would have them.
func (s *session) explain(err error) error {
	server, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return err
	}
	check := &install.CheckError{
		Message: fmt.Sprintf("%s [%s]", server.Message, server.Code), Detail: server.Detail, Hint: server.Hint,
	}
	if server.Code == "42501" && s.install.Roles.Operator != "" {
		if s.user != "" {
			check.Detail = fmt.Sprintf("The connection is as role %q.", s.user)
		}
		check.Hint = fmt.Sprintf("Members of %q may look, members of %q may also run, pause and hold.",
			s.install.Roles.Viewer, s.install.Roles.Operator)
	}
	return check
}

//go:embed sql/*.sql
var statementFiles embed.FS

// statement is a file of sql with the schema of the install in place of the default one. Values
// are query parameters.
func statement(name, schema string) string {
	return quote.InSchema(statementFiles, "sql/"+name+".sql", schema)
}

func (s *session) statement(name string) string { return statement(name, s.install.Schema) }

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
func (p *paths) cronDatabase(in policy.Install) (string, error) {
	switch {
	case p.cronURL != "":
		return p.cronURL, nil
	case in.CronDatabase == "":
		return "", &install.CheckError{
			Message: "nothing says where schema cron lives",
			Hint:    "Name the database with --cron-database-url, or under install.cron_database.",
		}
	}
	return inDatabase(p.url, in.CronDatabase), nil
}

// inDatabase replaces the database of connection settings.
func inDatabase(connection, database string) string { return with(connection, "dbname", database) }

// with replaces one of connection settings: of a URL, of keywords and values, or of the PG* variables where there are
// none.
func with(connection, name, value string) string {
	u, err := url.Parse(connection)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		escape := strings.NewReplacer(`\`, `\\`, `'`, `\'`)
		return strings.TrimSpace(connection + " " + name + "='" + escape.Replace(value) + "'")
	}
	values := u.Query()
	if name == "dbname" {
		values.Del("dbname")
		values.Del("database")
		u.Path, u.RawPath = "/"+value, "/"+url.PathEscape(value)
	} else {
		values.Set(name, value)
	}
	u.RawQuery = values.Encode()
	return u.String()
}
