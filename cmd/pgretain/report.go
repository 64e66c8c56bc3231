package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pgretain/internal/htmlreport"
	"pgretain/internal/install"
	"pgretain/internal/parallel"
	"pgretain/verifier"
)

// reportRequest is what the flags of report say.
type reportRequest struct {
	verification
	schema, output string
	explicit       bool // --policy was given
	verify, force  bool
}

func reportCommand(c *console) *cobra.Command {
	r := reportRequest{verify: true, verification: verification{counts: true}}
	command := verb("report", func(ctx context.Context, _ []string) error { return c.htmlReport(ctx, r) })
	r.paths.add(command, "policy", "catalog", "migrations", "cron-migrations", "database-url", "cron-database-url")
	command.PreRun = func(command *cobra.Command, _ []string) { r.explicit = command.Flags().Changed("policy") }
	command.Flags().StringVar(&r.schema, "schema", "",
		"the `schema` of the runtime (default: that of the policy file, or \"retention\")")
	command.Flags().StringVarP(&r.output, "output", "o", "", "the `file` to write (default: standard output)")
	command.Flags().BoolVar(&r.force, "force", false, "overwrite a file that is no report")
	command.Flags().BoolVar(&r.verify, "verify", r.verify, "verify as well, where there is a policy file")
	command.Flags().DurationVar(&r.timeout, "timeout", time.Second, "for each query; what takes longer is unknown")
	return command
}

// htmlReport writes a report whole, or none.
func (c *console) htmlReport(ctx context.Context, r reportRequest) error {
	if err := r.refuseOverwriting(); err != nil {
		return err
	}
	options := htmlreport.Options{Timeout: r.timeout, Version: programVersion()}
	_, err := os.Stat(r.policy)
	switch {
	case !r.verify:
		options.Unverified = "verify was not asked for (--verify=false)."
	case !r.explicit && errors.Is(err, fs.ErrNotExist):
		options.Unverified = "There is no policy file to verify the database with: " + r.policy + "."
	default:
		options.Verify = parallel.Start(func() (*htmlreport.Verification, error) { return r.verified(ctx) })
	}
	var text bytes.Buffer
	t := target{paths: r.paths, schema: r.schema, explicit: r.explicit}
	err = t.with(ctx, func(s *session) error {
		options.Schema = s.install.Schema
		return htmlreport.Write(ctx, s.conn, &text, options)
	})
	switch {
	case err != nil:
		return err
	case r.output == "":
		_, err = text.WriteTo(c.out)
		return err
	}
	return writeAll([]output{{r.output, []string{text.String()}}}, true)
}

// verified is what verify finds.
func (r reportRequest) verified(ctx context.Context) (found *htmlreport.Verification, err error) {
	err = r.run(ctx, func(report *verifier.Report) error {
		found = &htmlreport.Verification{Verdict: string(report.Verdict()), Summary: report.Summary(),
			Findings: report.Findings}
		return nil
	})
	return found, err
}

// refuseOverwriting refuses a file that somebody else wrote, and always what is no file.
func (r reportRequest) refuseOverwriting() error {
	if r.output == "" {
		return nil
	}
	info, err := os.Lstat(r.output)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && !info.Mode().IsRegular():
		return &install.CheckError{Message: r.output + " is no regular file", Hint: "Name another file with --output."}
	case err == nil && r.force:
		return nil
	}
	file, err := os.Open(r.output)
	if err != nil {
		return unreadable("report", r.output, err, "Name another file with --output.")
	}
	defer file.Close()
	first, err := bufio.NewReader(io.LimitReader(file, int64(len(htmlreport.Mark)+1))).ReadString('\n')
	if err != nil || strings.TrimSpace(first) != htmlreport.Mark {
		return &install.CheckError{Message: r.output + " exists and is no report of pgretain",
			Hint: "Name another file, or overwrite it with --force."}
	}
	return nil
}
