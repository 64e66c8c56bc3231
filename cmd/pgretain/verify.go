package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/spf13/cobra"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/install"
	"pgretain/internal/parallel"
	sqlfiles "pgretain/sql"
	"pgretain/verifier"
)

const verifyHelp = `Proves that the database does what the policy says: functions byte for byte, indexes, schedule,
privileges, pending migrations, and no row overdue. Only reads. What the role cannot see is
reported as unknown, never as in order. Each finding has a code with a page in docs/checks.

Exit codes:
  0  conforms
  1  drift or something unknown was found, or the policy has errors
  2  could not run: unreadable file, no connection`

// verification is what the flags of verify say.
type verification struct {
	paths
	reporting
	url, cronURL string
	counts       bool
	timeout      time.Duration
	only, skip   []string // checks and groups
}

func verifyCommand(c *console) *cobra.Command {
	var v verification
	command := &cobra.Command{
		Use:     "verify",
		Short:   "Prove that the database does what the policy says",
		Long:    verifyHelp,
		Example: "  pgretain verify\n  pgretain verify --format sarif > verify.sarif\n  pgretain verify --only indexes,V060 --skip V022",
		Args:    noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := v.check(); err != nil {
				return err
			}
			return c.verify(command.Context(), v)
		},
	}
	v.addPolicy(command)
	v.addCatalog(command)
	v.addMigrations(command)
	v.addCronMigrations(command)
	addDatabaseURL(command, &v.url)
	addCronDatabaseURL(command, &v.cronURL)
	v.reporting.add(command)
	command.Flags().BoolVar(&v.counts, "counts", true, "count overdue rows, which costs what counting costs")
	command.Flags().StringSliceVar(&v.only, "only", nil, "make these `checks` only: codes or groups, with commas between them")
	command.Flags().StringSliceVar(&v.skip, "skip", nil, "leave these `checks` out: codes or groups; wins over --only")
	command.Flags().DurationVar(&v.timeout, "timeout", 5*time.Second, "for each query; what takes longer is unknown")
	return command
}

func (c *console) verify(ctx context.Context, v verification) error {
	checks, err := v.selected()
	if err != nil {
		return err
	}
	project, compiled, err := v.wanted()
	if err != nil {
		return err
	}
	pending, err := v.pending(ctx, project)
	if err != nil {
		return err
	}
	conn, err := install.Connect(ctx, v.url)
	if err != nil {
		return err
	}
	defer closeConn(conn)
	if len(pending) == 0 {
		if err := upToDate(ctx, conn, project.file.Install.Schema); err != nil {
			return err
		}
	}
	options := verifier.Options{Pending: pending, Counts: v.counts, Timeout: v.timeout, Checks: checks,
		Snapshot: compiled.snapshot, History: compiled.history}
	if err := v.follow(ctx, project, &options); err != nil {
		return err
	}
	if options.Cron != nil {
		defer closeConn(options.Cron)
	}
	report, err := verifier.Verify(ctx, conn, project.file, compiled.objects, options)
	if err != nil {
		return err
	}
	return c.report(report, v.reporting)
}

// selected are the checks to make. To make none would call any database conforming.
func (v verification) selected() (verifier.Selection, error) {
	checks, err := verifier.Select(v.only, v.skip)
	var unknown verifier.UnknownChecks
	switch {
	case errors.As(err, &unknown):
		var groups []string
		for _, g := range verifier.Groups() {
			groups = append(groups, string(g))
		}
		return checks, &install.CheckError{Message: unknown.Error(),
			Hint: "The groups are " + strings.Join(groups, ", ") + "; docs/checks has a page for each code, V001 and on."}
	case err == nil && len(checks.Codes()) == 0:
		return checks, &install.CheckError{Message: "--only and --skip leave no check to be made", Hint: "Name at least one check that --skip does not name."}
	}
	return checks, err
}

