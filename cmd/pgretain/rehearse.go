package main

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/install"
	"pgretain/internal/lists"
	"pgretain/internal/quote"
	"pgretain/internal/sandbox"
	"pgretain/policy"
	"pgretain/verifier"
)

// The roles of a rehearsal. The schema is loaded as a superuser, because extensions need one; its
// objects then go to one that migrates and is none, as it is in production.
const (
	superuser = ""
	loader    = "rehearsal_loader"
)

// stage is a throw-away server while a rehearsal is under way. A rehearsal installs a policy file there and proves what
// no file alone can prove: that the migrations go up, down without a trace and up again, that PostgreSQL finds no fault
// in any routine, that every policy runs, and that the verifier finds nothing afterwards.
type stage struct {
	*console
	*project
	schema     schemaFile
	server     *sandbox.Server
	database   string             // of the tables
	migrator   string             // a role
	wanted     []generator.Object // what the policy file means for the tables at hand
	migrations fs.FS
	jobs       fs.FS             // for the database where schema cron lives, nil where that is the same one
	before     *catalog.Snapshot // the tables, with nothing of ours
	brought    []string          // by the schema file: what else it has that looks like ours
	found      diag.List         // at places in the policy file, or in a migration that PostgreSQL refuses
	report     *verifier.Report  // nil where it did not come so far
}

// rehearse installs everything in a throw-away database: the migrations of the directory and the step that is still
// missing there, on the tables of a schema file. An error, beside what was found until then, means that the rehearsal
// could not take place.
func (c *console) rehearse(ctx context.Context, found *linted) error {
	file := found.project.file
	schema, err := readSchema(c.Schema)
	if err != nil {
		return err
	}
	for _, p := range file.Policies { // takes roles for granted as well
		schema.roles = append(schema.roles, lists.Map(p.Grants(), policy.Name.String)...)
	}
	in := file.Install
	server, err := sandbox.Start(ctx, sandbox.Options{
		Cron: schema.cron || in.Scheduler == "pg_cron", Database: cmp.Or(in.CronDatabase, in.Database),
	})
	if err != nil {
		return err
	}
	defer func() { _ = server.Stop() }() // it stops with the process at the latest
	s := &stage{console: c, project: found.project, schema: schema, server: server,
		database: cmp.Or(in.In("rehearsal").Database, server.Database())}
	err = s.rehearse(ctx)
	found.take(s.found.Unique())
	if s.report != nil {
		found.rehearsed, found.findings = true, append(found.findings, s.report.Findings...)
	}
	return err
}

// rehearse does one act after the other. What PostgreSQL refuses in a migration ends it as a finding.
func (s *stage) rehearse(ctx context.Context) error {
	if err := s.prepare(ctx); err != nil {
		return err
	}
	for _, act := range []struct {
		name string
		do   func(context.Context) (string, error)
	}{
		{"load", s.load}, {"up", s.up}, {"check", s.checkRoutines}, {"down", s.down}, {"up again", s.up}, {"run", s.runPolicies}, {"verify", s.verify},
	} {
		start := time.Now()
		what, err := act.do(ctx)
		if refused, ok := errors.AsType[*install.Error](err); ok && refused.Position.File != "" && act.name != "load" {
			s.found.Add(refused.Diagnostic())
			return nil
		}
		if err != nil {
			return err
		}
		if s.Format == "text" {
			s.printf("%-8s  %s, %s\n", act.name, what, time.Since(start).Round(time.Millisecond))
		}
	}
	return nil
}

// text is a file of sql/rehearsal with the schema of the install in place of the default one.
func (s *stage) text(name string) string {
	return quote.InSchema(statementFiles, "sql/rehearsal/"+name+".sql", s.file.Install.Schema)
}

// prepare makes the database, roles, and plpgsql_check.
func (s *stage) prepare(ctx context.Context) error {
	if s.database != s.server.Database() {
		if err := s.server.CreateDatabase(ctx, s.database); err != nil {
			return err
		}
	}
	return s.server.With(ctx, s.database, superuser, func(conn *pgx.Conn) error {
		if err := send(ctx, conn, s.text("roles")); err != nil {
			return err
		}
		if err := send(ctx, conn, s.text("plpgsql_check")); err != nil {
			return refuse("no plpgsql_check", err)
		}
		return createRoles(ctx, conn, s.schema.roles)
	})
}

