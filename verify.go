package pgretain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
	"pgretain/policy"
	"pgretain/verifier"
)

// Report is what Verify found in a database.
type Report struct {
	// Conforms is true if the database does what the policy says, and everything could be seen.
	Conforms bool
	Findings Diagnostics

	text string
}

// String returns the report as "pgretain verify" prints it.
func (r *Report) String() string { return r.text }

// Verify compares a program with the database of conn, as "pgretain verify" does. The argument dir
// has the migrations that were applied there. Verify only reads, in short transactions, and takes
// no lock that a writer would wait for. It counts overdue rows, which reads these rows. An error
// means that the verification could not run. What the role of conn cannot see is a finding.
//
// If install.cron_database of the policy file is another database, Verify does not look there, and
// reports the jobs as unknown.
func Verify(ctx context.Context, conn *pgx.Conn, program *Program, dir fs.FS) (*Report, error) {
	history, err := read(dir)
	if err == nil {
		program, err = compile(program.policy, program.catalog, history)
	}
	if err != nil {
		return nil, err
	}
	file, wanted := *program.policy.file, program.objects
	if file.Install.Database == policy.AnyDatabase {
		file.Install = file.Install.In(conn.Config().Database)
		wanted = generator.JobsIn(wanted, file.Install.Database)
	}
	options := verifier.Options{Counts: true, Snapshot: program.catalog.snapshot, History: history}
	if options.Checks, err = verifier.Select(nil, nil); err != nil {
		return nil, err
	}
	if file.Install.CronElsewhere() {
		options.CronRefused = errors.New("only the database of the tables is verified")
	}
	found, err := verifier.Verify(ctx, conn, &file, wanted, options)
	if err != nil {
		return nil, fmt.Errorf("verifying the database: %w", err)
	}
	var text bytes.Buffer
	if err := found.Text(&text, false, false); err != nil {
		return nil, err
	}
	report := &Report{Conforms: found.Verdict() == verifier.Conforms, text: text.String()}
	for _, f := range found.Findings {
		if f.Suppressed == nil {
			report.Findings = append(report.Findings, diagnostic(f.Diagnostic))
		}
	}
	return report, nil
}