// upToDate refuses to compare with an older runtime to which no pending migration leads on: each of its
// objects would differ. What cannot be read is for the report.
func upToDate(ctx context.Context, conn *pgx.Conn, schema string) error {
	var found string
	err := conn.QueryRow(ctx, statement("version", schema)).Scan(&found)
	var server *pgconn.PgError
	if errors.As(err, &server) || errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if older, wrong := sqlfiles.Compare(found); err != nil || wrong != nil || older >= 0 {
		return errors.Join(err, wrong)
	}
	return &install.CheckError{
		Message: fmt.Sprintf("the database has version %s of the runtime, this pgretain verifies version %s", found, sqlfiles.Version),
		Hint:    `Run "pgretain generate" and "pgretain migrate up", or verify with the pgretain that installed it.`,
	}
}

// follow looks for the jobs in the other database where schema cron lives, or where they were once.
// Not being able to is a finding.
func (v verification) follow(ctx context.Context, project *project, options *verifier.Options) error {
	if err := v.checkDirectories(); err != nil {
		return err
	}
	history, err := readCron(v.cronDirectory())
	if err != nil {
		return err
	}
	in := project.file.Install
	if !in.CronElsewhere() && (len(history.Files()) == 0 || in.Database == "" || v.cronURL == "") {
		return nil
	}
	url, err := cronURL(v.cronURL, v.url, in)
	if err != nil {
		return err
	}
	known, err := install.Status(ctx, url, os.DirFS(v.cronDirectory()), install.Options{Install: in, Path: v.cronDirectory(), Cron: true})
	for _, m := range known {
		if !m.Applied {
			options.CronPending = append(options.CronPending, m.Name)
		}
	}
	if err == nil && in.CronElsewhere() {
		options.Cron, err = install.Connect(ctx, url)
	}
	options.CronRefused = err
	return ctx.Err()
}

// compilation is what the database should hold, and what that was concluded from.
type compilation struct {
	snapshot *catalog.Snapshot
	history  *generator.History
	objects  []generator.Object
}

// wanted compiles the policy file.
func (v verification) wanted() (*project, compilation, error) {
	tablesThere := parallel.Start(func() (*catalog.Snapshot, error) { return requireCatalog(v.catalogFile()) })
	migrations := parallel.Start(func() (*generator.History, error) { return readTables(v.migrations) })
	project, err := readProject(v.policy)
	if err != nil {
		return nil, compilation{}, err
	}
	snapshot, err := tablesThere()
	if err != nil {
		return nil, compilation{}, err
	}
	history, err := migrations()
	if err != nil {
		return nil, compilation{}, err
	}
	objects, err := project.compile(snapshot, history)
	return project, compilation{snapshot, history, objects}, err
}

// pending lists the migrations that the database lacks. What other tools have applied is in records of
// their own: objects that are missing are found all the same.
func (v verification) pending(ctx context.Context, project *project) ([]string, error) {
	format, err := generator.Recognise(os.DirFS(v.migrations))
	if err != nil || format != generator.Goose {
		return nil, inDirectory(v.migrations, err)
	}
	options := install.Options{Install: project.file.Install, Path: v.migrations}
	recorded, err := install.Recorded(ctx, v.url, options)
	if err == nil && !recorded {
		return nil, nil
	}
	var known []install.Migration
	if err == nil {
		known, err = install.Status(ctx, v.url, os.DirFS(v.migrations), options)
	}
	if err != nil {
		return nil, (&session{install: project.file.Install}).explain(err)
	}
	var names []string
	for _, m := range known {
		if !m.Applied {
			names = append(names, m.Name)
		}
	}
	return names, nil
}

// report prints what was found; finding something is no error of ours.
func (c *console) report(report *verifier.Report, r reporting) error {
	if err := c.write(report, r); err != nil {
		return err
	}
	if code := report.ExitCode(); code != 0 {
		return exitCode(code)
	}
	return nil
}

func (c *console) write(report *verifier.Report, r reporting) error {
	colour := isTerminal(c.out) && os.Getenv("NO_COLOR") == ""
	switch {
	case r.format == "json":
		return report.JSON(c.out)
	case r.format == "sarif":
		return report.Log(programVersion(), checkout()).SARIF(c.out)
	case r.format == "github":
		err := report.Log(programVersion(), checkout()).GitHub(c.out)
		c.printf("%s\n", report.Summary())
		return err
	case r.verbose:
		return report.TextAll(c.out, colour)
	}
	return report.Text(c.out, colour)
}
