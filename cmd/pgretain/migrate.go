package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"pgretain/internal/diag"
	"pgretain/internal/install"
)

const migrateUpHelp = `Applies the pending migrations, one transaction each (indexes are built concurrently, outside one).
Before the first it checks roles, rights, pg_cron, and that the tables and columns of the policy
exist in this database. After a failure, running it again goes on where it stopped.
Where schema cron lives in another database, run it there with --cron afterwards.

Exit codes:
  0  applied, or nothing pending
  1  the policy does not fit the database; nothing was applied
  2  could not run, or a migration failed`

const migrateDownHelp = `Undoes the last step, which may be several files; with --all everything. Schema and version table
stay. What would drop holds in force is refused; --export writes holds and run log to a new file first. Where schema cron lives in another database, undo the jobs there first, with --cron.

Exit codes:
  0  undone, or nothing to undo
  1  the policy has errors
  2  could not run, or a migration failed`

const migrateStatusHelp = `Lists the migrations of the directory and of the database.

Exit codes:
  0  nothing is pending
  1  something is pending, or the database has migrations that the directory has not
  2  could not run`

// migration is what the three verbs have in common.
type migration struct {
	paths
	url, cronURL string
	cron, all    bool
	export       string
}

func migrateCommand(c *console) *cobra.Command {
	migrate := &cobra.Command{
		Use: "migrate up|down|status", DisableFlagsInUseLine: true, Short: "Apply, undo or list migrations",
		Long: "Applies, undoes or lists the migrations of a directory. Their versions are kept in a table of our own,\n" +
			"goose_db_version in the schema of the runtime; goose itself can apply them as well. Of files for tern,\n" +
			"flyway or psql it says only how those tools apply them.\n\n" +
			"Exit codes: see the help of up, down and status.",
		Args: noVerbArguments, RunE: onlyVerbs,
	}
	up := migrateVerb("up", "Apply pending migrations", migrateUpHelp, c.up)
	down := migrateVerb("down", "Undo the last step, or everything", migrateDownHelp, c.down)
	status := migrateVerb("status", "List migrations", migrateStatusHelp, c.migrations)
	migrate.AddCommand(up, down, status)
	return migrate
}

// noVerbArguments leaves unknown verbs to onlyVerbs.
func noVerbArguments(*cobra.Command, []string) error { return nil }

func migrateVerb(name, short, long string, do func(context.Context, migration) error) *cobra.Command {
	var m migration
	command := &cobra.Command{
		Use: name, Short: short, Long: long, Example: "  pgretain migrate " + name, Args: noArguments,
		RunE: func(command *cobra.Command, _ []string) error { return do(command.Context(), m) },
	}
	m.addPolicy(command)
	m.addMigrations(command)
	m.addCronMigrations(command)
	addDatabaseURL(command, &m.url)
	addCronDatabaseURL(command, &m.cronURL)
	command.Flags().BoolVar(&m.cron, "cron", false, "in the database where schema cron lives, if that is another one: its jobs")
	if name == "down" {
		command.Flags().BoolVar(&m.all, "all", false, "undo everything")
		command.Flags().StringVar(&m.export, "export", "", "write holds and run log to a new `file` first")
	}
	return command
}

func (m migration) options(p *project, at destination) install.Options {
	return install.Options{Install: p.file.Install, Path: at.dir, Cron: at.cron}
}

// start reads what every verb needs.
func (m migration) start(verb string) (*project, destination, error) {
	project, err := readProject(m.policy)
	if err != nil {
		return nil, destination{}, err
	}
	at, err := m.destination(project)
	if err != nil {
		return nil, at, err
	}
	m.migrations = at.dir
	return project, at, m.onlyGoose(verb)
}

func (c *console) up(ctx context.Context, m migration) error {
	project, at, err := m.start("up")
	if err != nil {
		return err
	}
	if err := m.fits(ctx, project, at); err != nil {
		return err
	}
	options := m.options(project, at)
	options.Progress = c.progress("applied")
	options.Schedules = at.schedules(project)
	done, err := install.Up(ctx, at.url, os.DirFS(at.dir), options)
	if err == nil && len(done) == 0 {
		c.printf("nothing pending in %s\n", at.dir)
	}
	if err == nil && !at.cron && project.file.Install.CronElsewhere() {
		c.notef("the jobs are scheduled by \"pgretain migrate up --cron\", in database %q\n", project.file.Install.CronDatabase)
	}
	return project.located(err)
}

// located shows what is wrong with a line of the policy file there.
func (p *project) located(err error) error {
	var refused *install.ScheduleError
	if !errors.As(err, &refused) {
		return err
	}
	return &problems{append(diag.List{}, install.Diagnostics(err)...), p.sources}
}

// fits compiles the policy against the live tables: what a migration would stumble over is said
// with the line of the policy, before anything is applied.
func (m migration) fits(ctx context.Context, project *project, at destination) error {
	history, err := at.history()
	if err != nil {
		return err
	}
	if len(history.Files()) == 0 {
		return &install.CheckError{
			Message: "there is no generated migration in " + quoted(at.dir),
			Hint:    `Write the first one with "pgretain generate", or name another directory with ` + at.flag() + ".",
		}
	}
	if at.cron {
		return nil
	}
	conn, err := install.Connect(ctx, m.url)
	if err != nil {
		return err
	}
	defer closeConn(conn)
	snapshot, err := project.inspect(ctx, conn)
	if err != nil {
		return err
	}
	if _, err = project.compile(snapshot, history); err != nil {
		return err
	}
	return project.plan(ctx, conn, snapshot)
}

func (c *console) down(ctx context.Context, m migration) error {
	project, at, err := m.start("down")
	if err != nil {
		return err
	}
	if _, err := at.history(); err != nil {
		return err
	}
	options := m.options(project, at)
	options.Progress = c.progress("undone ")
	if m.export != "" {
		file, err := os.OpenFile(m.export, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return fmt.Errorf("writing holds and run log: %w", err)
		}
		defer file.Close()
		options.Export = file
	}
	done, err := install.Down(ctx, at.url, os.DirFS(at.dir), options, m.all)
	if err == nil && len(done) == 0 {
		c.printf("nothing to undo\n")
	}
	return err
}

func (c *console) progress(verb string) func(install.Migration) {
	return func(m install.Migration) {
		c.printf("%s  %s  %s\n", verb, m.Name, m.Duration.Round(time.Millisecond))
	}
}

func (c *console) migrations(ctx context.Context, m migration) error {
	project, at, err := m.start("status")
	if err != nil {
		return err
	}
	known, err := install.Status(ctx, at.url, os.DirFS(at.dir), m.options(project, at))
	if err != nil {
		return err
	}
	return c.list(known, at.dir)
}

func (c *console) list(known []install.Migration, dir string) error {
	t := table{columns: []string{"MIGRATION", "STATE", "APPLIED"}}
	code := exitCode(0)
	for _, m := range known {
		switch {
		case m.Name == "":
			t.add(fmt.Sprintf("version %d", m.Version), "not in "+filepath.Base(dir), stamp(m.AppliedAt))
			code = 1
		case m.Differs:
			t.add(m.Name, "applied from another file", stamp(m.AppliedAt))
			code = 1
		case m.Applied:
			t.add(m.Name, "applied", stamp(m.AppliedAt))
		default:
			t.add(m.Name, "pending", "")
			code = 1
		}
	}
	t.print(c.out)
	if code != 0 {
		return code
	}
	return nil
}

// stamp writes an instant in UTC, to the second.
func stamp(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05Z") }
