package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"pgretain/internal/htmlreport"
	"pgretain/internal/install"
	"pgretain/internal/lists"
	"pgretain/internal/parallel"
	"pgretain/policy"
)

// fleetVerbs are those that go through a fleet. Those that read go through all of it whatever fails; of those in
// "shown" the answers are shown, not only what went wrong. Words say what the exit codes mean.
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

// fleet is one command line for many databases: each is an execution of its own, in this process.
type fleet struct {
	*policy.Fleet
	c       *console
	args    []string // without what is the fleet's
	verb    string
	command *cobra.Command
	out     string // where report writes
}

// member is a database of a fleet, and what became of it.
type member struct {
	Name     string          `json:"database"`
	Stage    string          `json:"stage,omitempty"`
	Code     int             `json:"exit_code"` // -1: not begun
	Verdict  string          `json:"verdict"`
	Version  string          `json:"runtime_version,omitempty"`
	Behind   *int            `json:"migrations_behind,omitempty"`
	LastRun  string          `json:"last_run,omitempty"`
	State    string          `json:"last_state,omitempty"`
	Overdue  *int64          `json:"rows_left,omitempty"`
	Seconds  float64         `json:"seconds"`
	Answer   json.RawMessage `json:"answer,omitempty"`
	Messages string          `json:"messages,omitempty"`

	connection string
	text       []byte
}

// addFleet gives a verb, and those below it, the flag --fleet where fleetVerbs has them.
func (c *console) addFleet(command *cobra.Command) {
	for _, below := range command.Commands() {
		c.addFleet(below)
	}
	_, verb, _ := strings.Cut(command.CommandPath(), " ")
	if _, goes := fleetVerbs[verb]; !goes {
		return
	}
	path, run := "", command.RunE
	command.Flags().StringVar(&path, "fleet", "", "go through the databases of a `file`, see docs/fleet.md")
	for _, other := range []string{"database-url", "cron-database-url", "watch", "serve"} {
		if command.Flags().Lookup(other) != nil {
			command.MarkFlagsMutuallyExclusive("fleet", other)
		}
	}
	command.RunE = func(command *cobra.Command, args []string) error {
		if path == "" {
			return run(command, args)
		}
		return c.fleet(command, path, verb)
	}
}

func (c *console) fleet(command *cobra.Command, path, verb string) error {
	source, err := readFile(path)
	if err != nil {
		return unreadable("fleet file", path, err, "Name another file with --fleet.")
	}
	read, list := policy.ParseFleet(path, source)
	if read == nil {
		return &problems{list: list} // without its lines, which may hold a password
	}
	f := fleet{Fleet: read, c: c, verb: verb, command: command, args: without(c.args, "--fleet")}
	if err := oneOf("format", cmp.Or(f.flag("format"), "text"), "text", "json"); err != nil {
		return err
	}
	if verb == "report" {
		f.out = f.flag("output")
		f.args = without(without(f.args, "--output"), "-o")
		if info, err := os.Stat(f.out); err != nil || !info.IsDir() {
			return usagef("--output must be a directory, which gets a report of each database and index.html, got %q", f.out)
		}
	}
	stages, err := f.find(command.Context())
	if err == nil && f.out != "" {
		err = f.refuseOverwriting(slices.Concat(stages...))
	}
	if err != nil {
		return err
	}
	members := f.goThrough(command.Context(), stages)
	if err := f.show(members); err != nil {
		return err
	}
	code := 0
	for _, m := range members {
		code = max(code, m.Code)
	}
	return cmp.Or(command.Context().Err(), ends(code)) // an interrupt leaves databases that were not begun
}

// flag is the value of one of the verb, "" where it has no such flag.
func (f *fleet) flag(name string) string {
	if flag := f.command.Flag(name); flag != nil {
		return flag.Value.String()
	}
	return ""
}

// without is a command line without a flag and its value.
func without(args []string, flag string) (left []string) {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == flag:
			i++
		case strings.HasPrefix(args[i], flag+"=") || len(flag) == 2 && strings.HasPrefix(args[i], flag):
		default:
			left = append(left, args[i])
		}
	}
	return left
}

