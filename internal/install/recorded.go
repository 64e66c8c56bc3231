package install

import (
	"context"
	"fmt"
)

// Recorded says whether Status knows what is applied. It does not where another tool, or goose with a
// version table elsewhere, installed the runtime: then nothing is pending as far as anybody can tell.
func Recorded(ctx context.Context, url string, o Options) (recorded bool, err error) {
	s, err := open(ctx, url)
	if err != nil {
		return false, err
	}
	defer s.close()
	if err = s.db.QueryRowContext(ctx, query("recorded"), o.Install.Schema).Scan(&recorded); err != nil {
		err = fmt.Errorf("looking for the version table: %w", err)
	}
	return recorded, err
}
