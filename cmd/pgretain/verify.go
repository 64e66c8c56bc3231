package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/spf13/cobra"

	"pgretain/generator"
	"pgretain/internal/install"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
	"pgretain/policy"
	sqlfiles "pgretain/sql"
	"pgretain/verifier"
)

func (c *console) verifyCommand() *cobra.Command {
	var f flags
	command := &cobra.Command{
		Use:   "verify",
		Short: "Check that the database does what the policy says",
		Long: `Checks that the database does what the policy says. Compares functions byte for byte, and indexes,
schedules, privileges and migrations. Also checks that no row is overdue. Only reads. If the role
cannot read something, the check is reported as unknown, never as passed. Each finding has a code
with a page in docs/checks.

If the policy file has "coverage", each table that no policy, protection or exemption names is reported
as undecided. That is no drift.

Exit codes:
  0  conforms; tables may be undecided
  1  drift was found, or a check is unknown, or the policy has errors
  2  could not run: unreadable file, no connection`,
		Example: `  pgretain verify
  pgretain verify --format sarif > verify.sarif
  pgretain verify --only indexes,V060 --skip V022`,
		RunE: c.inDatabases(&f, (*console).verify),
	}
	f.addDirectories(command)
	f.addCatalog(command)
	f.addVerbose(command)
	f.addFormat(command, "`text`, json, sarif or github (workflow commands)", "text", "json", "sarif", "github")
	command.Flags().BoolVar(&f.Counts, "counts", true, "count overdue rows, which reads these rows")
	command.Flags().StringSliceVar(&f.Only, "only", nil,
		"make only these `checks`: codes or groups, separated by commas")
	_ = command.RegisterFlagCompletionFunc("only", proposeCodes) // fails only for an unknown flag
	command.Flags().StringSliceVar(&f.Skip, "skip", nil,
		"leave out these `checks`: codes or groups, separated by commas; takes precedence over --only")
	_ = command.RegisterFlagCompletionFunc("skip", proposeCodes) // fails only for an unknown flag
	command.Flags().DurationVar(&f.Timeout, "timeout", 5*time.Second,
		"timeout of each query; a check that takes longer is unknown")
	f.addFleet(command)
	return command
}

func (c *console) verify(ctx context.Context, _ []string) error {
	report, err := c.verified(ctx, c.Counts)
	if err != nil {
		return err
	}
	return c.printReport(report)
}

// verified returns the report of the verifier.
func (c *console) verified(ctx context.Context, counts bool) (*verifier.Report, error) {
	checks, err := verifier.Select(c.Only, c.Skip)
	unknown, wrong := errors.AsType[verifier.UnknownChecks](err)
	switch {
	case wrong:
		return nil, refuse("unknown checks", map[string]any{"Error": unknown, "Groups": messages.Groups()})
	case err != nil:
		return nil, err
	case len(checks.Codes()) == 0: // without any check, every database would conform
		return nil, refuse("no check", nil)
	}
	project, err := c.compile()
	if err != nil {
		return nil, err
	}
	wanted := project.objects
	if in := &project.file.Install; in.Database == policy.AnyDatabase {
		*in = in.In(databaseOf(c.DatabaseURL))
		wanted = generator.JobsIn(wanted, in.Database)
	}
	options := verifier.Options{Counts: counts, Timeout: c.Timeout, Checks: checks,
		History: project.history, Snapshot: project.snapshot}
	if options.Pending, options.Tool, err = c.tables(project).pending(ctx); err != nil {
		return nil, err
	}
	var report *verifier.Report
	err = connected(ctx, c.DatabaseURL, func(conn *pgx.Conn) error {
		own := &session{conn: conn, install: project.file.Install}
		if err := c.directoryOf(ctx, own); err != nil {
			return err
		}
		if len(options.Pending) == 0 {
			if err := upToDate(ctx, own); err != nil {
				return err
			}
		}
		if err := c.follow(ctx, project, &options); err != nil {
			return err
		}
		if options.Cron != nil {
			defer closeConn(options.Cron)
		}
		report, err = verifier.Verify(ctx, conn, project.file, wanted, options)
		return err
	})
	return report, err
}