// find lists the databases of each stage, each once. A query that cannot be asked ends a verb that changes something
// before it has begun; for others it is a database that cannot be told.
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
				list = append(list, &member{Name: "(found)", Stage: name, Code: 2, Verdict: f.word(2), Messages: f.said(err)})
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

// said is an error as it is shown.
func (f *fleet) said(err error) string {
	var text bytes.Buffer
	(&console{out: &text, err: &text}).exit(f.command, err)
	return text.String()
}

// query asks which databases there are.
func (f *fleet) query(ctx context.Context, stage string, q policy.FleetQuery) (list []policy.FleetDatabase, err error) {
	connection, err := f.secret(ctx, stage, q.Connection.Connection)
	if err != nil {
		return nil, err
	}
	err = connected(ctx, connection, func(conn *pgx.Conn) error {
		rows, _ := conn.Query(ctx, q.Query, pgx.QueryExecModeSimpleProtocol) // rows give the same error
		list, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (d policy.FleetDatabase, err error) {
			var values [2]*string
			n := len(row.FieldDescriptions())
			if n > 2 {
				return d, errors.New("it has more than two columns")
			}
			if err := row.Scan([]any{&values[0], &values[1]}[:n]...); err != nil || values[0] == nil {
				return d, cmp.Or(err, errors.New("a name is NULL"))
			}
			d.Name, d.Connection = *values[0], inDatabase(q.Connection.Connection, *values[0])
			if values[1] != nil {
				d.Connection = *values[1]
			}
			if fault, _ := policy.ConnectionFault(d.Connection); fault != "" {
				return d, errors.New(fault)
			}
			return d, nil
		})
		return err
	})
	if err != nil {
		return nil, &install.CheckError{Message: fmt.Sprintf("finding the databases of stage %q: %v", stage, err),
			Hint: fmt.Sprintf("The query is at %s.", q.Position)}
	}
	return list, nil
}

// secret adds the password that the command of the file prints, where there is one.
func (f *fleet) secret(ctx context.Context, name, connection string) (string, error) {
	if len(f.PasswordCommand) == 0 {
		return connection, nil
	}
	words := lists.Map(f.PasswordCommand, func(word string) string { return strings.ReplaceAll(word, "{name}", name) })
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	text, err := exec.CommandContext(ctx, words[0], words[1:]...).Output()
	if err != nil { // what it wrote may be a secret
		return "", &install.CheckError{Message: fmt.Sprintf("password_command failed for %q: %v", name, err), Hint: "Run " + quoted(words[0]) + " by hand."}
	}
	password, _, _ := strings.Cut(string(text), "\n")
	return with(connection, "password", strings.TrimSuffix(password, "\r")), nil
}

