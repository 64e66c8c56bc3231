package install

import (
	"context"
	"fmt"
	"strconv"
)

// Recorded says whether Status knows what is applied. It does not where another tool, or goose with a
// version table elsewhere, installed the runtime: then nothing is pending as far as anybody can tell.
func Recorded(ctx context.Context, url string, o Options) (bool, error) {
	s, err := open(ctx, url)
	if err != nil {
		return false, err
	}
	defer s.close()
	return s.recorded(ctx, o.Install.Schema)
}

func (s *session) recorded(ctx context.Context, schema string) (recorded bool, err error) {
	if err = s.db.QueryRowContext(ctx, query("recorded"), schema).Scan(&recorded); err != nil {
		err = fmt.Errorf("looking for the version table: %w", err)
	}
	return recorded, err
}

// checkRecorded refuses to begin anew where another tool has been at work.
func (s *session) checkRecorded(ctx context.Context, schema string) error {
	recorded, err := s.recorded(ctx, schema)
	if err != nil || recorded {
		return err
	}
	return &CheckError{
		Message: "the runtime in schema " + strconv.Quote(schema) + " was not installed by \"pgretain migrate\"",
		Detail:  "There is no version table " + schema + ".goose_db_version, so that nobody can tell here what is applied.",
		Hint:    "Go on with the tool that installed it.",
	}
}
