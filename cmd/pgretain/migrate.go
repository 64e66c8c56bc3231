package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/spf13/cobra"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/install"
	"pgretain/internal/lists"
	"pgretain/internal/quote"
	"pgretain/policy"
	catalogsql "pgretain/sql/catalog"
)

// migration is what the three verbs have in common.
type migration struct {
	paths
	cron, all      bool
	export, format string
}

// migrateVerb does something with a place that goose migrates.
func migrateVerb(name string, do func(context.Context, migration, destination) error) *cobra.Command {
	var m migration
	command := verb("migrate "+name, func(ctx context.Context, _ []string) error {
		at, err := m.destination(name)
		if err != nil {
			return err
		}
		return do(ctx, m, at)
	})
	m.add(command, "policy", "migrations", "cron-migrations", "database-url", "cron-database-url")
	addFormat(command, &m.format)
	command.Flags().BoolVar(&m.cron, "cron", false, "in the database where schema cron lives, if that is another one: its jobs")
	if name == "down" {
		command.Flags().BoolVar(&m.all, "all", false, "undo everything")
		m.addExport(command)
	}
	return command
}

// destination is one of the two directories, and its database.
type destination struct {
	directory
	project *project
	url     string
	tables  string // the connection to the database of the tables
}

// in is the install in that database.
func (at destination) in() policy.Install { return at.project.file.Install.In(databaseOf(at.tables)) }

// databaseOf is the database of connection settings, by default that of the user's name, as libpq has it.
func databaseOf(url string) string {
	config, err := install.Settings(url)
	if err != nil {
		return "" // connecting says so
	}
	return cmp.Or(config.Database, config.User)
}

// destination is what --cron says, where goose goes up, down or tells the status.
func (m migration) destination(verb string) (at destination, err error) {
	project, err := readProject(m.policy)
	if err != nil {
		return at, err
	}
	at = destination{directory{m.migrations, false}, project, m.url, m.url}
	if m.cron {
		if err := m.checkDirectories(); err != nil {
			return at, err
		}
		if project.file.Install.Database == "" {
			return at, &install.CheckError{
				Message: "install.database is missing in " + m.policy,
				Detail:  "It tells the jobs of this database from those of others, also when they move back.",
				Hint:    "Write it, with install.cron_database; or leave --cron out.",
			}
		}
		at.directory = directory{m.cronDirectory(), true}
		if at.url, err = m.cronDatabase(project.file.Install); err != nil {
			return at, err
		}
	}
	return at, onlyGoose(at.path, verb, m.all)
}

func (at destination) options() install.Options {
	return install.Options{Install: at.in(), Path: at.path, Cron: at.cron}
}

func (c *console) up(ctx context.Context, m migration, at destination) error {
	if err := at.shortNames(); err != nil {
		return err
	}
	if err := at.fits(ctx); err != nil {
		return err
	}
	options := at.options()
	options.Progress = c.progress(m, "applied")
	options.Schedules = at.project.file.Schedules(at.cron)
	done, err := install.Up(ctx, at.url, os.DirFS(at.path), options)
	if err := c.migrated(m, "applied", done, "nothing pending in "+at.path, at.project.explain(err)); err != nil {
		return err
	}
	if in := options.Install; !at.cron && in.CronElsewhere() {
		c.notef("the jobs are scheduled by \"pgretain migrate up --cron\", in database %q\n", in.CronDatabase)
	}
	return nil
}

// shortNames refuses jobs whose names pg_cron would truncate: what the migration makes of the database is not shortened.
func (at destination) shortNames() error {
	in := at.in()
	for _, job := range at.project.file.Jobs {
		if name := in.Database + "." + in.Schema + "." + job.Name; at.project.file.Install.Database == policy.AnyDatabase && len(name) > 60 {
			return &install.CheckError{Message: fmt.Sprintf("the name of job %q would be too long in pg_cron", name),
				Hint: "Write install.database into the policy file of this database, which shortens it."}
		}
	}
	return nil
}

// fits compiles the policy against the live tables: what a migration would stumble over is said
// with the line of the policy, before anything is applied.
func (at destination) fits(ctx context.Context) error {
	history, err := at.history()
	if err != nil {
		return err
	}
	if len(history.Files()) == 0 {
		flag := "--migrations"
		if at.cron {
			flag = "--cron-migrations"
		}
		return &install.CheckError{
			Message: "there is no generated migration in " + quoted(at.path),
			Hint:    `Write the first one with "pgretain generate", or name another directory with ` + flag + ".",
		}
	}
	if at.cron {
		return nil
	}
	return connected(ctx, at.url, func(conn *pgx.Conn) error {
		snapshot, err := at.project.inspect(ctx, conn)
		if err == nil {
			_, err = at.project.compile(snapshot, history)
		}
		if err != nil {
			return err
		}
		return at.project.plan(ctx, conn, snapshot)
	})
}

