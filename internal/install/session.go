package install

import (
	"cmp"
	"context"
	"crypto/tls"
	"database/sql"
	"database/sql/driver"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/stdlib"

	"pgretain/internal/diag"
	"pgretain/internal/messages"
	"pgretain/internal/quote"
)

// Settings parses a connection string. If it is empty, Settings uses the PG* variables. Its error
// omits the parser's message, because that may quote a part of the password.
func Settings(url string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, Refusal("cannot read the connection settings", "",
			"Write postgres://user@host:5432/database, or set PGHOST, PGPORT, PGDATABASE and PGUSER. "+
				"Percent-encode special characters of a password, or use PGPASSWORD or a password file. For TLS the "+
				"files of PGSSLROOTCERT, PGSSLCERT and PGSSLKEY must exist.")
	}
	// pgx waits two minutes by default.
	if config.ConnectTimeout == 2*time.Minute {
		config.ConnectTimeout = 15 * time.Second
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "pgretain"
	}
	// When a context ends, the client asks the server to cancel the statement, and waits for the
	// answer. So the statement does not continue after the client has ended, and the session can
	// still query the result.
	config.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: time.Minute}
	}
	return config, nil
}

// Connect opens a session whose search_path contains only PostgreSQL's own objects. Otherwise a
// function in another schema of the search_path could be called, because its argument types match
// better. An error names the server, the database and the user, but no other setting.
func Connect(ctx context.Context, url string) (*pgx.Conn, error) {
	return connect(ctx, url, func(ctx context.Context, config *pgx.ConnConfig) (*pgx.Conn, error) {
		// A pool refuses or ignores search_path as a parameter of the connection.
		afterConnect(config, "SET search_path = pg_catalog, pg_temp")
		return pgx.ConnectConfig(ctx, config)
	})
}

// afterConnect executes statements in a new session. First it refuses pools in which clients share
// sessions.
func afterConnect(config *pgx.ConnConfig, statements string) {
	config.AfterConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		if err := refusePool(ctx, conn, &config.Config); err != nil {
			return err
		}
		return conn.Exec(ctx, statements).Close()
	}
}

func connect(
	ctx context.Context, url string, dial func(context.Context, *pgx.ConnConfig) (*pgx.Conn, error),
) (*pgx.Conn, error) {
	config, err := Settings(url)
	if err != nil {
		return nil, err
	}
	conn, err := dial(ctx, config)
	if err != nil {
		return nil, connectError(ctx, config, err)
	}
	return conn, nil
}

// connectHints maps an SQLSTATE to a hint, for connections that the server refuses.
var connectHints = map[string]string{
	"08P01": "Connect to the server itself, or have the pool between ignore the parameter: PgBouncer's " +
		"ignore_startup_parameters.",
	"28000": "Check user, password and the server's pg_hba.conf. If the server requires TLS, set PGSSLMODE=require.",
	"28P01": "Check user, password and the server's pg_hba.conf.",
	"3D000": "Create it, or check PGDATABASE or --database-url.",
	"53300": "Wait until others have left, or raise max_connections.",
	"57P03": "The server starts or shuts down. Try again when it is back.",
}

// connectError says why a server could not be reached, with the message of the operating system or
// of the server.
func connectError(ctx context.Context, config *pgx.ConnConfig, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	} else if own, refused := errors.AsType[*Error](err); refused {
		return own
	}
	place := "at " + net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port)))
	if strings.HasPrefix(config.Host, "/") {
		place = fmt.Sprintf("in %s, port %d", config.Host, config.Port)
	}
	database := cmp.Or(config.Database, config.User) // the default of libpq
	if server, refused := errors.AsType[*pgconn.PgError](err); refused {
		message := fmt.Sprintf("the server %s refuses user %q: %s [%s]",
			place, config.User, server.Message, server.Code)
		return Refusal(message, sentence(server.Detail), cmp.Or(server.Hint, limitHint(server, config.User, database),
			connectHints[server.Code]))
	}
	words := strings.Split(err.Error(), ": ")
	return Refusal(fmt.Sprintf("cannot connect to the server %s, database %q", place, database),
		sentence(words[len(words)-1]), cmp.Or(tlsHint(err),
			"Check PGHOST and PGPORT, or --database-url, and that the server runs and accepts connections there."))
}

// limitHint returns a hint for the CONNECTION LIMIT of a role or a database, or "". The hint does
// not remove the limit. The server's message does not contain the limit, so the hint says how to
// read it. The server reports all limits with one SQLSTATE. Unlike the message, the routine is not
// translated.
func limitHint(server *pgconn.PgError, user, database string) string {
	const raise = "Have a DBA look at the limit, SELECT %s; and set one that is larger by two, ALTER %s " +
		"CONNECTION LIMIT N; Or wait until other sessions have ended. A run from the command line needs two sessions."
	switch {
	case server.Code != "53300":
		return ""
	case server.Routine == "InitializeSessionUserId":
		return fmt.Sprintf(raise, "rolconnlimit FROM pg_roles WHERE rolname = "+quote.Literal(user),
			"ROLE "+quote.Ident(user))
	case server.Routine == "CheckMyDatabase":
		return fmt.Sprintf(raise, "datconnlimit FROM pg_database WHERE datname = "+quote.Literal(database),
			"DATABASE "+quote.Ident(database))
	}
	return ""
}

