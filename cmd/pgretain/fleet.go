package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/diag"
	"pgretain/internal/htmlreport"
	"pgretain/internal/lists"
	"pgretain/internal/parallel"
	"pgretain/policy"
)

// fleetVerbs are the commands that accept --fleet. If the field "reads" is true, the command
// changes nothing, so it continues after any number of failures. If "shown" is true, the output for
// every database is printed. Otherwise only the output for failed databases is printed. The field
// "words" describes the exit codes 0, 1 and 2.
var fleetVerbs = map[string]struct {
	reads, shown bool
	words        [3]string
}{
	"verify":         {true, false, [3]string{"conforms", "drift", "unknown"}},
	"migrate status": {true, false, [3]string{"up to date", "pending", "unknown"}},
	"status":         {true, false, looked},
	"report":         {true, false, looked},
	"plan":           {true, true, looked},
	"preview":        {true, true, looked},
	"holds":          {true, true, looked},
	"migrate up":     {words: changed},
	"pause":          {words: changed},
	"resume":         {words: changed},
	"hold":           {words: changed},
}

var looked, changed = [3]string{"well", "findings", "unknown"}, [3]string{"done", "findings", "failed"}

// fleet is one command line for many databases. Each database gets a copy of the console with its
// own connection and output.
type fleet struct {
	*policy.Fleet
	console
	verb string
	act  action
	args []string
}

// member is a database of a fleet with its result.
type member struct {
	Name     string          `json:"database"`
	Stage    string          `json:"stage,omitempty"`
	Code     int             `json:"exit_code"` // -1: not started
	Verdict  string          `json:"verdict"`
	Version  string          `json:"runtime_version,omitempty"`
	Behind   *int            `json:"migrations_behind,omitempty"`
	LastRun  string          `json:"last_run,omitempty"`
	State    string          `json:"last_state,omitempty"`
	Overdue  *int64          `json:"rows_left,omitempty"`
	Seconds  seconds         `json:"seconds"`
	Answer   json.RawMessage `json:"answer,omitempty"`
	Messages string          `json:"messages,omitempty"`
	Said     string          `json:"-"` // output for people

	File string `json:"-"` // link to the report of the database, "" if there is none
	Well bool   `json:"-"` // the report has no problems

	connection string
	text       []byte
}

func (c *console) fleet(ctx context.Context, verb string, act action, args []string) error {
	source, err := readFile("fleet file", c.Fleet, "Name another file with --fleet.")
	if err != nil {
		return err
	}
	read, list := policy.ParseFleet(c.Fleet, source)
	if read == nil {
		c.show(list, nil) // source lines may contain a password
		return exitCode(2)
	}
	if err := oneOf("format", cmp.Or(c.Format, "text"), "text", "json"); err != nil {
		return err
	}
	f := &fleet{read, *c, verb, act, args}
	if info, err := os.Stat(c.Output); verb == "report" && (err != nil || !info.IsDir()) {
		return usagef("--output must be a directory for index.html and a report of each database, got %q",
			c.Output)
	}
	stages, err := f.find(ctx)
	if err == nil && verb == "report" {
		err = f.refuse(slices.Concat(stages...))
	}
	if err != nil {
		return err
	}
	members := f.goThrough(ctx, stages)
	code := 0
	for _, m := range members {
		code = max(code, m.Code)
	}
	// after an interrupt some databases were not started
	return cmp.Or(f.show(members), ctx.Err(), exitError(code))
}

// find lists the databases of each stage. It lists no database twice. If a query fails, a command
// that changes databases stops before the first database. For a command that only reads, find
// returns an entry "(found)" in place of the databases, with the result unknown.
func (f *fleet) find(ctx context.Context) (stages [][]*member, err error) {
	seen := map[string]bool{}
	for i, stage := range f.Stages {
		name := cmp.Or(stage.Name, fmt.Sprint(i+1))
		databases := stage.Databases
		var list []*member
		if stage.Found != nil {
			found, err := f.query(ctx, name, *stage.Found)
			switch {
			case ctx.Err() != nil:
				return nil, ctx.Err()
			case err != nil && !fleetVerbs[f.verb].reads:
				return nil, err
			case err != nil:
				m := &member{Name: "(found)", Stage: name}
				f.do(m, func(*console) error { return err })
				list = append(list, m)
			}
			databases = slices.Concat(databases, found)
		}
		for _, d := range databases {
			if !seen[d.Name] {
				seen[d.Name] = true
				list = append(list, &member{Name: d.Name, Stage: name, connection: d.Connection})
			}
		}
		stages = append(stages, list)
	}
	return stages, nil
}