// load makes the application's schema, hands it over, compiles the policy for it, and does what a DBA does once.
func (s *stage) load(ctx context.Context) (string, error) {
	in := s.file.Install.In(s.database)
	err := s.server.With(ctx, s.database, loader, func(conn *pgx.Conn) error {
		return load(ctx, conn, s.schema.path, s.schema.text)
	})
	if err != nil {
		return "", err
	}
	err = s.server.With(ctx, s.database, superuser, func(conn *pgx.Conn) (err error) {
		tables := lists.Map(s.file.Policies, func(p *policy.Policy) string { return p.Table.String() })
		if err = conn.QueryRow(ctx, s.text("migrator"), tables).Scan(&s.migrator); err != nil {
			return err
		}
		if err = send(ctx, conn, s.text("hand_over")); err != nil {
			return err
		}
		if s.brought, err = column(ctx, conn, s.text("leftovers"), in.Schema, []string{}); err != nil {
			return err
		}
		if s.before, err = s.inspect(ctx, conn); err != nil {
			return err
		}
		if err = s.compileFor(ctx, conn); err != nil {
			return err
		}
		s.file.Install, s.wanted = in, generator.JobsIn(s.wanted, s.database)
		script, err := install.Bootstrap(in, s.database, s.migrator)
		if err == nil {
			err = send(ctx, conn, script)
		}
		return err
	})
	if err == nil && in.CronElsewhere() {
		err = s.server.With(ctx, s.server.Database(), superuser, func(conn *pgx.Conn) error {
			script, err := install.BootstrapCron(in, s.migrator)
			if err == nil {
				err = send(ctx, conn, script)
			}
			return err
		})
	}
	return "the schema", err
}

// column reads the rows of a query that has one column.
func column(ctx context.Context, conn *pgx.Conn, query string, args ...any) ([]string, error) {
	found, _ := conn.Query(ctx, query, args...) // found gives the same error
	return pgx.CollectRows(found, pgx.RowTo[string])
}

// compileFor makes of the project what is installed on the tables at hand.
func (s *stage) compileFor(ctx context.Context, conn *pgx.Conn) error {
	tables, jobs := directory{s.Migrations, false}, directory{s.cronDirectory(), true}
	history, err := playable(tables)
	if err == nil {
		s.wanted, err = s.project.compile(s.before, history)
	}
	if err == nil {
		err = s.compareSnapshot(history)
	}
	if err == nil {
		err = s.project.parse(ctx, conn, s.before)
	}
	if err != nil {
		return err
	}
	tableObjects, jobObjects := generator.SplitCron(s.wanted, s.file.Install)
	s.migrations, err = s.withNext(tables, history, tableObjects)
	if err == nil && s.file.Install.CronElsewhere() {
		if history, err = playable(jobs); err == nil {
			s.jobs, err = s.withNext(jobs, history, jobObjects)
		}
	}
	return err
}

// playable is the history of a directory where it can be applied to a database that has only the application's
// schema: by our own migrator, and without files of the user's own, which that schema contains already.
// Otherwise it is an empty one.
func playable(d directory) (*generator.History, error) {
	history, err := d.history()
	if err != nil {
		return nil, err
	}
	names, _ := fs.Glob(os.DirFS(d.Path), "*.sql") // the pattern is well formed
	if history.Format() == generator.Goose && len(names) == len(history.Files()) {
		return history, nil
	}
	return generator.ReadFormat(fstest.MapFS{}, generator.Goose)
}

// codeSnapshotDiffers: what was linted is not what the schema file makes.
var codeSnapshotDiffers = diag.Register("L053", "the catalog snapshot is not that of the schema file")

// compareSnapshot compiles once more, with the snapshot that lint and generate read.
func (s *stage) compareSnapshot(history *generator.History) error {
	snapshot, err := readCatalog(s.catalogFile())
	if err != nil || snapshot == nil {
		return err
	}
	objects, list := generator.Compile(s.file, snapshot, history)
	if list.HasErrors() || len(generator.Changes(s.wanted, objects)) > 0 {
		d := message("other snapshot", nil)
		d.Position, d.Code = diag.Position{File: s.catalogFile(), Line: 1, Column: 1}, codeSnapshotDiffers
		s.found.Add(d)
	}
	return nil
}

// withNext has the files of a directory and of its next step.
func (s *stage) withNext(from directory, history *generator.History, wanted []generator.Object) (fs.FS, error) {
	files, err := s.project.next(history, wanted, from.cron)
	if err != nil {
		return nil, err
	}
	all := fstest.MapFS{}
	for _, f := range files {
		all[f.Name] = &fstest.MapFile{Data: []byte(f.Text)}
	}
	for _, m := range history.Files() {
		text, err := readFile("migration", filepath.Join(from.Path, m.Name), "")
		if err != nil {
			return nil, err
		}
		all[m.Name] = &fstest.MapFile{Data: text}
	}
	return all, nil
}
