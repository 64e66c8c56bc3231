package install

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"

	"github.com/pressly/goose/v3"
)

// status merges the files of dir with what the version table holds.
func (s *session) status(ctx context.Context, dir fs.FS, schema string) ([]Migration, error) {
	applied, err := s.applied(ctx, schema)
	if err != nil {
		return nil, err
	}
	paths, err := fs.Glob(dir, "*.sql")
	if err != nil {
		return nil, fmt.Errorf("listing migrations: %w", err)
	}
	var all []Migration
	for _, path := range paths {
		version, err := goose.NumericComponent(path)
		if err != nil {
			continue // not a migration, for goose and for us
		}
		head, err := readHead(dir, path)
		if err != nil {
			return nil, err
		}
		m, ok := applied[version]
		m.Name, m.Version, m.state = path, version, head.state
		m.Differs = ok && m.recorded != "" && m.recorded != m.state
		all = append(all, m)
		delete(applied, version)
	}
	for _, m := range applied {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b Migration) int { return cmp.Compare(a.Version, b.Version) })
	return all, nil
}

// versionTable says whether it exists, and whether states can be read from it.
func (s *session) versionTable(ctx context.Context, schema string) (exists, hasState bool, err error) {
	err = s.db.QueryRowContext(ctx, query("version_table"), schema).Scan(&exists, &hasState)
	if err != nil {
		err = fmt.Errorf("looking for the version table: %w", err)
	}
	return exists, hasState, err
}

// applied reads the version table; none is the same as an empty one.
func (s *session) applied(ctx context.Context, schema string) (map[int64]Migration, error) {
	versions := map[int64]Migration{}
	if exists, _, err := s.versionTable(ctx, schema); err != nil || !exists {
		return versions, err
	}
	text, err := render("applied", map[string]any{"Schema": schema})
	if err != nil {
		return nil, err
	}
	rows, err := s.db.QueryContext(ctx, text)
	if err != nil {
		return nil, fmt.Errorf("reading the version table: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		m := Migration{Applied: true}
		if err := rows.Scan(&m.Version, &m.AppliedAt, &m.recorded); err != nil {
			return nil, fmt.Errorf("reading the version table: %w", err)
		}
		versions[m.Version] = m
	}
	return versions, rows.Err()
}

// The second and the third line of a generated file.
var (
	stateLine = regexp.MustCompile(`^-- pgretain: state ([0-9a-f]+) after `)
	partLine  = regexp.MustCompile(`^-- pgretain: part ([0-9]+) of [0-9]+$`)
)

// head is what a generated file says of itself; nothing for a file of the user's own.
type head struct {
	state string
	part  int // which file of its step it is
}

func readHead(dir fs.FS, name string) (head, error) {
	var h head
	file, err := dir.Open(name)
	if err != nil {
		return h, fmt.Errorf("reading migration: %w", err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for i := 0; i < 3 && lines.Scan(); i++ {
		if m := stateLine.FindStringSubmatch(lines.Text()); m != nil {
			h.state = m[1]
		}
		if m := partLine.FindStringSubmatch(lines.Text()); m != nil {
			h.part, err = strconv.Atoi(m[1])
		}
	}
	return h, err
}

// lastStep keeps of the applied migrations, latest first, those that were generated together.
func lastStep(dir fs.FS, applied []Migration) ([]Migration, error) {
	if len(applied) == 0 {
		return nil, nil
	}
	last, err := readHead(dir, applied[0].Name)
	if err != nil {
		return nil, err
	}
	n, part := 1, last.part
	for n < len(applied) && part > 1 {
		before, err := readHead(dir, applied[n].Name)
		if err != nil {
			return nil, err
		}
		if before.part != part-1 {
			break
		}
		part, n = before.part, n+1
	}
	return applied[:n], nil
}
