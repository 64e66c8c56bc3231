package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"

	"pgretain/internal/diag"
	"pgretain/internal/htmlreport"
	"pgretain/internal/parallel"
	"pgretain/internal/report"
)

// htmlReport writes a report whole, or none.
func (c *console) htmlReport(ctx context.Context, _ []string) error {
	if c.Output != "" {
		if err := refuseOverwriting(c.Output, c.Force); err != nil {
			return err
		}
	}
	text, err := c.reportNow(ctx)
	switch {
	case err != nil:
		return err
	case c.Output == "":
		_, err = c.out.Write(text)
		return err
	}
	return writeAll([]output{{c.Output, string(text)}}, true)
}

// reportNow makes a report of this moment.
func (c *console) reportNow(ctx context.Context) ([]byte, error) {
	options := htmlreport.Options{Timeout: c.Timeout, Version: programVersion()}
	switch {
	case !c.Verify:
		options.Unverified = "verify was not asked for (--verify=false)."
	case c.noPolicy():
		options.Unverified = "There is no policy file to verify the database with: " + c.Policy + "."
	default:
		options.Verify = parallel.Start(func() (*htmlreport.Verification, error) {
			report, err := c.verified(ctx, true)
			if err != nil {
				return nil, err
			}
			return &htmlreport.Verification{
				Verdict: string(report.Verdict()), Summary: report.Summary(), Findings: report.Findings,
			}, nil
		})
	}
	var text bytes.Buffer
	err := c.with(ctx, false, func(s *session) error {
		options.Schema = s.install.Schema
		return htmlreport.Write(ctx, s.conn, &text, options)
	})
	return text.Bytes(), err
}

// refuseOverwriting refuses to write over a file that somebody else wrote, without force, and always over what is no
// file.
func refuseOverwriting(path string, force bool) error {
	if missing(path) {
		return nil
	}
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return refuse("no file", path)
	} else if err == nil && force {
		return nil
	}
	text, err := readFile("report", path, "Name another file with --output.")
	if err == nil && !bytes.HasPrefix(text, []byte(htmlreport.Mark+"\n")) {
		err = refuse("no report", path)
	}
	return err
}

// status shows retention.status and retention.health(); an error among the latter is a finding.
func (c *console) status(ctx context.Context, _ []string) error {
	return c.with(ctx, false, func(s *session) error { return c.look(ctx, s) })
}

func (c *console) look(ctx context.Context, s *session) error {
	type problem struct{ Severity, Message, Hint string }
	var found struct{ Health []problem }
	var err error
	if c.JSON {
		var text json.RawMessage // which keeps the order of the columns
		if err = s.row(ctx, "status_json").Scan(&text); err == nil {
			err = errors.Join(report.WriteJSON(c.out, text), json.Unmarshal(text, &found))
		}
	} else {
		var text string
		if text, _, err = s.answer(ctx, "status"); err == nil {
			c.aligned(text)
			found.Health, err = rows[problem](ctx, s, "health")
		}
	}
	if err != nil {
		return err
	}
	var list diag.List
	for _, p := range found.Health {
		list.Add(diag.Diagnostic{Severity: diag.Severity(p.Severity), Message: p.Message, Hint: p.Hint})
	}
	if !c.JSON {
		c.show(list, nil)
	}
	if list.HasErrors() {
		return exitCode(1)
	}
	return nil
}
