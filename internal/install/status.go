package install

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"
)

// head is what the second and the third line of a generated file say.
var head = regexp.MustCompile(`^.*\n-- pgretain: state ([0-9a-f]+) after .*\n-- pgretain: part ([0-9]+) of [0-9]+\n`)

// noTransactionLine makes goose execute a file's statements one by one.
var noTransactionLine = regexp.MustCompile(`(?mi)^--[ \t]*\+goose[ \t]+no[ \t]+transaction[ \t]*$`)

func (m Migration) inTransaction() bool { return !noTransactionLine.MatchString(m.content) }

// downLine begins Down.
var downLine = regexp.MustCompile(`(?mi)^--[ \t]*\+goose[ \t]+down[ \t]*$`)

// down is what stands below it.
func (m Migration) down() string { return strings.Join(downLine.Split(m.content, 2)[1:], "") }

// status merges the files of dir with what the version table holds.
func (s *session) status(ctx context.Context) ([]Migration, error) {
	applied, err := s.applied(ctx)
	if err != nil {
		return nil, err
	}
	paths, _ := fs.Glob(s.dir, "*.sql") // the pattern is well formed
	var all []Migration
	for _, path := range paths {
		version, err := goose.NumericComponent(path)
		if err != nil {
			continue // not a migration, for goose and for us
		}
		content, err := fs.ReadFile(s.dir, path)
		if err != nil {
			return nil, fmt.Errorf("reading migration: %w", err)
		}
		m, ok := applied[version]
		m.Name, m.Version, m.content = path, version, strings.ReplaceAll(string(content), "\r\n", "\n")
		if said := head.FindStringSubmatch(m.content); said != nil {
			m.state = said[1]
			m.part, _ = strconv.Atoi(said[2]) // digits
		}
		m.Differs = ok && m.recorded != "" && m.recorded != m.state
		all = append(all, m)
		delete(applied, version)
	}
	all = slices.AppendSeq(all, maps.Values(applied))
	slices.SortFunc(all, func(a, b Migration) int { return cmp.Compare(a.Version, b.Version) })
	return all, nil
}

// applied reads the version table; none is the same as an empty one.
func (s *session) applied(ctx context.Context) (map[int64]Migration, error) {
	versions := map[int64]Migration{}
	if !s.server.versions {
		return versions, nil
	}
	rows, _ := s.conn.Query(ctx, s.statement("applied")) // rows give the same error
	m := Migration{Applied: true}
	_, err := pgx.ForEachRow(rows, []any{&m.Version, &m.AppliedAt, &m.recorded}, func() error {
		versions[m.Version] = m
		return nil
	})
	if err != nil {
		err = fmt.Errorf("reading the version table: %w", err)
	}
	return versions, err
}

// lastStep keeps of the applied migrations, latest first, those that were generated together.
func lastStep(applied []Migration) []Migration {
	n := min(1, len(applied))
	for n > 0 && n < len(applied) && applied[n-1].part > 1 && applied[n].part == applied[n-1].part-1 {
		n++
	}
	return applied[:n]
}
