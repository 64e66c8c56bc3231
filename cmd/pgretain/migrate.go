package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/spf13/cobra"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/install"
	"pgretain/internal/messages"
	"pgretain/internal/quote"
	"pgretain/policy"
	catalogsql "pgretain/sql/catalog"
	"pgretain/verifier"
)

func (c *console) migrateCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "migrate up|down|status",
		Short: "Apply, undo or list migrations",
		Long: `Applies, undoes or lists the migrations of a directory. Table goose_db_version in the schema of the
runtime records their versions. goose itself can apply them as well. For files for tern, flyway or
psql, the command only prints how to apply them with that tool.

Exit codes: see the help of up, down and status.`,
		Args: cobra.ArbitraryArgs, RunE: onlyVerbs, DisableFlagsInUseLine: true,
	}
	command.AddCommand(c.migrateUpCommand(), c.migrateDownCommand(), c.migrateStatusCommand())
	return command
}

func (c *console) migrateUpCommand() *cobra.Command {
	var f flags
	command := &cobra.Command{
		Use:   "up",
		Short: "Apply pending migrations",
		Long: `Applies the pending migrations, each in one transaction. Indexes are built concurrently, outside of
transactions. Before the first migration the command checks roles, privileges and pg_cron, and that
the tables and columns of the policy exist in this database. After a failure, run it again to
continue. If schema cron is in another database, then run it with --cron to schedule the jobs there.

Exit codes:
  0  applied, or nothing pending
  1  the policy does not fit the database; nothing was applied
  2  could not run, or a migration failed`,
		Example: `  pgretain migrate up`,
		RunE:    c.inDatabases(&f, (*console).up),
	}
	f.addDirectories(command)
	f.addFormat(command, "`text` or json", "text", "json")
	command.Flags().BoolVar(&f.Cron, "cron", false,
		"migrate the jobs, in the database with schema cron, if that is another database")
	f.addFleet(command)
	return command
}

func (c *console) migrateDownCommand() *cobra.Command {
	var f flags
	command := &cobra.Command{
		Use:   "down",
		Short: "Undo the last step, or everything",
		Long: `Undoes the last step, which may have several files. With --all it undoes every step, and drops the
version table. It drops the schema if the role could create it again. It refuses to drop holds that
are in force. --export writes the holds and the run log to a new file first. If schema cron is in
another database, undo the jobs there first, with --cron.

Exit codes:
  0  undone, or nothing to undo
  1  the policy has errors
  2  could not run, or a migration failed`,
		Example: `  pgretain migrate down`,
		RunE:    c.inDatabases(&f, (*console).down),
	}
	f.addDirectories(command)
	f.addFormat(command, "`text` or json", "text", "json")
	f.addExport(command)
	command.Flags().BoolVar(&f.Cron, "cron", false,
		"migrate the jobs, in the database with schema cron, if that is another database")
	command.Flags().BoolVar(&f.All, "all", false, "undo every step")
	return command
}

func (c *console) migrateStatusCommand() *cobra.Command {
	var f flags
	command := &cobra.Command{
		Use:   "status",
		Short: "List migrations",
		Long: `Lists the migrations of the directory and of the database.

Exit codes:
  0  nothing is pending
  1  a migration is pending, or the database has migrations that the directory does not have
  2  could not run`,
		Example: `  pgretain migrate status`,
		RunE:    c.inDatabases(&f, (*console).migrations),
	}
	f.addDirectories(command)
	f.addFormat(command, "`text` or json", "text", "json")
	command.Flags().BoolVar(&f.Cron, "cron", false,
		"list those of the jobs, in the database with schema cron, if that is another database")
	f.addFleet(command)
	return command
}

// destination is a migration directory with its database: the database of the tables, or the
// database of the jobs.
type destination struct {
	directory
	project *project
	url     string
	tables  string // connection to the database of the tables
}

// databaseOf returns the database of connection settings. The default is the name of the user, as
// in libpq.
func databaseOf(url string) string {
	config, err := install.Settings(url)
	if err != nil {
		return "" // connecting reports the error
	}
	return cmp.Or(config.Database, config.User)
}

