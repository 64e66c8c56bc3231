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
	"pgretain/internal/install"
	"pgretain/internal/lists"
	"pgretain/policy"
	sqlfiles "pgretain/sql"
	"pgretain/verifier"
)

// verification is what the flags of verify say.
type verification struct {
	paths
	reporting
	counts     bool
	timeout    time.Duration
	only, skip []string // checks and groups
}

func verifyCommand(c *console) *cobra.Command {
	var v verification
	command := verb("verify", func(ctx context.Context, _ []string) error {
		return v.run(ctx, func(report *verifier.Report) error { return c.report(report, v.reporting) })
	})
	v.paths.add(command, "policy", "catalog", "migrations", "cron-migrations", "database-url", "cron-database-url")
	v.reporting.add(command)
	command.Flags().BoolVar(&v.counts, "counts", true, "count overdue rows, which costs what counting costs")
	command.Flags().StringSliceVar(&v.only, "only", nil, "make these `checks` only: codes or groups, with commas between them")
	command.Flags().StringSliceVar(&v.skip, "skip", nil, "leave these `checks` out: codes or groups; wins over --only")
	command.Flags().DurationVar(&v.timeout, "timeout", 5*time.Second, "for each query; what takes longer is unknown")
	return command
}

// run verifies and calls show with what was found.
func (v verification) run(ctx context.Context, show func(*verifier.Report) error) error {
	checks, err := v.selected()
	if err != nil {
		return err
	}
	compiled, err := v.compile()
	if err != nil {
		return err
	}
	project, wanted := compiled.project, compiled.objects
	if in := &project.file.Install; in.Database == policy.AnyDatabase {
		*in = in.In(databaseOf(v.url))
		wanted = generator.JobsIn(wanted, in.Database)
	}
	options := verifier.Options{Counts: v.counts, Timeout: v.timeout, Checks: checks, History: compiled.history, Snapshot: compiled.snapshot}
	if options.Pending, err = v.pending(ctx, project); err != nil {
		return err
	}
	return connected(ctx, v.url, func(conn *pgx.Conn) error {
		if len(options.Pending) == 0 {
			if err := upToDate(ctx, conn, project.file.Install.Schema); err != nil {
				return err
			}
		}
		if err := v.follow(ctx, project, &options); err != nil {
			return err
		}
		if options.Cron != nil {
			defer closeConn(options.Cron)
		}
		report, err := verifier.Verify(ctx, conn, project.file, wanted, options)
		if err != nil {
			return err
		}
		return show(report)
	})
}

// selected are the checks to make. To make none would call any database conforming.
func (v verification) selected() (verifier.Selection, error) {
	checks, err := verifier.Select(v.only, v.skip)
	unknown, wrong := errors.AsType[verifier.UnknownChecks](err)
	switch {
	case wrong:
		groups := lists.Map(verifier.Groups(), func(g verifier.Group) string { return string(g) })
		return checks, &install.CheckError{Message: unknown.Error(),
			Hint: "The groups are " + strings.Join(groups, ", ") + "; docs/checks has a page for each code, V001 and on."}
	case err == nil && len(checks.Codes()) == 0:
		return checks, &install.CheckError{Message: "--only and --skip leave no check to be made", Hint: "Name at least one check that --skip does not name."}
	}
	return checks, err
}

// pending lists the migrations that the database lacks. What other tools have applied is in records of
// their own: objects that are missing are found all the same.
func (v verification) pending(ctx context.Context, project *project) ([]string, error) {
	format, err := generator.Recognise(os.DirFS(v.migrations))
	if err != nil || format != generator.Goose {
		return nil, inDirectory(v.migrations, err)
	}
	names, err := destination{directory{v.migrations, false}, project, v.url, v.url}.pending(ctx)
	return names, (&session{install: project.file.Install}).explain(err)
}

// pending are the files that are not applied.
func (at destination) pending(ctx context.Context) ([]string, error) {
	names, _, err := install.Pending(ctx, at.url, os.DirFS(at.path), at.options())
	return names, err
}

// upToDate refuses to compare with an older runtime to which no pending migration leads on: each of its
// objects would differ. What cannot be read is for the report.
func upToDate(ctx context.Context, conn *pgx.Conn, schema string) error {
	var found string
	err := conn.QueryRow(ctx, statement("version", schema)).Scan(&found)
	if _, refused := errors.AsType[*pgconn.PgError](err); refused || errors.Is(err, pgx.ErrNoRows) {
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
	jobs := directory{v.cronDirectory(), true}
	history, err := jobs.history()
	if err != nil {
		return err
	}
	in := project.file.Install
	if !in.CronElsewhere() && (len(history.Files()) == 0 || in.Database == "" || v.cronURL == "") {
		return nil
	}
	url, err := v.cronDatabase(in)
	if err != nil {
		return err
	}
	options.CronPending, err = destination{jobs, project, url, v.url}.pending(ctx)
	if err == nil && in.CronElsewhere() {
		options.Cron, err = install.Connect(ctx, url)
	}
	options.CronRefused = err
	return ctx.Err()
}

// report prints what was found; finding something is no error of ours.
func (c *console) report(report *verifier.Report, r reporting) (err error) {
	if r.text() {
		err = report.Text(c.out, coloured(c.out), r.verbose)
	} else {
		err = r.write(c.out, report.Log, report.JSON)
	}
	if r.format == "github" {
		c.printf("%s\n", report.Summary())
	}
	if err != nil {
		return err
	}
	return ends(report.ExitCode())
}