// goThrough executes the command for the databases of each stage. What is under way ends by itself.
func (f *fleet) goThrough(ctx context.Context, stages [][]*member) (all []*member) {
	stopped := false
	for i, list := range stages {
		most := f.Stages[i].MaxFailures
		var failures atomic.Int64
		full := func() bool { return most != nil && !fleetVerbs[f.verb].reads && failures.Load() > *most }
		_, _ = parallel.Up(f.Parallel, list, func(m *member) (any, error) {
			switch {
			case m.Messages != "": // it was not found
			case stopped || full() || ctx.Err() != nil:
				m.Code, m.Verdict = -1, "not begun"
			default:
				f.execute(ctx, m)
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

// execute runs the command line for one database.
func (f *fleet) execute(ctx context.Context, m *member) {
	began := time.Now()
	defer func() { m.Verdict, m.Seconds = f.word(m.Code), time.Since(began).Seconds() }()
	url, err := f.secret(ctx, m.Name, m.connection)
	if err != nil {
		m.Code, m.Messages = 2, f.said(err)
		return
	}
	at := 0
	for _, word := range strings.Fields(f.verb) {
		at += 1 + slices.Index(f.args[at:], word)
	}
	var out, said bytes.Buffer
	m.Code = execute(ctx, slices.Insert(slices.Clone(f.args), at, "--database-url="+url), &out, &said)
	m.text, m.Messages = out.Bytes(), said.String()
	f.look(ctx, m, url)
}

// look reads how a database stands. What it does not tell is left out: the verb has said why.
func (f *fleet) look(ctx context.Context, m *member, url string) {
	t := target{paths: paths{url: url, policy: f.flag("policy")}, schema: f.flag("schema")}
	in, err := t.install()
	if err != nil {
		return
	}
	_ = connected(ctx, url, func(conn *pgx.Conn) error {
		s := &session{conn: conn, install: in}
		return s.row(ctx, "fleet").Scan(&m.Version, &m.LastRun, &m.State, &m.Overdue)
	})
	if migrations := f.flag("migrations"); migrations != "" && m.Version != "" {
		project, err := readProject(t.policy)
		if err != nil {
			return
		}
		if names, err := (destination{directory{migrations, false}, project, url, url}).pending(ctx); err == nil {
			n := len(names)
			m.Behind = &n
		}
	}
}

// word is what an exit code says.
func (f *fleet) word(code int) string { return fleetVerbs[f.verb].words[min(code, 2)] }

// show prints a line for each database, then what there is to say of some.
func (f *fleet) show(members []*member) error {
	if f.out != "" {
		if err := f.write(members); err != nil {
			return err
		}
	}
	if f.flag("format") == "json" {
		for _, m := range members {
			if json.Valid(m.text) {
				m.Answer = m.text
			}
		}
		return f.c.document("verb", f.verb, "databases", members)
	}
	t := table{columns: []string{"DATABASE", "STAGE", "VERSION", ">BEHIND", "VERDICT", "LAST RUN", "", ">OVERDUE", ">TOOK"}}
	for _, m := range members {
		t.add(m.Name, m.Stage, m.Version, orElse(m.Behind, func(n int) string { return count(int64(n)) }, ""), m.Verdict, m.LastRun, m.State,
			orElse(m.Overdue, count, ""), seconds(m.Seconds))
	}
	t.print(f.c.out)
	for _, m := range members {
		if m.Code <= 0 && !fleetVerbs[f.verb].shown {
			continue
		}
		if f.out != "" {
			m.text = nil
		}
		if text := strings.TrimSpace(string(m.text) + m.Messages); text != "" {
			f.c.printf("\n%s:\n%s\n", m.Name, text)
		}
	}
	return nil
}

// file is the name of a database's report; no name makes it that of the page that leads to them.
func (m *member) file() string { return url.PathEscape(m.Name) + ".report.html" }

// refuseOverwriting refuses files in the directory of the reports that somebody else wrote.
func (f *fleet) refuseOverwriting(members []*member) error {
	for _, name := range append(lists.Map(members, (*member).file), "index.html") {
		r := reportRequest{output: filepath.Join(f.out, name), force: f.command.Flag("force").Changed}
		if err := r.refuseOverwriting(); err != nil {
			return err
		}
	}
	return nil
}

// write writes a report of each database, and a page that leads to them.
func (f *fleet) write(members []*member) error {
	page := htmlreport.Fleet{Version: programVersion(), At: time.Now().UTC()}
	var files []output
	for _, m := range members {
		row := htmlreport.FleetRow{Name: m.Name, Verdict: m.Verdict, Bad: m.Code != 0, LastRun: m.LastRun, State: m.State, Overdue: orElse(m.Overdue, count, "")}
		if m.Code == 0 {
			row.File = m.file()
			row.Verdict, row.Bad = htmlreport.VerdictOf(m.text)
			m.Verdict = row.Verdict
			files = append(files, output{filepath.Join(f.out, row.File), []string{string(m.text)}})
			row.File = url.PathEscape(row.File)
		}
		page.Rows = append(page.Rows, row)
	}
	var index bytes.Buffer
	if err := page.Write(&index); err != nil {
		return err
	}
	return writeAll(append(files, output{filepath.Join(f.out, "index.html"), []string{index.String()}}), true)
}
