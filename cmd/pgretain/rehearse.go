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
	"pgretain/internal/messages"
	"pgretain/internal/sandbox"
	"pgretain/policy"
	"pgretain/verifier"
)

// These are roles of a rehearsal. The loader executes the schema file. It is a superuser, because
// creating an extension can require one. Afterwards the objects get an owner that is no superuser,
// as in production.
const superuser, loader = "", "rehearsal_loader"

// stage is the state of a rehearsal on a temporary server. The rehearsal applies all migrations,
// undoes them, and applies them again. Undoing must leave no object behind. plpgsql_check must find
// no error in a routine, every policy must run, and the verifier must find nothing.
type stage struct {
	*console
	*project
	*session            // of a superuser, in the database of the tables
	elsewhere  *session // in the server's first database, which has schema cron
	schema     schemaFile
	server     *sandbox.Server
	migrator   string             // name of the migrating role
	wanted     []generator.Object // objects that the policy file requires for these tables
	migrations fs.FS
	// for the database with schema cron; nil if that is the same database
	jobs    fs.FS
	before  *catalog.Snapshot // the tables before the first migration
	brought []string          // objects in the schema file that have the form of pgretain's own objects
	// findings in the policy file, or in a migration that PostgreSQL refuses
	found  diag.List
	report *verifier.Report // nil if the rehearsal ended before the verifier
}

// rehearse installs everything on a temporary server, on the tables of a schema file. It installs
// the migrations of the directory and the step that generate would add. An error means that the
// rehearsal could not be completed. Findings before the error are still added to "found".
func (c *console) rehearse(ctx context.Context, found *linted) error {
	file := found.project.file
	schema, err := readSchema(c.Schema)
	if err != nil {
		return err
	}
	for _, p := range file.Policies { // roles that the policy file needs
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

// rehearse executes the parts of a rehearsal one after the other. A migration that PostgreSQL
// refuses becomes a finding and ends the rehearsal.
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
		{"load", s.load},
		{"up", s.up},
		{"check", s.checkRoutines},
		{"down", s.down},
		{"up again", s.up},
		{"run", s.runPolicies},
		{"verify", s.verify},
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

// load creates the application's schema, changes its owner, compiles the policy for it, and
// executes the bootstrap script.
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
		s.before, err = s.inspect(ctx, s.conn, false)
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

// compileFor determines what is installed on the tables of the schema file.
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

// playable returns the history of a directory if pgretain can apply it to a database that has only
// the application's schema. It returns an empty history for the directory of another migration
// tool. It does the same for a directory with files of the user, because the schema file already
// contains the objects of these files.
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

// compareSnapshot compiles the policy file again, with the snapshot that lint and generate read,
// and compares the results.
func (s *stage) compareSnapshot(history *generator.History) error {
	snapshot, err := readCatalog(s.catalogFile())
	if err != nil || snapshot == nil {
		return err
	}
	objects, list := generator.Compile(s.file, snapshot, history)
	if list.HasErrors() || len(generator.Changes(s.wanted, objects)) > 0 {
		d := messages.OtherSchema
		d.Position = diag.Position{File: s.catalogFile(), Line: 1, Column: 1}
		s.found.Add(d)
	}
	return nil
}

// withNext returns the files of a directory and of its next step.
func (s *stage) withNext(from directory, history *generator.History, wanted []generator.Object) (fs.FS, error) {
	files, err := generator.Next(history, wanted, s.project.stepOptions(from.cron))
	if err != nil {
		return nil, s.project.explain(err)
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
