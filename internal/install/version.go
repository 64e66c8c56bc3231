package install

import (
	"context"
	"fmt"

	sqlfiles "pgretain/sql"
)

// CheckVersion refuses a runtime that is newer than this program, or whose version it cannot read:
// what its functions expect and what its tables hold is not known here. An older one is no error.
func CheckVersion(found, database string) error {
	newer, err := sqlfiles.Compare(found)
	if err == nil && newer <= 0 {
		return nil
	}
	return &CheckError{
		Message: fmt.Sprintf("database %q has version %s of the runtime, this pgretain knows version %s", database, found, sqlfiles.Version),
		Hint:    "Use the pgretain version that upgraded the database, or a later one.",
	}
}

// checkVersion is CheckVersion for the runtime in schema, where there is one that the role may see.
func (s *session) checkVersion(ctx context.Context, v server, schema string) error {
	var readable bool
	if err := s.db.QueryRowContext(ctx, query("install_table"), schema).Scan(&readable); err != nil || !readable {
		return err
	}
	text, err := render("runtime_version", map[string]any{"Schema": schema})
	if err != nil {
		return err
	}
	var found string
	if err := s.db.QueryRowContext(ctx, text).Scan(&found); err != nil {
		return fmt.Errorf("reading the runtime's version: %w", err)
	}
	if found == "" {
		return nil
	}
	return CheckVersion(found, v.database)
}