// query returns the databases that the query of a stage finds.
func (f *fleet) query(ctx context.Context, stage string, q policy.FleetQuery) (list []policy.FleetDatabase, err error) {
	connection, err := f.secret(ctx, stage, q.Connection.Connection)
	if err != nil {
		return nil, err
	}
	err = connected(ctx, connection, func(conn *pgx.Conn) error {
		// CollectRows returns the same error
		rows, _ := conn.Query(ctx, q.Query, pgx.QueryExecModeSimpleProtocol)
		list, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (d policy.FleetDatabase, err error) {
			texts := row.RawValues() // the simple protocol returns text
			switch {
			case len(texts) > 2:
				return d, errors.New("it has more than two columns")
			case len(texts) == 0 || texts[0] == nil:
				return d, errors.New("a name is NULL")
			}
			d.Name = string(texts[0])
			d.Connection = withSetting(q.Connection.Connection, "dbname", d.Name)
			if len(texts) == 2 && texts[1] != nil {
				d.Connection = string(texts[1])
			}
			if fault, _ := policy.ConnectionFault(d.Connection); fault != "" {
				return d, errors.New(fault)
			}
			return d, f.checkFound(d, q.Connection.Connection)
		})
		return err
	})
	if err != nil {
		return nil, refuse("stage not found", map[string]any{"Stage": stage, "Error": err, "Position": q.Position})
	}
	return list, nil
}

// oddName matches a name that password_command could read as a path or as an option.
var oddName = regexp.MustCompile(`^-|[/\\]|^\.{1,2}$`)

// checkFound refuses a name that is a path. If there is a password_command, it also refuses a
// database on another host than the server that answered the query. Otherwise the query could
// choose the host that receives a password.
func (f *fleet) checkFound(d policy.FleetDatabase, asked string) error {
	if oddName.MatchString(d.Name) || diag.HiddenIn(d.Name) >= 0 {
		return fmt.Errorf("%q cannot be the name of a database in a fleet", d.Name)
	}
	if len(f.PasswordCommand) == 0 {
		return nil
	}
	from, err := pgconn.ParseConfig(asked)
	to, wrong := pgconn.ParseConfig(d.Connection)
	if err != nil || wrong != nil { // the error may quote a secret
		return fmt.Errorf("the connection of %q cannot be read", d.Name)
	}
	hosts := func(c *pgconn.Config) []string {
		list := []string{net.JoinHostPort(c.Host, fmt.Sprint(c.Port))}
		for _, other := range c.Fallbacks {
			list = append(list, net.JoinHostPort(other.Host, fmt.Sprint(other.Port)))
		}
		return list
	}
	for _, host := range hosts(to) {
		if !slices.Contains(hosts(from), host) {
			return fmt.Errorf("%q is on host %s, not on the host of the query, so it must not get a password; "+
				"list it under databases", d.Name, host)
		}
	}
	return nil
}

// secret adds the password that password_command prints, if there is such a command.
func (f *fleet) secret(ctx context.Context, name, connection string) (string, error) {
	if len(f.PasswordCommand) == 0 {
		return connection, nil
	}
	words := lists.Map(f.PasswordCommand, func(word string) string { return strings.ReplaceAll(word, "{name}", name) })
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	text, err := exec.CommandContext(ctx, words[0], words[1:]...).Output()
	if err != nil { // the output of the command may be a secret
		return "", refuse("no password", map[string]any{"Name": name, "Error": err, "Command": words[0]})
	}
	password, _, _ := strings.Cut(string(text), "\n")
	return withSetting(connection, "password", strings.TrimSuffix(password, "\r")), nil
}

