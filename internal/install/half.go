package install

import (
	"context"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"time"

	"github.com/pressly/goose/v3"
)

var (
	// noTransactionLine makes goose execute a file's statements one by one.
	noTransactionLine = regexp.MustCompile(`(?mi)^--[ \t]*\+goose[ \t]+no[ \t]+transaction[ \t]*$`)
	// indexLine is how the head of a generated file names an index that it builds or drops.
	indexLine = regexp.MustCompile(`(?m)^--   ([+-]) index (".*")$`)
)

// patience bounds what one of our files waits for a lock, and so how long others wait behind it. An index
// build holds nobody up, and must be able to wait for old snapshots as long as it takes. A file says
// itself what it needs beyond that; a file of the user's own is not ours to bound.
func (s *session) patience(ctx context.Context, dir fs.FS, name string) error {
	head, err := readHead(dir, name)
	if err != nil {
		return err
	}
	content, err := fs.ReadFile(dir, name)
	if err != nil {
		return fmt.Errorf("reading migration: %w", err)
	}
	patience := "patient"
	if head.part > 0 && !noTransactionLine.Match(content) {
		patience = "impatient"
	}
	_, err = s.db.ExecContext(ctx, query(patience))
	return err
}

// undoHalf takes away what an interrupted Up left of a file without a transaction: the version table
// does not know that the file was begun. It returns that file, or none, and whether the file is the
// first of its step, which is undone then.
func (s *session) undoHalf(ctx context.Context, dir fs.FS, o Options, known []Migration) (done []Migration, whole bool, err error) {
	half, part, err := s.halfApplied(ctx, dir, known)
	if err != nil || half == nil {
		return nil, false, s.lost(ctx, err)
	}
	provider, err := s.provider(dir, o.schema(), nil, goose.WithDisableVersioning(true))
	if err != nil {
		return nil, false, err
	}
	if err := s.patience(ctx, dir, half.Name); err != nil {
		return nil, false, s.lost(ctx, err)
	}
	s.trace.reset()
	start := time.Now()
	if _, err := provider.ApplyVersion(ctx, half.Version, false); err != nil {
		return nil, false, s.explain(ctx, dir, o, *half, false, err)
	}
	half.Duration = time.Since(start)
	if o.Progress != nil {
		o.Progress(*half)
	}
	return []Migration{*half}, part == 1, nil
}

// halfApplied is the file that Up would go on with, where that is one of ours without a transaction,
// and its indexes say that it was begun; and which part of its step it is.
func (s *session) halfApplied(ctx context.Context, dir fs.FS, known []Migration) (*Migration, int, error) {
	for i := 1; i < len(known); i++ {
		next := known[i]
		if !known[i-1].Applied || next.Applied {
			continue
		}
		head, err := readHead(dir, next.Name)
		if err != nil || head.part == 0 {
			return nil, 0, err
		}
		content, err := fs.ReadFile(dir, next.Name)
		if err != nil || !noTransactionLine.Match(content) {
			return nil, 0, err
		}
		begun, err := s.begun(ctx, content)
		if err != nil || !begun {
			return nil, 0, err
		}
		return &next, head.part, nil
	}
	return nil, 0, nil
}

// begun says whether an index is there that the file builds, or is not there, or not valid, that it drops.
func (s *session) begun(ctx context.Context, content []byte) (bool, error) {
	var built, dropped []string
	for _, found := range indexLine.FindAllSubmatch(content, -1) {
		name, err := strconv.Unquote(string(found[2]))
		switch {
		case err != nil:
			return false, fmt.Errorf("reading migration: index name %s: %w", found[2], err)
		case string(found[1]) == "+":
			built = append(built, name)
		default:
			dropped = append(dropped, name)
		}
	}
	var begun bool
	err := s.db.QueryRowContext(ctx, query("begun"), built, dropped).Scan(&begun)
	return begun, err
}
