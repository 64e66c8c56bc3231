package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"

	"pgretain/internal/install"
)

// application is what pg_stat_activity shows.
const application = "pgretain"

// settings reads url, or the PG* variables where url is empty. The parser's own message is kept
// back: it may quote a part of the password.
func settings(url string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, &install.CheckError{
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
		config.RuntimeParams["application_name"] = application
	}
	return config, nil
}

// connect opens a session. When its context ends while a query runs, the server is asked to cancel
// the query, and the session lives on to hear what became of it.
func connect(ctx context.Context, url string) (*pgx.Conn, error) {
	config, err := settings(url)
	if err != nil {
		return nil, err
	}
	config.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: time.Minute}
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, refusal(ctx, config, err)
	}
	return conn, nil
}

// closeConn says goodbye; a server that does not answer is left alone.
func closeConn(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = conn.Close(ctx)
}

// refusal names server, database and user, and nothing else of the settings.
func refusal(ctx context.Context, config *pgx.ConnConfig, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var server *pgconn.PgError
	if !errors.As(err, &server) {
		return &install.CheckError{
			Message: "cannot connect to the server " + address(config) + ", database " + quoted(config.Database),
			Detail:  sentence(innermost(err)),
			Hint:    "Is it running, and does it accept connections there? Check PGHOST and PGPORT, or --database-url.",
		}
	}
	check := &install.CheckError{Message: server.Message, Detail: sentence(server.Detail), Hint: server.Hint}
	switch {
	case server.Code == "3D000":
		check.Message = fmt.Sprintf("database %q does not exist on the server %s", config.Database, address(config))
		check.Hint = "Create it, or check PGDATABASE or --database-url."
	case strings.HasPrefix(server.Code, "28"):
		check.Message = fmt.Sprintf("the server %s refuses user %q: %s", address(config), config.User, server.Message)
		check.Hint = "Check user, password and the server's pg_hba.conf."
	default:
		check.Message = fmt.Sprintf("the server %s refuses the connection: %s [%s]", address(config), server.Message, server.Code)
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
