package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/spf13/cobra"

	"pgretain/generator"
	"pgretain/internal/install"
	"pgretain/internal/lists"
)

// call is a verb that is one call of a function of the runtime. Its statement, sql/<name>.sql, has its arguments as
// parameters, then its flags, all as text or NULL; what the statement answers is printed as a table or as JSON.
type call struct {
	name    string
	least   int  // arguments that must be given
	most    int  // that may be given
	columns bool // behind them may come columns with values, which are one parameter more, a JSON object
	flags   []string
	reads   bool   // changes nothing, and works on a standby
	none    string // what to say where there is no row
}

var calls = []call{
	{name: "accept", least: 1, most: 1, flags: []string{"reason", "rows"}},
	{name: "pause", most: 1, flags: []string{"reason"}},
	{name: "resume", most: 1},
	{name: "window", least: 2, most: 2, flags: []string{"reason"}},
	{name: "hold", least: 2, most: 1, columns: true, flags: []string{"reason", "until"}},
	{name: "holds", reads: true, none: "no holds are in force"},
	{name: "release", least: 1, most: 1, flags: []string{"reason"}},
	{name: "restore", least: 2, most: 2, columns: true, flags: []string{"hold-until"}},
	{name: "why", least: 2, most: 1, columns: true, flags: []string{"as-of"}, reads: true, none: "the table has no such row"},
	{name: "adopt", flags: []string{"reason"}},
	{name: "settle"},
}

var callFlags = map[string]string{
	"reason":     "a `text` for the record",
	"rows":       "how many `rows` the run may take at most (default: all that are due, where the last run tripped)",
	"until":      "the `instant` that the rows are held until, in the install's time zone unless it says otherwise",
	"hold-until": "the `instant` that the rows are held until (default: 30 days from now)",
	"as-of":      "the `instant` that ages are measured at (default: now)",
}

func (k call) command(c *console) *cobra.Command {
	t := target{writes: !k.reads}
	var format string
	flags := make([]string, len(k.flags))
	command := verb(k.name, func(ctx context.Context, args []string) error {
		parameters, err := k.parameters(args, flags)
		if err != nil {
			return err
		}
		return t.with(ctx, func(s *session) error { return c.call(ctx, s, k, parameters, format) })
	})
	command.Args = func(command *cobra.Command, args []string) error {
		if k.fits(len(args)) {
			return nil
		}
		return usagef("%q is called as: %s", command.CommandPath(), command.Use)
	}
	if strings.Contains(command.Use, "POLICY") {
		command.ValidArgsFunction = completeNames(&t.policy, policyNames, false)
	}
	t.add(command)
	for i, name := range k.flags {
		command.Flags().StringVar(&flags[i], name, "", callFlags[name])
	}
	addFormat(command, &format)
	return command
}

// fits says whether a verb may have so many arguments.
func (k call) fits(n int) bool { return n >= k.least && (k.columns || n <= k.most) }

// parameters are those of the statement: an argument or flag that is not given is NULL.
func (k call) parameters(args, flags []string) (list []any, err error) {
	for i := range k.most {
		list = append(list, orNull(strings.Join(args[min(i, len(args)):min(i+1, len(args))], "")))
	}
	if k.columns {
		object, err := columnValues(args[k.most:])
		if err != nil {
			return nil, err
		}
		list = append(list, orNull(object))
	}
	return append(list, lists.Map(flags, func(value string) any { return orNull(value) })...), nil
}

// columnValues makes a JSON object of COLUMN=VALUE, with values as text: their types read them. None is "".
func columnValues(args []string) (string, error) {
	if len(args) == 0 {
		return "", nil
	}
	values := map[string]string{}
	for _, arg := range args {
		column, value, found := strings.Cut(arg, "=")
		_, twice := values[column]
		switch {
		case !found || column == "":
			return "", usagef("%q is not COLUMN=VALUE", arg)
		case twice:
			return "", usagef("column %q is given twice", column)
		}
		values[column] = value
	}
	object, err := json.Marshal(values)
	return string(object), err
}

// call prints what a statement answers, its columns in their order; in JSON as objects.
func (c *console) call(ctx context.Context, s *session, k call, parameters []any, format string) error {
	found, _ := s.conn.Query(ctx, s.statement(k.name), parameters...) // found gives the same error
	t := table{columns: lists.Map(found.FieldDescriptions(), func(field pgconn.FieldDescription) string {
		return strings.ToUpper(strings.ReplaceAll(field.Name, "_", " "))
	})}
	objects := []map[string]any{} // no row is an empty list
	objects, err := pgx.AppendRows(objects, found, func(row pgx.CollectableRow) (map[string]any, error) {
		values, err := row.Values()
		object, cells := map[string]any{}, make([]string, len(values))
		for i, value := range values {
			object[row.FieldDescriptions()[i].Name] = value
			cells[i] = cell(value)
		}
		t.add(cells...)
		return object, err
	})
	switch {
	case err != nil:
		return err
	case format == "json":
		return c.document("verb", k.name, "rows", objects)
	case len(objects) == 0:
		c.printf("%s\n", k.none)
	default:
		t.print(c.out)
	}
	return nil
}

