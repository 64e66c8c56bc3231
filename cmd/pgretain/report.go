package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"pgretain/internal/diag"
	"pgretain/internal/htmlreport"
	"pgretain/internal/parallel"
	"pgretain/internal/report"
)

// htmlReport writes a report whole, or none.
func (c *console) htmlReport(ctx context.Context, _ []string) error {
	if c.Serve != "" {
		return c.serveReports(ctx)
	}
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

// serveReports answers each request for "/" with a report of that moment, one after the other, until ctx ends. It listens
// on an address of this machine only, and answers to its names only: reports have names of people, and no password.
func (c *console) serveReports(ctx context.Context) error {
	isLocal := func(address string) bool {
		host, _, err := net.SplitHostPort(address)
		ip := net.ParseIP(host)
		return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
	}
	if !isLocal(c.Serve) {
		return refuse("not local", c.Serve)
	}
	listener, err := net.Listen("tcp", c.Serve)
	if err != nil {
		return err
	}
	c.notef("http://%s, until Ctrl-C\n", listener.Addr())
	var one sync.Mutex
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, request *http.Request) {
		if !isLocal(request.Host) {
			http.Error(w, "this is for the machine itself", http.StatusForbidden)
			return
		}
		one.Lock()
		defer one.Unlock()
		text, err := c.reportNow(request.Context())
		if err != nil {
			http.Error(w, "pgretain: "+err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Refresh", "60")
		_, _ = w.Write(text)
	})
	server := http.Server{Handler: mux, ReadHeaderTimeout: time.Minute, BaseContext: func(net.Listener) context.Context { return ctx }}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
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

// status shows the last runs and what needs attention, once or, with --watch, until ctx ends, each time on an empty
// screen where there is one. What is found the last time counts.
func (c *console) status(ctx context.Context, _ []string) error {
	if c.Watch != 0 && c.Watch < 100*time.Millisecond {
		return refuse("short watch", c.Watch)
	}
	return c.with(ctx, false, func(s *session) error {
		if c.Watch == 0 {
			return c.look(ctx, s)
		}
		var last error
		for {
			if terminalWidth(c.out) > 0 {
				c.printf("\x1b[H\x1b[2J")
			}
			code, found := exitCode(0), c.look(ctx, s)
			switch {
			case ctx.Err() != nil:
				return last
			case found != nil && !errors.As(found, &code):
				return found
			}
			last = found
			select {
			case <-ctx.Done():
				return last
			case <-time.After(c.Watch):
			}
		}
	})
}

// look shows retention.status and retention.health(); an error among the latter is a finding.
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