// tlsHint returns a hint for an error before the server knows the user: TLS is missing, or the
// certificate is not accepted. It returns "" for other errors.
func tlsHint(err error) string {
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	switch {
	case untrusted:
		return "The server's certificate is not accepted. Name the file of the provider's authority in " +
			"PGSSLROOTCERT, and the server as its certificate does in PGHOST."
	case strings.Contains(err.Error(), "server refused TLS connection"):
		return "The server offers no TLS here. Connect to another port or server, or set PGSSLMODE=prefer."
	case strings.Contains(err.Error(), "tls"):
		return "Check PGSSLMODE, PGSSLROOTCERT, PGSSLCERT and PGSSLKEY."
	}
	return ""
}

// session is the one connection of a migration. The migration lock belongs to it.
type session struct {
	Options
	dir    fs.FS
	db     *sql.DB   // for goose
	conn   *pgx.Conn // connection of db
	server server

	running Migration // migration that is running
	rest    string    // part of the running migration that was not sent yet
}

// link is the connection for database/sql.
type link struct {
	*stdlib.Conn
	s *session
}

// connector opens the connection of a session.
type connector struct {
	driver.Connector
	s *session
}

// Connect refuses a second connection, because it would not hold the lock.
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	if c.s.conn != nil {
		return nil, errors.New("the connection to the server was lost")
	}
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	l := link{conn.(*stdlib.Conn), c.s} // the connector of stdlib returns this type
	c.s.conn = l.Conn.Conn()
	return l, nil
}

// privilegeNotGranted is the SQLSTATE of a warning of GRANT: the grantor may not grant the
// privilege. A migration checks the privileges that it needs after GRANT. The role may have them by
// PUBLIC.
const privilegeNotGranted = "01007"

// open connects to the server that the URL names, or that the PG* variables name if the URL is
// empty. It also reads the facts about the server.
func open(ctx context.Context, url string, dir fs.FS, o Options) (*session, error) {
	s := &session{Options: o, dir: dir}
	_, err := connect(ctx, url, func(ctx context.Context, config *pgx.ConnConfig) (*pgx.Conn, error) {
		// Resets settings that the role's defaults could have changed.
		afterConnect(config, query("session"))
		if o.Warn != nil {
			config.OnNotice = warnings(func(d diag.Diagnostic) {
				if d.Code.String() != privilegeNotGranted {
					o.Warn(d)
				}
			})
		}
		s.db = sql.OpenDB(connector{stdlib.GetConnector(*config), s})
		return nil, s.db.PingContext(ctx)
	})
	if err != nil {
		return nil, err
	}
	if err = s.inspect(ctx); err == nil && o.Cron {
		_, err = s.conn.Exec(ctx, query("session_database"), o.Install.Database)
	}
	if err = s.lost(ctx, err); err != nil {
		s.db.Close()
		return nil, err
	}
	return s, nil
}

// row executes a statement of directory sql and reads its row. The parameter "doing" describes the
// action in error messages. If there is no row, the error is pgx.ErrNoRows itself.
func (s *session) row(ctx context.Context, doing, name string, args []any, into ...any) error {
	err := s.conn.QueryRow(ctx, query(name), args...).Scan(into...)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		err = fmt.Errorf("%s: %w", doing, err)
	}
	return err
}

// lost replaces a network error by a message for users, because the text of the error is about the
// protocol.
func (s *session) lost(ctx context.Context, err error) error {
	_, said := errors.AsType[*pgconn.PgError](err)
	_, ours := errors.AsType[*Error](err)
	if err == nil || ctx.Err() != nil || said || ours || s.conn.Ping(ctx) == nil {
		return err
	}
	return Refusal("the connection to the server was lost", sentence(fmt.Sprint(err)),
		"Run the command again when the server is there: it goes on where it stopped.").because(err)
}

// pollInterval is the time between two attempts to get the lock.
const pollInterval = 200 * time.Millisecond

// lock takes the session advisory lock of the install. If another session keeps the lock too long,
// the error names that session. Between two attempts the session is idle and holds no snapshot. So
// an index build in another session does not wait for it.
func (s *session) lock(ctx context.Context) error {
	timeout := cmp.Or(s.LockTimeout, time.Minute)
	deadline, poll := time.After(timeout), time.Tick(pollInterval)
	for {
		var locked bool
		if err := s.row(ctx, "taking the migration lock", "try_lock", []any{s.schema()}, &locked); err != nil ||
			locked {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-deadline:
			return refusals(ctx, s, "looking for the holder of the migration lock", "lock_holder",
				func(h messages.LockHolder) diag.Diagnostic {
					return messages.MigrationRuns(s.schema(), timeout, h)
				}, s.schema())
		case <-poll:
		}
	}
}

// sentence makes a message of the server or operating system a whole sentence.
func sentence(text string) string {
	if text == "" || strings.HasSuffix(text, ".") {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

//go:embed sql
var files embed.FS

// statements are the templates in sql. Only they write names into statements, always through quote.
// Values are query parameters.
var statements = template.Must(template.New("").Funcs(template.FuncMap{
	"ident":   quote.Ident,
	"literal": quote.Literal,
	"comment": strconv.Quote, // quotes any name for a line comment
}).ParseFS(files, "sql/*.tmpl"))

// query returns the text of a statement that contains no names of the install.
func query(name string) string { return quote.File(files, "sql/"+name+".sql") }

// render executes one template of sql. Template names are constants of this program.
func render(name string, data map[string]any) string {
	var text strings.Builder
	if err := statements.ExecuteTemplate(&text, name+".sql.tmpl", data); err != nil {
		panic(err)
	}
	return text.String()
}

// statement executes a template whose only name is the schema.
func (s *session) statement(name string) string {
	return render(name, map[string]any{"Schema": s.schema()})
}