// tables returns the destination of the tables.
func (c *console) tables(project *project) destination {
	return destination{directory{c.Migrations, false}, project, c.DatabaseURL, c.DatabaseURL}
}

// destination returns the destination of the tables or of the jobs, for the commands up, down and
// status.
func (c *console) destination(verb string, cron bool) (at destination, err error) {
	project, err := readProject(c.Policy)
	if err != nil {
		return at, err
	}
	at = c.tables(project)
	if cron {
		at.directory = directory{c.cronDirectory(), true}
		if at.url, err = c.cronDatabase(project.file.Install); err != nil {
			return at, err
		}
	}
	return at, c.onlyGoose(at.Path, verb)
}

func (at destination) options() install.Options {
	in := at.project.file.Install
	if at.cron { // also the database in which jobs were scheduled before
		in.Database = cmp.Or(in.Database, policy.AnyDatabase)
	}
	return install.Options{Install: in.In(databaseOf(at.tables)), Path: at.Path, Cron: at.cron}
}

// onlyGoose refuses a directory for another migration tool, and names the command of that tool.
// With --all it names the command that undoes everything.
func (c *console) onlyGoose(dir, verb string) error {
	format, err := generator.Recognise(os.DirFS(dir))
	if err != nil || format == generator.Goose {
		return inDirectory(dir, err)
	}
	history, _, err := replay(dir, "", nil)
	if err != nil {
		return err
	}
	step := history.LastStep()
	if c.All {
		step = history.Files()
	}
	ups, downs := "", ""
	for _, m := range step {
		ups += " -f " + filepath.Join(dir, m.Name)
		downs = " -f " + filepath.Join(dir, strings.ReplaceAll(m.Name, ".up.sql", ".down.sql")) + downs
	}
	return refuse("another tool", map[string]any{"Path": dir, "Format": format, "Verb": verb,
		"Dir": filepath.Clean(dir), "Count": len(step), "First": step[0].Version, "Ups": ups, "Downs": downs})
}

func (c *console) up(ctx context.Context, _ []string) error {
	at, err := c.destination("up", c.Cron)
	if err == nil {
		err = at.fits(ctx)
	}
	if err != nil {
		return err
	}
	options := at.options()
	options.Progress = c.progress
	options.Warn = func(d diag.Diagnostic) { c.show(diag.List{d}, nil) }
	options.Prepare = generator.Prepare(options.Install)
	options.Schedules = at.project.file.Schedules(at.cron)
	done, err := install.Up(ctx, at.url, os.DirFS(at.Path), options)
	if err := c.migrated(done, "nothing pending in "+at.Path, at.project.explain(err)); err != nil {
		return err
	}
	if in := options.Install; !at.cron && in.CronElsewhere() {
		c.notef("run \"pgretain migrate up --cron\" to schedule the jobs in database %q\n", in.CronDatabase)
	}
	return nil
}

// fits checks before the first migration that the policy compiles for the live tables. Its errors
// have a line of the policy file, unlike errors of a migration. It compiles nothing while a file of
// the user is pending, because that file may change the tables. It refuses jobs whose names pg_cron
// would truncate.
func (at destination) fits(ctx context.Context) error {
	file, in := at.project.file, at.options().Install
	for _, job := range file.Jobs {
		name := in.Database + "." + in.Schema + "." + job.Name
		// a name that contains the database's name is not shortened
		if file.Install.Database == policy.AnyDatabase && len(name) > 60 {
			return refuse("long name", name)
		}
	}
	history, err := at.history()
	if err != nil {
		return err
	}
	if len(history.Files()) == 0 {
		flag := map[bool]string{true: "--cron-migrations", false: "--migrations"}[at.cron]
		return refuse("no migration", map[string]string{"Path": at.Path, "Flag": flag})
	}
	if at.cron {
		return nil
	}
	known, err := install.Status(ctx, at.url, os.DirFS(at.Path), at.options())
	if err == nil && slices.ContainsFunc(known, install.Migration.ChangesTables) { // Up reports the error
		return nil
	}
	return connected(ctx, at.url, func(conn *pgx.Conn) error {
		snapshot, err := at.project.inspect(ctx, conn, false)
		if err != nil {
			return err
		}
		objects, err := at.project.compile(snapshot, history)
		if err == nil {
			err = at.project.parse(ctx, conn, snapshot)
		}
		if err != nil {
			return err
		}
		return at.project.installable(ctx, conn, slices.DeleteFunc(objects, func(o generator.Object) bool {
			file := history.FileOf(o.ID())
			pending := func(m install.Migration) bool { return m.Name == file && !m.Applied }
			return o.Kind != generator.KindPolicy || !slices.ContainsFunc(known, pending)
		}))
	})
}

