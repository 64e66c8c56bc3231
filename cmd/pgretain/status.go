package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/diag"
	"pgretain/internal/htmlreport"
	"pgretain/internal/parallel"
	"pgretain/internal/report"
	"pgretain/verifier"
)

// preview is one row of retention.preview with its rows of retention.blast_radius. The JSON names
// belong to the command's JSON format.
type preview struct {
	Policy    string           `json:"policy"`
	Scope     json.RawMessage  `json:"scope"`
	Table     string           `json:"table"`
	AsOf      string           `json:"as_of"`
	Due       *int64           `json:"due"`
	Capped    bool             `json:"capped"`
	OneRun    *int64           `json:"one_run"`
	Bytes     *size            `json:"bytes"`
	Oldest    *string          `json:"oldest"`
	Newest    *string          `json:"newest"`
	Kept      map[string]int64 `json:"kept"`
	KeptNull  map[string]int64 `json:"kept_null"`
	Limit     *int64           `json:"breaker_limit"`
	WouldTrip bool             `json:"would_trip"`
	StoppedBy *string          `json:"stopped_by"`
	Seconds   *seconds         `json:"run_seconds"`
	BasedOn   int              `json:"based_on"`
	Effects   []effect         `json:"effects,omitempty"`
}

// effect is one row of retention.blast_radius.
type effect struct {
	Step   int     `json:"step"`
	Effect string  `json:"effect"`
	Table  string  `json:"table_name"`
	Path   *string `json:"path"`
	Rows   *int64  `json:"rows"`
	Bytes  *size   `json:"bytes"`
	Locks  *string `json:"locks"`
	Note   *string `json:"note"`
}

// foreseenRun is one row of retention.preview_job. The JSON names belong to the command's JSON
// format.
type foreseenRun struct {
	Policy    string           `json:"policy"`
	State     string           `json:"state"`
	Taken     int64            `json:"taken"`
	Kept      map[string]int64 `json:"kept"`
	Contended int64            `json:"contended"`
	Refused   int64            `json:"refused"`
	Related   map[string]int64 `json:"related"`
	Cascaded  map[string]int64 `json:"cascaded"`
	Message   *string          `json:"message"`
}

// preview shows what one policy, or each policy by itself, would take. With --job it runs a job and
// rolls it back.
func (c *console) preview(ctx context.Context, args []string) error {
	policy := strings.Join(args, "")
	switch {
	case c.Limit < 0:
		return usagef("--limit must be 1 or more")
	case policy == "" && c.OlderThan+c.Scope != "":
		return usagef("--older-than and --scope need the name of a policy")
	case c.Job != "" && (policy != "" || c.Limit > 0):
		return usagef("--job takes neither a policy nor --limit")
	}
	if err := c.readScope(); err != nil {
		return err
	}
	return c.withSession(ctx, c.Job != "", func(s *session) error {
		if c.Job != "" {
			list, err := rows[foreseenRun](ctx, s, "preview_job", c.Job, orNull(c.AsOf))
			if err != nil {
				return err
			}
			return c.result("preview of a job", list, "job", c.Job, "runs", list)
		}
		var list []preview
		// One snapshot for all queries makes the numbers agree with each other.
		once := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
		err := pgx.BeginTxFunc(ctx, s.conn, once, func(tx pgx.Tx) (err error) {
			list, err = c.previews(ctx, s, tx, policy, "")
			return err
		})
		switch {
		case err != nil:
			return err
		case policy == "" || c.JSON:
			err = c.result("previews", overview(list), "policies", list)
		default:
			c.aligned(say("preview", list[0]))
		}
		if policy == "" && slices.ContainsFunc(list, func(p preview) bool { return p.Due == nil }) {
			err = cmp.Or(err, exitError(1))
		}
		return err
	})
}

// readScope converts --scope to the JSON that SQL expects.
func (c *console) readScope() error {
	column, value, isPair := strings.Cut(c.Scope, "=")
	switch {
	case c.Scope == "" || strings.HasPrefix(c.Scope, "{"):
		return nil
	case c.Scope == "all":
		c.Scope = `"all"`
		return nil
	case !isPair || column == "":
		return usagef(`--scope needs a JSON object, COLUMN=VALUE, or "all"`)
	}
	text, err := json.Marshal(map[string]string{column: value})
	c.Scope = string(text)
	return err
}

// scoped is a policy with one of the scopes in which its jobs run it. A nil Scope means all rows.
type scoped struct {
	Policy string
	Scope  *string
}

// previews returns one preview of a policy, with its effects. Without a policy it returns a preview
// for each policy and scope, in the order of the job or the policy file. For a first run the list
// includes instances. An error in one preview of the list does not stop the others.
func (c *console) previews(ctx context.Context, s *session, in beginner, policy, job string) (list []preview,
	err error) {
	var found []scoped
	if policy == "" || c.First {
		found, err = rows[scoped](ctx, s, "policies", orNull(job), orNull(policy), orNull(c.Scope), s.order)
		if err != nil {
			return nil, err
		}
	}
	if len(found) == 0 && policy != "" {
		found = []scoped{{policy, orNull(c.Scope)}} // the preview reports an unknown policy
	}
	for _, one := range found {
		var p *preview
		err := pgx.BeginFunc(ctx, in, func(pgx.Tx) (err error) {
			p, err = c.previewOf(ctx, s, one, policy != "")
			return err
		})
		server, refused := errors.AsType[*pgconn.PgError](err)
		switch {
		case refused && policy == "" && server.Code != "57014":
			p = &preview{Policy: one.Policy, AsOf: c.AsOf, StoppedBy: &server.Message}
			p.Scope = orNullJSON(one.Scope)
		case err != nil:
			return nil, err
		}
		list = append(list, *p)
	}
	return list, nil
}