// goThrough executes the command for the databases of each stage. After too many failures it starts
// no further database. It does not cancel commands that are in progress.
func (f *fleet) goThrough(ctx context.Context, stages [][]*member) (all []*member) {
	stopped := false
	for i, list := range stages {
		most := f.Stages[i].MaxFailures
		var failures atomic.Int64
		full := func() bool { return most != nil && !fleetVerbs[f.verb].reads && failures.Load() > *most }
		_, _ = parallel.Up(f.Parallel, list, func(m *member) (any, error) {
			switch {
			case m.Verdict != "": // the database was not found
			case stopped || full() || ctx.Err() != nil:
				m.Code, m.Verdict = -1, "not begun"
			default:
				f.do(m, func(c *console) (err error) {
					if c.DatabaseURL, err = f.secret(ctx, m.Name, m.connection); err != nil {
						return err
					}
					defer c.readStatus(ctx, m)
					return f.act(c, ctx, f.args)
				})
				if m.Code != 0 {
					failures.Add(1)
				}
			}
			return nil, nil
		})
		stopped = stopped || full()
		all = append(all, list...)
	}
	return all
}

// The method "do" executes a function for a database, with a separate console, and stores the
// result.
func (f *fleet) do(m *member, do func(*console) error) {
	began := time.Now()
	var out, said bytes.Buffer
	c := f.console
	c.out, c.err, c.Output = &out, &said, ""
	m.Code = c.exit(do(&c))
	m.text, m.Messages, m.Well = out.Bytes(), said.String(), c.well
	m.Verdict = cmp.Or(c.verdict, fleetVerbs[f.verb].words[min(m.Code, 2)])
	m.Seconds = seconds(time.Since(began).Seconds())
}

// readStatus reads the status of one database. Values that cannot be read stay empty; the command
// reports the error.
func (c *console) readStatus(ctx context.Context, m *member) {
	in, _, err := c.runtime()
	if err != nil {
		return
	}
	_ = connected(ctx, c.DatabaseURL, func(conn *pgx.Conn) error {
		s := &session{conn: conn, install: in}
		return s.row(ctx, "fleet").Scan(&m.Version, &m.LastRun, &m.State, &m.Overdue)
	})
	project, err := readProject(c.Policy)
	if c.Migrations == "" || m.Version == "" || err != nil {
		return
	}
	if names, _, err := c.tables(project).pending(ctx); err == nil {
		n := len(names)
		m.Behind = &n
	}
}

// show prints a line for each database. Below the lines it prints the output for the databases that
// failed. For some commands it prints the output for all databases.
func (f *fleet) show(members []*member) error {
	if f.verb == "report" {
		if err := f.write(members); err != nil {
			return err
		}
	}
	for _, m := range members {
		if f.JSON && json.Valid(m.text) {
			m.Answer = m.text
		}
		if m.Code > 0 || fleetVerbs[f.verb].shown {
			m.Said = strings.TrimSpace(string(m.text) + m.Messages)
		}
	}
	return f.result("fleet", members, "verb", f.verb, "databases", members)
}

// file returns the file name of a database's report. This name is never index.html.
func (m *member) file() string { return url.PathEscape(m.Name) + ".report.html" }

// refuse returns an error if a report would overwrite a file that this program did not write.
func (f *fleet) refuse(members []*member) error {
	errs := lists.Map(append(lists.Map(members, (*member).file), "index.html"), func(name string) error {
		return refuseOverwriting(filepath.Join(f.Output, name), f.Force)
	})
	return cmp.Or(errs...)
}

// write writes a report of each database and an index page. The page lists databases with problems
// first.
func (f *fleet) write(members []*member) error {
	var files []output
	var wrong, well []*member
	for _, m := range members {
		if m.Code == 0 {
			m.File = url.PathEscape(m.file())
			files = append(files, output{filepath.Join(f.Output, m.file()), string(m.text)})
		}
		m.text = nil // the report is not printed
		if m.Well {
			well = append(well, m)
		} else {
			wrong = append(wrong, m)
		}
	}
	var index bytes.Buffer
	if err := htmlreport.WriteFleet(&index, programVersion(), wrong, well); err != nil {
		return err
	}
	return writeAll(append(files, output{filepath.Join(f.Output, "index.html"), index.String()}), true)
}
