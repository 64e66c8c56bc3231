package rehearsal

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"slices"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/install"
)

// codeLeftover: a way back that leaves something behind.
var codeLeftover = diag.Register("L051", "going down leaves something behind")

// way is up or down, of one of the two directories.
type way func(ctx context.Context, url string, dir fs.FS, o install.Options) ([]install.Migration, error)

func down(ctx context.Context, url string, dir fs.FS, o install.Options) ([]install.Migration, error) {
	return install.Down(ctx, url, dir, o, true)
}

func (s *stage) up(ctx context.Context) (string, error) {
	n, err := s.migrate(ctx, install.Up, false)
	if err == nil && s.Jobs != nil {
		var jobs int
		jobs, err = s.migrate(ctx, install.Up, true)
		n += jobs
	}
	return plural(n, "migration", "migrations"), err
}

// down undoes everything, the jobs first, and looks for what is left.
func (s *stage) down(ctx context.Context) (string, error) {
	jobs := 0
	if s.Jobs != nil {
		var err error
		if jobs, err = s.migrate(ctx, down, true); err != nil {
			return "", err
		}
	}
	n, err := s.migrate(ctx, down, false)
	if err != nil {
		return "", err
	}
	return plural(n+jobs, "migration", "migrations"), s.leftovers(ctx)
}

// migrate goes one way, as a role that is no superuser.
func (s *stage) migrate(ctx context.Context, walk way, jobs bool) (int, error) {
	database, dir := s.database, s.Migrations
	if jobs {
		database, dir = s.server.Database(), s.Jobs
	}
	done, err := walk(ctx, s.server.URL(database, migrator), dir, install.Options{Install: s.File.Install, Path: "migrations", Cron: jobs})
	return len(done), err
}

// leftovers compares with the time before the first migration.
func (s *stage) leftovers(ctx context.Context) error {
	in := s.File.Install
	var left []string
	err := s.with(ctx, s.database, "", func(ctx context.Context, conn *pgx.Conn) error {
		var err error
		if left, err = column(ctx, conn, text("leftovers"), in.Schema); err != nil {
			return err
		}
		return s.sameTables(ctx, conn)
	})
	if err != nil {
		return err
	}
	if in.Scheduler == "pg_cron" {
		jobs, err := s.jobsLeft(ctx)
		if err != nil {
			return err
		}
		left = append(left, jobs...)
	}
	for _, what := range left {
		s.found.Add(diag.Diagnostic{Position: in.Position, Code: codeLeftover, Message: fmt.Sprintf("%s is left after everything was undone", what), Hint: leftoverHint})
	}
	return nil
}

const leftoverHint = `See what made it: a file of your own in the migration directory, or, if it was pgretain, tell its authors.`

func (s *stage) jobsLeft(ctx context.Context) ([]string, error) {
	prefix := s.File.Install.Schema + "."
	if s.File.Install.CronElsewhere() {
		prefix = s.File.Install.CronJobPrefix()
	}
	var jobs []string
	err := s.with(ctx, s.server.Database(), "", func(ctx context.Context, conn *pgx.Conn) (err error) {
		jobs, err = column(ctx, conn, text("jobs"), prefix)
		return err
	})
	return jobs, err
}

// sameTables says which tables of the application are not as they were.
func (s *stage) sameTables(ctx context.Context, conn *pgx.Conn) error {
	after, err := s.Inspect(ctx, conn)
	if err != nil {
		return err
	}
	for _, was := range s.before.Tables {
		name := was.Schema + "." + was.Name
		if is := after.Table(name); is == nil || !same(was, is) {
			s.found.Add(diag.Diagnostic{Position: s.File.Install.Position, Code: codeLeftover,
				Message: fmt.Sprintf("table %q is not what it was before, after everything was undone", name), Hint: leftoverHint})
		}
	}
	return nil
}

// same compares tables as a snapshot prints them.
func same(a, b *catalog.Table) bool {
	var texts [2]bytes.Buffer
	for i, t := range []*catalog.Table{a, b} {
		if err := catalog.Write(&texts[i], &catalog.Snapshot{Tables: []*catalog.Table{t}}); err != nil {
			return false
		}
	}
	return bytes.Equal(texts[0].Bytes(), texts[1].Bytes())
}

// column reads the only column of a query.
func column(ctx context.Context, conn *pgx.Conn, sql string, args ...any) ([]string, error) {
	rows, _ := conn.Query(ctx, sql, args...) // rows give the same error
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return slices.Clip(list), err
}