// installable returns an error that names everything in the database that would stop a migration
// when it installs the given policies. It returns nil if the session's role is no member of the
// owner, because then the check of the roles names the cause.
func (p *project) installable(ctx context.Context, conn *pgx.Conn, policies []generator.Object) error {
	if in := p.file.Install; !in.Roles.None {
		var member bool
		err := (&session{conn: conn, install: in}).row(ctx, "is_member", in.Roles.Owner).Scan(&member)
		if err != nil || !member {
			return err
		}
	}
	list, err := verifier.Obstacles(ctx, conn, p.file, policies)
	if err != nil || len(list) == 0 {
		return err
	}
	return &problems{list, p.sources}
}

// parse lets the server parse every expression of the policy. An error has the line of the policy.
// parse does not plan the expressions. Planning would evaluate functions of constants and indexes,
// whose owners were not checked yet.
func (p *project) parse(ctx context.Context, conn *pgx.Conn, snapshot *catalog.Snapshot) error {
	path := quote.Idents(p.file.Install.Path())
	var list diag.List
	for _, check := range generator.Checks(p.file, snapshot) {
		err := pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, catalogsql.Query("search_path"), path); err != nil {
				return err
			}
			_, err := tx.Prepare(ctx, "", check.SQL)
			return err
		})
		server, said := errors.AsType[*pgconn.PgError](err)
		if said && refused(server.Code) {
			d := install.Said(server)
			d.Position, d.Code = check.Expr.Position, messages.CodeExpressionRefused
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

// refused reports whether an error is about the expression: its syntax, names, types or values.
// Errors about privileges of the connection's role do not count.
// https://www.postgresql.org/docs/current/errcodes-appendix.html
func refused(sqlstate string) bool {
	return strings.HasPrefix(sqlstate, "22") || strings.HasPrefix(sqlstate, "42") && sqlstate != "42501"
}

func (c *console) down(ctx context.Context, _ []string) error {
	at, err := c.destination("down", c.Cron)
	if err != nil {
		return err
	}
	if _, err := at.history(); err != nil {
		return err
	}
	options := at.options()
	options.Progress, options.All = c.progress, c.All
	if !at.cron { // holds and run log are in the database of the tables
		options.Export = c.Export
	}
	done, err := install.Down(ctx, at.url, os.DirFS(at.Path), options)
	return c.migrated(done, "nothing to undo", err)
}

// progress prints each migration when it is done, unless the output is JSON.
func (c *console) progress(m install.Migration) {
	if !c.JSON {
		took := time.Duration(m.Seconds * float64(time.Second))
		c.printf("%-7s  %s  %s\n", m.State, m.Name, took.Round(time.Millisecond))
	}
}

// migrated prints what was done, even if err ended it. none is the text if nothing was done.
func (c *console) migrated(done []install.Migration, none string, err error) error {
	if c.JSON {
		return errors.Join(err, c.document("migrations", append([]install.Migration{}, done...)))
	}
	if err == nil && len(done) == 0 {
		c.printf("%s\n", none)
	}
	return err
}

// migrations lists the migrations of the directory and of the database.
func (c *console) migrations(ctx context.Context, _ []string) error {
	at, err := c.destination("status", c.Cron)
	if err != nil {
		return err
	}
	known, err := install.Status(ctx, at.url, os.DirFS(at.Path), at.options())
	if err != nil {
		return err
	}
	err = c.result("migrations", known, "migrations", known)
	if slices.ContainsFunc(known, func(m install.Migration) bool { return m.State != "applied" }) {
		err = errors.Join(err, exitCode(1))
	}
	return err
}