// cell writes a value for people.
func cell(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case int64:
		return count(v)
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case map[string]any:
		text, _ := json.Marshal(v) // was JSON
		return string(text)
	}
	return fmt.Sprint(value)
}

func uninstallCommand(c *console) *cobra.Command {
	m := migration{all: true}
	var yes bool
	command := verb("uninstall", func(ctx context.Context, _ []string) error { return c.uninstall(ctx, m, yes) })
	m.add(command, "policy", "migrations", "cron-migrations", "database-url", "cron-database-url")
	m.addExport(command)
	addFormat(command, &m.format)
	command.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return command
}

// uninstall says what it takes away, asks, and undoes every migration of ours: first the jobs in the other database
// where schema cron lives, if that is another one.
func (c *console) uninstall(ctx context.Context, m migration, yes bool) error {
	places, err := m.places()
	if err != nil {
		return err
	}
	tables := places[len(places)-1]
	found, err := tables.belongings(ctx)
	if err != nil {
		return err
	}
	if found.Holds > 0 && m.export == "" {
		return &install.CheckError{
			Message: plural(int(found.Holds), "hold") + " in force would be dropped, and a later install would not know them",
			Hint:    `Write them to a file with --export FILE, or end them with "pgretain release"; "pgretain holds" lists them.`,
		}
	}
	if m.format == "text" {
		if err := c.foretell(places, found); err != nil {
			return err
		}
	}
	if !yes {
		if err := c.agree(ctx, "Take all of this away from database "+quoted(found.Database)+"?"); err != nil {
			return err
		}
	}
	var all []install.Migration
	for _, at := range places {
		done, err := c.undo(ctx, m, at, install.Uninstall)
		if all = append(all, done...); err != nil {
			return c.migrated(m, "undone", all, "", err)
		}
	}
	return c.migrated(m, "undone", all, "there was nothing left to undo", nil)
}

// places are the databases that have something of ours, that of the tables last.
func (m migration) places() ([]destination, error) {
	tables, err := m.destination("down")
	if err != nil || !tables.project.file.Install.CronElsewhere() {
		return []destination{tables}, err
	}
	m.cron = true
	jobs, err := m.destination("down")
	return []destination{jobs, tables}, err
}

// belongings are rows that go with the runtime.
type belongings struct {
	Database            string
	Runs, Holds, Events int64
}

func (at destination) belongings(ctx context.Context) (found belongings, err error) {
	err = connected(ctx, at.url, func(conn *pgx.Conn) error {
		s := &session{conn: conn, install: at.project.file.Install}
		var standby, installed bool
		if err := s.row(ctx, "facts", s.install.Schema).Scan(&standby, &found.Database, &s.user, &installed); err != nil || !installed {
			return err
		}
		return s.explain(s.row(ctx, "uninstall").Scan(&found.Runs, &found.Holds, &found.Events))
	})
	return found, err
}

// foretell lists what goes and what stays.
func (c *console) foretell(places []destination, found belongings) error {
	names := map[generator.Kind][]string{}
	for _, at := range places {
		history, err := at.history()
		if err != nil {
			return err
		}
		for _, o := range history.Objects() {
			names[o.Kind] = append(names[o.Kind], o.Name)
		}
	}
	in := places[len(places)-1].project.file.Install
	t := table{columns: []string{"THIS GOES", ""}}
	line := func(what string, kind generator.Kind) {
		if list := names[kind]; len(list) > 0 {
			t.add(what, strings.Join(slices.Sorted(slices.Values(list)), ", "))
		}
	}
	line("policies and reports", generator.KindPolicy)
	line("policies for each schema", generator.KindEach)
	line("jobs of pg_cron", generator.KindCron)
	line("indexes", generator.KindIndex)
	line("columns, with their values", generator.KindColumn)
	line("rights of the worker", generator.KindPrivilege)
	t.add("schema "+in.Schema, fmt.Sprintf("with all functions, and with %s, %s in force, %s that nobody took",
		plural(int(found.Runs), "run"), plural(int(found.Holds), "hold"), plural(int(found.Events), "event")))
	t.add("", "")
	t.add("THIS STAYS", "")
	t.add("your tables", "with the rows that they have now; what runs took stays gone")
	line("archives", generator.KindArchive)
	t.add("roles, extension pg_cron", "as \"pgretain bootstrap\" made them")
	t.add("the migration directory", "and migrations of your own in it, which are not undone")
	t.print(c.out)
	return nil
}
