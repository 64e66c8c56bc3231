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
	"pgretain/internal/sandbox"
	"pgretain/policy"
	"pgretain/verifier"
)

// The roles of a rehearsal. The schema is loaded as a superuser, because extensions need one; its
// objects then go to one that migrates and is none, as it is in production.
const superuser, loader = "", "rehearsal_loader"

// stage is a throw-away server while a rehearsal is under way. A rehearsal installs a policy file there and proves what
// no file alone can prove: that the migrations go up, down without a trace and up again, that PostgreSQL finds no fault
// in any routine, that every policy runs, and that the verifier finds nothing afterwards.
type stage struct {
	*console
	*project
	*session            // a superuser's, in the database of the tables
	elsewhere  *session // that of the server's first database, where schema cron lives
	schema     schemaFile
	server     *sandbox.Server
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
	options := sandbox.Options{
		Cron: schema.cron || in.Scheduler == "pg_cron", Database: cmp.Or(in.CronDatabase, in.Database)}
	return withSandbox(ctx, options, func(server *sandbox.Server, cron *pgx.Conn) error {
		database := cmp.Or(in.In("rehearsal").Database, server.Database())
		if database != server.Database() {
			if err := server.CreateDatabase(ctx, database); err != nil {
				return err
			}
		}
		return server.With(ctx, database, superuser, func(conn *pgx.Conn) error {
			s := &stage{console: c, project: found.project, schema: schema, server: server,
				session:   &session{conn: conn, install: in, database: database},
				elsewhere: &session{conn: cron, install: in}}
			err := s.rehearse(ctx)
			found.take(s.found.Unique())
			if s.report != nil {
				found.rehearsed, found.findings = true, append(found.findings, s.report.Findings...)
			}
			return err
		})
	})
}

// rehearse does one act after the other. What PostgreSQL refuses in a migration ends it as a finding.
func (s *stage) rehearse(ctx context.Context) error {
	if err := s.send(ctx, "rehearsal/roles"); err != nil {
		return err
	}
	if err := s.send(ctx, "rehearsal/plpgsql_check"); err != nil {
		return refuse("no plpgsql_check", err)
	}
	if err := createRoles(ctx, s.conn, s.schema.roles); err != nil {
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

// load makes the application's schema, hands it over, compiles the policy for it, and does what a DBA does once.
func (s *stage) load(ctx context.Context) (string, error) {
	in := s.file.Install.In(s.database)
	err := s.server.With(ctx, s.database, loader, func(conn *pgx.Conn) error {
		return load(ctx, conn, s.schema.path, s.schema.text)
	})
	if err == nil {
		tables := lists.Map(s.file.Policies, func(p *policy.Policy) string { return p.Table.String() })
		err = s.row(ctx, "rehearsal/migrator", tables).Scan(&s.migrator)
	}
	if err == nil {
		err = s.send(ctx, "rehearsal/hand_over")
	}
	if err == nil {
		s.brought, err = s.names(ctx, "rehearsal/leftovers", in.Schema, []string{})
	}
	if err == nil {
		s.before, err = s.inspect(ctx, s.conn)
	}
	if err == nil {
		err = s.compileFor(ctx)
	}
	if err != nil {
		return "", err
	}
	s.file.Install, s.wanted = in, generator.JobsIn(s.wanted, s.database)
	script, err := install.Bootstrap(in, s.database, s.migrator)
	if err == nil {
		err = send(ctx, s.conn, script)
	}
	if err == nil && in.CronElsewhere() {
		if script, err = install.BootstrapCron(in, s.migrator); err == nil {
			err = send(ctx, s.elsewhere.conn, script)
		}
	}
	return "the schema", err
}

// compileFor makes of the project what is installed on the tables at hand.
func (s *stage) compileFor(ctx context.Context) error {
	tables, jobs := directory{s.Migrations, false}, directory{s.cronDirectory(), true}
	history, err := playable(tables)
	if err == nil {
		s.wanted, err = s.project.compile(s.before, history)
	}
	if err == nil {
		err = s.compareSnapshot(history)
	}
	if err == nil {
		err = s.project.parse(ctx, s.conn, s.before)
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
var codeSnapshotDiffers = diag.Register("L053", "catalog snapshot differs from the schema file")

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
