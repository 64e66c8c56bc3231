package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"pgretain/internal/htmlreport"
	"pgretain/internal/install"
	"pgretain/internal/parallel"
	"pgretain/verifier"
)

// reportRequest is what the flags of report say.
type reportRequest struct {
	target
	output, serve string
	verify, force bool
	timeout       time.Duration
}

func reportCommand(c *console) *cobra.Command {
	var r reportRequest
	command := verb("report", func(ctx context.Context, _ []string) error { return c.htmlReport(ctx, r) })
	r.target.add(command)
	r.paths.add(command, "catalog", "migrations", "cron-migrations", "cron-database-url")
	command.Flags().StringVarP(&r.output, "output", "o", "", "the `file` to write (default: standard output)")
	command.Flags().BoolVar(&r.force, "force", false, "overwrite a file that is no report")
	command.Flags().BoolVar(&r.verify, "verify", true, "verify as well, where there is a policy file")
	command.Flags().StringVar(&r.serve, "serve", "", "serve reports on an `address` of this machine instead, until it is interrupted")
	command.Flags().Lookup("serve").NoOptDefVal = "localhost:8423"
	command.MarkFlagsMutuallyExclusive("serve", "output")
	command.Flags().DurationVar(&r.timeout, "timeout", time.Second, "for each query; what takes longer is unknown")
	return command
}

// htmlReport writes a report whole, or none.
func (c *console) htmlReport(ctx context.Context, r reportRequest) error {
	if r.serve != "" {
		return c.serveReports(ctx, r)
	}
	if err := r.refuseOverwriting(); err != nil {
		return err
	}
	text, err := r.write(ctx)
	switch {
	case err != nil:
		return err
	case r.output == "":
		_, err = c.out.Write(text)
		return err
	}
	return writeAll([]output{{r.output, []string{string(text)}}}, true)
}

// serveReports answers each request for "/" with a report of that moment, one after the other, until ctx ends. It listens
// on an address of this machine only, and answers to its names only: reports have names of people, and no password.
func (c *console) serveReports(ctx context.Context, r reportRequest) error {
	isLocal := func(address string) bool {
		host, _, err := net.SplitHostPort(address)
		ip := net.ParseIP(host)
		return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
	}
	if !isLocal(r.serve) {
		return &install.CheckError{Message: fmt.Sprintf("--serve %s is no address of this machine alone", r.serve),
			Hint: "Write localhost:8423, and have a web server in front of it ask who comes."}
	}
	listener, err := net.Listen("tcp", r.serve)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.err, "http://%s, until Ctrl-C\n", listener.Addr())
	var one sync.Mutex
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, request *http.Request) {
		if !isLocal(request.Host) {
			http.Error(w, "this is for the machine itself", http.StatusForbidden)
			return
		}
		one.Lock()
		defer one.Unlock()
		text, err := r.write(request.Context())
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

// write makes a report of this moment.
func (r reportRequest) write(ctx context.Context) ([]byte, error) {
	options := htmlreport.Options{Timeout: r.timeout, Version: programVersion()}
	switch {
	case !r.verify:
		options.Unverified = "verify was not asked for (--verify=false)."
	case r.noPolicy():
		options.Unverified = "There is no policy file to verify the database with: " + r.policy + "."
	default:
		options.Verify = parallel.Start(func() (*htmlreport.Verification, error) { return r.verified(ctx) })
	}
	var text bytes.Buffer
	err := r.with(ctx, func(s *session) error {
		options.Schema = s.install.Schema
		return htmlreport.Write(ctx, s.conn, &text, options)
	})
	return text.Bytes(), err
}

// verified is what verify finds.
func (r reportRequest) verified(ctx context.Context) (found *htmlreport.Verification, err error) {
	v := verification{paths: r.paths, counts: true, timeout: r.timeout}
	err = v.run(ctx, func(report *verifier.Report) error {
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
