package install

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/stdlib"
)

// session is the one connection of a migration: the lock lives in it, so that it must never be
// replaced by another one behind our back.
type session struct {
	db    *sql.DB
	trace *trace
}

// once connects a single time.
type once struct {
	driver.Connector
	used atomic.Bool
}

// Connect refuses a second connection: it would work without the lock.
func (o *once) Connect(ctx context.Context) (driver.Conn, error) {
	if o.used.Swap(true) {
		return nil, errors.New("the connection to the server was lost")
	}
	return o.Connector.Connect(ctx)
}

// open connects with url, or with the PG* variables where url is empty.
func open(ctx context.Context, url string) (*session, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		// The parser's message may quote a part of the password.
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
	// Who is told to stop tells the server, and waits for what it says: the session must not outlive us.
	config.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: time.Minute}
	}
	s := &session{trace: &trace{}}
	config.Tracer, config.BuildFrontend = s.trace, s.trace.frontend
	s.db = sql.OpenDB(&once{Connector: stdlib.GetConnector(*config, stdlib.OptionAfterConnect(prepareSession))})
	s.db.SetMaxOpenConns(1)
	s.db.SetMaxIdleConns(1)
	if err := s.db.PingContext(ctx); err != nil {
		s.close()
		return nil, connectError(ctx, config, err)
	}
	return s, nil
}

// prepareSession undoes what a role's defaults would do to a migration.
func prepareSession(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, query("session"))
	return err
}

// close ends the session and with it the lock.
func (s *session) close() { s.db.Close() }

// connectError names server, database and user, and nothing else of the settings.
func connectError(ctx context.Context, config *pgx.ConnConfig, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	place := address(config)
	var server *pgconn.PgError
	if !errors.As(err, &server) {
		return &CheckError{
			Message: "cannot connect to the server " + place + ", database " + strconv.Quote(config.Database),
			Detail:  sentence(innermost(err)),
			Hint:    "Is it running, and does it accept connections there? Check PGHOST and PGPORT, or --database-url.",
		}
	}
	check := &CheckError{Message: server.Message, Detail: sentence(server.Detail), Hint: server.Hint}
	switch {
	case server.Code == "3D000":
		check.Message = fmt.Sprintf("database %q does not exist on the server %s", config.Database, place)
		check.Hint = "Create it, or check PGDATABASE or --database-url."
	case strings.HasPrefix(server.Code, "28"):
		check.Message = fmt.Sprintf("the server %s refuses user %q: %s", place, config.User, server.Message)
		check.Hint = "Check user, password and the server's pg_hba.conf."
	default:
		check.Message = fmt.Sprintf("the server %s refuses the connection: %s [%s]", place, server.Message, server.Code)
		check.Hint = hint(server)
	}
	return check
}

// address is "at host:port", or the socket's directory.
func address(config *pgx.ConnConfig) string {
	port := strconv.Itoa(int(config.Port))
	if strings.HasPrefix(config.Host, "/") {
		return "in " + config.Host + ", port " + port
	}
	return "at " + net.JoinHostPort(config.Host, port)
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

// sentence makes a message of somebody else a whole sentence.
func sentence(text string) string {
	if text == "" || strings.HasSuffix(text, ".") {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