// beginner begins a transaction, or a savepoint in one.
type beginner interface {
	Begin(ctx context.Context) (pgx.Tx, error)
}

func (c *console) previewOf(ctx context.Context, s *session, one scoped, effects bool) (*preview, error) {
	var p preview
	return &p, s.row(ctx, "preview", one.Policy, orNull(c.AsOf), orNull(c.OlderThan), one.Scope, orNull(c.Limit),
		effects).Scan(&p)
}

// scope returns the scope as JSON, or nil for none.
func (p preview) scope() *string {
	if text := string(p.Scope); text != "null" {
		return orNull(text)
	}
	return nil
}

// Name returns the policy with its scope.
func (p preview) Name() string {
	if scope := p.scope(); scope != nil {
		return p.Policy + " " + *scope
	}
	return p.Policy
}

// overview returns the data for a list of policies and their sum.
func overview(list []preview) map[string]any {
	all := preview{Due: new(int64)}
	for _, p := range list {
		if p.Due != nil {
			*all.Due += *p.Due
		}
		all.Capped = all.Capped || p.Capped
	}
	return map[string]any{"List": list, "All": all}
}

// Runs returns the least number of runs that are needed, or 0 if one is enough.
func (p preview) Runs() int64 {
	if p.Due == nil || p.OneRun == nil || *p.OneRun <= 0 || *p.OneRun >= *p.Due {
		return 0
	}
	return (*p.Due + *p.OneRun - 1) / *p.OneRun
}

// Doubts lists the notes of the effects by step and table. They say why a number is missing, and
// which triggers fire.
func (p preview) Doubts() (list []string) {
	for _, e := range p.Effects {
		line := fmt.Sprintf("step %d, %s %s: %s", e.Step, e.Effect, e.Table, e.note(1))
		if e.note(1) != "" && !slices.Contains(list, line) {
			list = append(list, line)
		}
	}
	return list
}

// Count returns the number of rows for a table. If the number may differ in the run, it returns the
// present number with a question mark.
func (e effect) Count() string {
	if e.Rows != nil {
		return cell(e.Rows)
	}
	now, err := strconv.ParseInt(e.note(0), 10, 64)
	if err != nil {
		return "unknown"
	}
	return count(now) + "?"
}

// note returns a part of the note. Part 0 is the number before " as things are: ". Part 1 is the
// reason after these words.
func (e effect) note(part int) string {
	if e.Note == nil {
		return ""
	}
	now, why, found := strings.Cut(*e.Note, " as things are: ")
	if !found {
		now, why = "", *e.Note
	}
	return []string{now, why}[part]
}

// Locks lists the tables of the steps, each once, with their locks.
func (p preview) Locks() (list [][2]string) {
	for _, e := range p.Effects {
		if e.Locks == nil {
			continue
		}
		i := slices.IndexFunc(list, func(l [2]string) bool { return l[0] == e.Table })
		if i < 0 {
			list = append(list, [2]string{e.Table, *e.Locks})
		} else if !slices.Contains(strings.Split(list[i][1], "; "), *e.Locks) {
			list[i][1] += "; " + *e.Locks
		}
	}
	return list
}

// Others returns how many rows the run takes in addition to those of the policy.
func (r foreseenRun) Others() (n int64) {
	for _, counts := range []map[string]int64{r.Related, r.Cascaded} {
		for _, rows := range counts {
			n += rows
		}
	}
	return n
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

// status shows retention.status and retention.health(), once or repeatedly. An error in health()
// sets the exit code.
func (c *console) status(ctx context.Context, _ []string) error {
	return c.withSession(ctx, false, func(s *session) error {
		if c.Watch != 0 {
			return c.watch(ctx, func() error { return c.look(ctx, s) })
		}
		return c.look(ctx, s)
	})
}

func (c *console) look(ctx context.Context, s *session) (err error) {
	type problem struct{ Severity, Message, Hint string }
	var found struct{ Health []problem }
	var text json.RawMessage // raw JSON keeps the order of the columns
	if c.JSON {
		if err = s.row(ctx, "status_json", s.order).Scan(&text); err == nil {
			err = errors.Join(report.WriteJSON(c.out, text), json.Unmarshal(text, &found))
		}
	} else if said, _, wrong := s.answer(ctx, "status", s.order); wrong != nil {
		err = wrong
	} else {
		c.aligned(said)
		found.Health, err = rows[problem](ctx, s, "health")
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

// watch calls look repeatedly until ctx ends. On a terminal it clears the screen each time. It
// returns the last result.
func (c *console) watch(ctx context.Context, look func() error) (last error) {
	if c.Watch < 100*time.Millisecond {
		return refuse("short watch", c.Watch)
	}
	for {
		if terminalWidth(c.out) > 0 {
			fmt.Fprint(direct(c.out), "\x1b[H\x1b[2J")
		}
		code, found := exitCode(0), look()
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
}
