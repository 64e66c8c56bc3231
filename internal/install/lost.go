package install

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
)

// interrupted is what the caller is told whose context ended in the middle of a file.
func interrupted(file string, cause error) error {
	return &CheckError{
		Message: "interrupted while migrating " + file,
		Hint:    "Run the command again: it goes on with this file.",
		cause:   cause,
	}
}

// lost makes a message of an error of the network: what the protocol says of it helps nobody.
func (s *session) lost(ctx context.Context, err error) error {
	var server *pgconn.PgError
	var check *CheckError
	if ctx.Err() != nil || errors.As(err, &server) || errors.As(err, &check) || s.db.PingContext(ctx) == nil {
		return err
	}
	return &CheckError{
		Message: "the connection to the server was lost",
		Detail:  sentence(fmt.Sprint(err)),
		Hint:    "Run the command again when the server is there: it goes on where it stopped.",
		cause:   err,
	}
}
