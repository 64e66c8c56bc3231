package main

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"pgretain/internal/htmlreport"
	"pgretain/internal/parallel"
	"pgretain/verifier"
)

func (c *console) reportCommand() *cobra.Command {
	var f flags
	command := &cobra.Command{
		Use:   "report",
		Short: "Write an HTML report about policies, jobs and findings",
		Long: `Writes one HTML file. It shows:
  - the verdict of "pgretain verify" and its findings
  - each policy with its last 30 days and the rows that are due now, problems first, with the commands
    that solve them
  - the jobs of the last day
  - the tables that deletes reach by foreign keys
  - who placed holds, paused policies or accepted runs
The file loads nothing from elsewhere and contains no script.

The command only reads, and needs the privileges of the viewer. It counts at most 10,000 due rows per
policy. With --serve it writes no file, but answers each request on localhost with a new report.
Without a policy file the report has no verdict.

Exit codes:
  0  written, whatever the verdict is
  1  the policy has errors
  2  could not run: no connection, no runtime, no privilege, or the file exists and is no report`,
		Example: `  pgretain report > retention.html
  pgretain report --output /srv/www/retention.html   # replaces the report of yesterday
  pgretain report --serve                            # http://localhost:8423, new each minute`,
		RunE: c.inDatabases(&f, (*console).htmlReport),
	}
	f.addDirectories(command)
	f.addRuntimeSchema(command)
	f.addCatalog(command)
	command.Flags().StringVarP(&f.Output, "output", "o", "", "the `file` to write (default: standard output)")
	command.Flags().BoolVar(&f.Force, "force", false, "overwrite a file that is no report")
	command.Flags().BoolVar(&f.Verify, "verify", true, "verify as well, if there is a policy file")
	command.Flags().StringVar(&f.Serve, "serve", "",
		"serve reports at this local `address`, until the command is interrupted")
	command.Flags().Lookup("serve").NoOptDefVal = "localhost:8423"
	command.Flags().DurationVar(&f.Timeout, "timeout", 1*time.Second,
		"timeout of each query; a value that takes longer is unknown")
	command.MarkFlagsMutuallyExclusive("serve", "output")
	f.addFleet(command)
	return command
}

// htmlReport writes a report completely or not at all, or serves reports.
func (c *console) htmlReport(ctx context.Context, _ []string) error {
	if c.Serve != "" {
		return c.serveReports(ctx)
	}
	if err := refuseOverwriting(c.Output, c.Force); err != nil {
		return err
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

// reportNow returns a report of the present moment.
func (c *console) reportNow(ctx context.Context) ([]byte, error) {
	options := htmlreport.Options{Timeout: c.Timeout, Version: programVersion()}
	switch {
	case !c.Verify:
		options.Unverified = "Verification was turned off (--verify=false)."
	case c.noPolicy():
		options.Unverified = "There is no policy file " + c.Policy + "."
	default:
		options.Verify = parallel.Start(func() (*verifier.Report, error) { return c.verified(ctx, true) })
	}
	var text bytes.Buffer
	err := c.withSession(ctx, false, func(s *session) (err error) {
		options.Schema = s.install.Schema
		c.verdict, c.well, err = htmlreport.Write(ctx, s.conn, &text, options)
		return err
	})
	return text.Bytes(), err
}

// refuseOverwriting refuses to overwrite a file that this program did not write, unless "force" is
// true. It always refuses a path that is not a regular file.
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

// serveReports answers each request for "/" with a new report, one request at a time, until ctx
// ends. It listens only on a local address, and answers only requests that use a local host name.
// Reports contain names of people, but no passwords.
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
			http.Error(w, "only this machine may read the report", http.StatusForbidden)
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
	server := http.Server{Handler: mux, ReadHeaderTimeout: time.Minute,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