// plan lets the server plan every expression of the policy, in a transaction that reads only: what it
// refuses is said with the line of the policy.
func (p *project) plan(ctx context.Context, conn *pgx.Conn, snapshot *catalog.Snapshot) error {
	path := quote.Idents(p.file.Install.Path())
	var list diag.List
	for _, check := range generator.Checks(p.file, snapshot) {
		err := pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, catalogsql.Query("search_path"), path); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, check.SQL)
			return err
		})
		server, said := errors.AsType[*pgconn.PgError](err)
		if said && refused(server.Code) {
			d := install.Said(server)
			d.Position, d.Code = check.Expr.Position, generator.CodeExpression
			list.Add(d)
		} else if err != nil && !said {
			return err
		}
	}
	if len(list) == 0 {
		return nil
	}
	return &problems{list.Unique(), p.sources}
}

// refused says whether an error is about the expression: its syntax, names, types or values, and not
// about the rights of the connection's role.
// https://www.postgresql.org/docs/current/errcodes-appendix.html
func refused(sqlstate string) bool {
	return strings.HasPrefix(sqlstate, "22") || strings.HasPrefix(sqlstate, "42") && sqlstate != "42501"
}

func (c *console) down(ctx context.Context, m migration, at destination) error {
	done, err := c.undo(ctx, m, at, func(ctx context.Context, url string, dir fs.FS, o install.Options) ([]install.Migration, error) {
		return install.Down(ctx, url, dir, o, m.all)
	})
	return c.migrated(m, "undone", done, "nothing to undo", err)
}

// undo calls Down or Uninstall, with a file for holds and run log where one is asked for. It is where the holds are.
func (c *console) undo(ctx context.Context, m migration, at destination,
	do func(context.Context, string, fs.FS, install.Options) ([]install.Migration, error)) ([]install.Migration, error) {
	if _, err := at.history(); err != nil {
		return nil, err
	}
	options := at.options()
	options.Progress = c.progress(m, "undone ")
	if m.export != "" && !at.cron {
		file, err := os.OpenFile(m.export, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return nil, fmt.Errorf("writing holds and run log: %w", err)
		}
		defer file.Close()
		options.Export = file
	}
	done, err := do(ctx, at.url, os.DirFS(at.path), options)
	if file, written := options.Export.(*os.File); written && err != nil {
		if info, unknown := file.Stat(); unknown == nil && info.Size() == 0 {
			_ = os.Remove(m.export) // so that the same command may be run again
		}
	}
	return done, err
}

// addExport is a flag of what may drop the log.
func (m *migration) addExport(command *cobra.Command) {
	command.Flags().StringVar(&m.export, "export", "", "write holds and run log to a new `file` first")
}

// progress says each migration in text, as it is done.
func (c *console) progress(m migration, verb string) func(install.Migration) {
	if m.format == "json" {
		return nil
	}
	return func(m install.Migration) {
		c.printf("%s  %s  %s\n", verb, m.Name, m.Duration.Round(time.Millisecond))
	}
}

// migratedFile is a migration in the JSON format.
type migratedFile struct {
	Version   int64   `json:"number"`
	Name      string  `json:"file,omitempty"`
	State     string  `json:"state"`
	AppliedAt string  `json:"applied_at,omitempty"`
	Seconds   float64 `json:"seconds,omitempty"`
}

// migrated says what was done, also where err ended it; none is for nothing.
func (c *console) migrated(m migration, state string, done []install.Migration, none string, err error) error {
	if m.format == "json" {
		list := lists.Map(done, func(d install.Migration) migratedFile {
			return migratedFile{Version: d.Version, Name: d.Name, State: state, Seconds: d.Duration.Seconds()}
		})
		return errors.Join(err, c.document("migrations", list))
	}
	if err == nil && len(done) == 0 {
		c.printf("%s\n", none)
	}
	return err
}

func (c *console) migrations(ctx context.Context, request migration, at destination) error {
	known, err := install.Status(ctx, at.url, os.DirFS(at.path), at.options())
	if err != nil {
		return err
	}
	t := table{columns: []string{"MIGRATION", "STATE", "APPLIED"}}
	list, code := []migratedFile{}, 0
	for _, m := range known {
		name, state, applied := m.Name, "applied", ""
		switch {
		case m.Name == "":
			name, state = fmt.Sprintf("version %d", m.Version), "not in "+filepath.Base(at.path)
		case m.Differs:
			state = "applied from another file"
		case !m.Applied:
			state = "pending"
		}
		if state != "applied" {
			code = 1
		}
		if m.Applied {
			applied = m.AppliedAt.UTC().Format("2006-01-02 15:04:05Z")
		}
		t.add(name, state, applied)
		list = append(list, migratedFile{Version: m.Version, Name: m.Name, State: state, AppliedAt: applied})
	}
	if request.format == "json" {
		return errors.Join(c.document("migrations", list), ends(code))
	}
	t.print(c.out)
	return ends(code)
}
