package install

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/stdlib"
)

// Settings reads url, or the PG* variables where url is empty. The parser's own message is kept
// back: it may quote a part of the password.
func Settings(url string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, &CheckError{
			Message: "cannot read the connection settings",
			Hint: "Write postgres://user@host:5432/database, or set PGHOST, PGPORT, PGDATABASE and PGUSER. " +
				"Percent-encode special characters of a password, or use PGPASSWORD or a password file.",
		}
	}
	// pgx waits two minutes unless told otherwise.
	if config.ConnectTimeout == 2*time.Minute {
		config.ConnectTimeout = 15 * time.Second
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "pgretain"
	}
	// When a context ends, ask the server to cancel, and wait for its answer: the backend must not outlive
	// the client, and the session can still be asked what became of the query.
	config.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: time.Minute}
	}
	return config, nil
}

// Connect opens a session. An error names server, database and user, and nothing else of the settings.
func Connect(ctx context.Context, url string) (*pgx.Conn, error) {
	return connect(ctx, url, nil, pgx.ConnectConfig)
}

// connect has hints for refusals that have none.
func connect(ctx context.Context, url string, hints map[string]string,
	dial func(context.Context, *pgx.ConnConfig) (*pgx.Conn, error),
) (*pgx.Conn, error) {
	config, err := Settings(url)
	if err != nil {
		return nil, err
	}
	conn, err := dial(ctx, config)
	if err != nil {
		return nil, connectError(ctx, config, err, hints)
	}
	return conn, nil
}

// session is the one connection of a migration: the lock lives in it.
type session struct {
	Options
	dir    fs.FS
	db     *sql.DB   // for goose
	conn   *pgx.Conn // the one of db
	server server

	running Migration // under way
	rest    string    // of its content, not sent yet
}

// link is the connection as database/sql has it.
type link struct {
	*stdlib.Conn
	s *session
}

// connector connects a session.
type connector struct {
	driver.Connector
	s *session
}

// Connect refuses a second connection: it would work without the lock.
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	if c.s.conn != nil {
		return nil, errors.New("the connection to the server was lost")
	}
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	l := link{conn.(*stdlib.Conn), c.s} // that is what its Connect returns
	c.s.conn = l.Conn.Conn()
	return l, nil
}

// open connects with url, or with the PG* variables where url is empty, and reads the server's facts.
func open(ctx context.Context, url string, dir fs.FS, o Options) (*session, error) {
	s := &session{Options: o, dir: dir}
	_, err := connect(ctx, url, hints, func(ctx context.Context, config *pgx.ConnConfig) (*pgx.Conn, error) {
		// What a role's defaults would do to a migration is undone.
		config.AfterConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
			return conn.Exec(ctx, query("session")).Close()
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

// row reads one row of a statement of sql; doing says what for. No row is pgx.ErrNoRows itself.
func (s *session) row(ctx context.Context, doing, name string, args []any, into ...any) error {
	err := s.conn.QueryRow(ctx, query(name), args...).Scan(into...)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		err = fmt.Errorf("%s: %w", doing, err)
	}
	return err
}

// lost replaces an error of the network, whose text is about the protocol, by a message.
func (s *session) lost(ctx context.Context, err error) error {
	_, said := errors.AsType[*pgconn.PgError](err)
	_, ours := errors.AsType[*CheckError](err)
	if err == nil || ctx.Err() != nil || said || ours || s.conn.Ping(ctx) == nil {
		return err
	}
	return &CheckError{
		Message: "the connection to the server was lost",
		Detail:  sentence(fmt.Sprint(err)),
		Hint:    "Run the command again when the server is there: it goes on where it stopped.",
		cause:   err,
	}
}

// connectError says why a server could not be reached, or what it refused; hints are for what has no hint yet.
func connectError(ctx context.Context, config *pgx.ConnConfig, err error, hints map[string]string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	database := cmp.Or(config.Database, config.User) // as libpq has it
	place := "at " + net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port)))
	if strings.HasPrefix(config.Host, "/") {
		place = fmt.Sprintf("in %s, port %d", config.Host, config.Port)
	}
	server, refused := errors.AsType[*pgconn.PgError](err)
	if !refused {
		return &CheckError{
			Message: fmt.Sprintf("cannot connect to the server %s, database %q", place, database),
			Detail:  sentence(innermost(err)),
			Hint:    "Is it running, and does it accept connections there? Check PGHOST and PGPORT, or --database-url.",
		}
	}
	check := &CheckError{
		Message: fmt.Sprintf("the server %s refuses the connection: %s [%s]", place, server.Message, server.Code),
		Detail:  sentence(server.Detail),
		Hint:    cmp.Or(server.Hint, hints[server.Code]),
	}
	if server.Code == "3D000" {
		check.Message = fmt.Sprintf("database %q does not exist on the server %s", database, place)
		check.Hint = "Create it, or check PGDATABASE or --database-url."
	} else if strings.HasPrefix(server.Code, "28") {
		check.Message = fmt.Sprintf("the server %s refuses user %q: %s", place, config.User, server.Message)
		check.Hint = "Check user, password and the server's pg_hba.conf."
	}
	return check
}

// innermost is the cause that the operating system or the resolver gave.
func innermost(err error) string {
	for {
		if many, ok := err.(interface{ Unwrap() []error }); ok && len(many.Unwrap()) > 0 {
			err = many.Unwrap()[0]
			continue
		}
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

// sentence makes a message of the server, or of the operating system, a whole sentence.
func sentence(text string) string {
	if text == "" || strings.HasSuffix(text, ".") {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