// pending lists the migrations that the database lacks, and returns the program that applies them.
// It does not read the records of other migration tools. For these, the verifier compares the
// registry.
func (at destination) pending(ctx context.Context) ([]string, verifier.Tool, error) {
	format, err := generator.Recognise(os.DirFS(at.Path))
	tool := verifier.Tool{Directory: at.Path, Format: format}
	if err != nil || format != generator.Goose {
		return nil, tool, inDirectory(at.Path, err)
	}
	known, err := install.Status(ctx, at.url, os.DirFS(at.Path), at.options())
	if !slices.ContainsFunc(known, func(m install.Migration) bool { return m.State == "not recorded" }) {
		tool.Format = ""
	}
	pending := slices.DeleteFunc(known, func(m install.Migration) bool { return m.State != "pending" })
	return lists.Map(pending, func(m install.Migration) string { return m.Name }), tool,
		(&session{install: at.project.file.Install}).explain(ctx, err)
}

// directoryOf returns an error if the runtime is installed, but the migration directory does not
// exist. Without this error, everything that is installed would look new or unwanted.
func (c *console) directoryOf(ctx context.Context, s *session) error {
	if _, err := os.Stat(c.Migrations); !errors.Is(err, os.ErrNotExist) {
		return nil
	}
	var found, build string
	if err := s.row(ctx, "version").Scan(&found, &build); err != nil {
		_, refused := errors.AsType[*pgconn.PgError](err)
		if refused || errors.Is(err, pgx.ErrNoRows) {
			return nil // nothing is installed, or the role may not read it
		}
		return err
	}
	return refuse("no directory", map[string]string{"Path": c.Migrations, "Schema": s.install.Schema})
}

// upToDate returns an error if the installed runtime is older than this program, or is of another
// build, and no pending migration replaces it. Without this error, the report would list each
// object of the runtime. If the version cannot be read, the report says so, and upToDate returns no
// error.
func upToDate(ctx context.Context, s *session) error {
	var found, build string
	err := s.row(ctx, "version").Scan(&found, &build)
	if _, refused := errors.AsType[*pgconn.PgError](err); refused || errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	older, wrong := sqlfiles.Compare(found)
	switch {
	case err != nil || wrong != nil || older > 0:
		return errors.Join(err, wrong)
	case older < 0:
		return refuse("older runtime", map[string]string{"Found": found, "Own": sqlfiles.Version})
	case build != sqlfiles.Build():
		return refuse("another build", map[string]string{"Version": found,
			"Found": cmp.Or(build, "without a fingerprint"), "Own": sqlfiles.Build()})
	}
	return nil
}

// follow connects to the database in which jobs are scheduled, or were scheduled by earlier
// migrations. If it cannot connect, the verifier reports that as a finding.
func (c *console) follow(ctx context.Context, project *project, options *verifier.Options) error {
	jobs := directory{c.cronDirectory(), true}
	history, err := jobs.history()
	if err != nil {
		return err
	}
	in := project.file.Install
	if !in.CronElsewhere() && (len(history.Files()) == 0 || c.CronDatabaseURL == "") {
		return nil
	}
	url, err := c.cronDatabase(in)
	if err != nil {
		return err
	}
	options.CronPending, _, err = destination{jobs, project, url, c.DatabaseURL}.pending(ctx)
	if err == nil && in.CronElsewhere() {
		options.Cron, err = install.Connect(ctx, url)
	}
	options.CronRefused = err
	return ctx.Err()
}

// printReport prints the report. Findings set the exit code and are no error.
func (c *console) printReport(report *verifier.Report) (err error) {
	if c.Format == "text" {
		err = report.Text(c.out, coloured(c.out), c.Verbose)
	} else {
		err = c.log(report.Log, report.JSON)
	}
	if c.Format == "github" {
		c.printf("%s\n", report.Summary())
	}
	return cmp.Or(err, exitError(report.ExitCode()))
}
