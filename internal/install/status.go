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
	"strings"
	"time"

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
		at, ok := applied[version]
		all = append(all, Migration{Name: path, Version: version, Applied: ok, AppliedAt: at})
		delete(applied, version)
	}
	for version, at := range applied {
		all = append(all, Migration{Version: version, Applied: true, AppliedAt: at})
	}
	slices.SortFunc(all, func(a, b Migration) int { return cmp.Compare(a.Version, b.Version) })
	return all, nil
}

// applied reads the version table; none is the same as an empty one.
func (s *session) applied(ctx context.Context, schema string) (map[int64]time.Time, error) {
	versions := map[int64]time.Time{}
	var exists bool
	if err := s.db.QueryRowContext(ctx, query("version_table"), schema).Scan(&exists); err != nil || !exists {
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
		var version int64
		var at time.Time
		if err := rows.Scan(&version, &at); err != nil {
			return nil, fmt.Errorf("reading the version table: %w", err)
		}
		versions[version] = at
	}
	return versions, rows.Err()
}

// checkUnknown refuses a directory that lacks what the database has.
func checkUnknown(known []Migration) error {
	var unknown []string
	for _, m := range known {
		if m.Name == "" {
			unknown = append(unknown, strconv.FormatInt(m.Version, 10))
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	return &CheckError{
		Message: "the database has migrations that the directory has not: " + strings.Join(unknown, ", "),
		Hint:    "Use the directory that these migrations came from, or a later version of it.",
	}
}

// checkOrder also refuses a pending file below one that is applied: the later one was written
// for a database without it.
func checkOrder(known []Migration) error {
	if err := checkUnknown(known); err != nil {
		return err
	}
	var pending []string
	for _, m := range known {
		if m.Applied && len(pending) > 0 {
			return &CheckError{
				Message: fmt.Sprintf("%s is applied, but earlier files are not: %s", m.Name, strings.Join(pending, ", ")),
				Hint:    "Give these files numbers after the last applied one; generated files are written again with \"pgretain generate\".",
			}
		}
		if !m.Applied {
			pending = append(pending, m.Name)
		}
	}
	return nil
}

// partLine is the third line of a generated file.
var partLine = regexp.MustCompile(`^-- pgretain: part ([0-9]+) of [0-9]+$`)

// lastStep keeps of the applied migrations, latest first, those that were generated together.
func lastStep(dir fs.FS, applied []Migration) ([]Migration, error) {
	if len(applied) == 0 {
		return nil, nil
	}
	part, err := partOf(dir, applied[0].Name)
	if err != nil {
		return nil, err
	}
	n := 1
	for n < len(applied) && part > 1 {
		before, err := partOf(dir, applied[n].Name)
		if err != nil {
			return nil, err
		}
		if before != part-1 {
			break
		}
		part, n = before, n+1
	}
	return applied[:n], nil
}

// partOf is which file of its step a generated file is, 0 for a file of the user.
func partOf(dir fs.FS, name string) (int, error) {
	file, err := dir.Open(name)
	if err != nil {
		return 0, fmt.Errorf("reading migration: %w", err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for i := 0; i < 3 && lines.Scan(); i++ {
		if m := partLine.FindStringSubmatch(lines.Text()); m != nil {
			return strconv.Atoi(m[1])
		}
	}
	return 0, nil
}
