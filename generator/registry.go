package generator

import (
	"bytes"
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"pgretain/internal/calendar"
	"pgretain/internal/diag"
	"pgretain/internal/explain"
	"pgretain/internal/lists"
	"pgretain/internal/pgparse"
	"pgretain/policy"
	sqlfiles "pgretain/sql"
)

// PolicyRow is the row of a policy in the registry. The comments of sql/tables/policy.sql describe
// the columns. The verifier compares all of them.
type PolicyRow struct {
	Name             string                 `json:"name"`
	Table            string                 `json:"table_name"`
	Report           bool                   `json:"report"` // false; see reportRow
	Hash             string                 `json:"hash"`   // see hashOf
	Description      description            `json:"description"`
	Partitions       bool                   `json:"partitions"`
	Prepares         bool                   `json:"prepares"`
	Scope            []string               `json:"scope"`
	WindowOwn        *string                `json:"window_own"`
	WindowAtLeast    *string                `json:"window_at_least"`
	WindowAtMost     *string                `json:"window_at_most"`
	BatchRows        int                    `json:"batch_rows"`
	BatchTime        *int64                 `json:"batch_time_ms"`
	LockTimeout      int64                  `json:"lock_timeout_ms"`
	BudgetRows       *int64                 `json:"budget_rows"`
	BudgetTime       *string                `json:"budget_time"`
	BreakerRows      *int64                 `json:"breaker_rows"`
	BreakerFraction  *float64               `json:"breaker_fraction"`
	Busy             *float64               `json:"busy"`
	Waits            *waits                 `json:"waits"`
	Owns             []sqlText              `json:"owns"`
	Grants           map[string][]string    `json:"grants"`
	Passes           []passEntry            `json:"passes"`
	Joined           *string                `json:"joined"`
	Facts            rowFacts               `json:"facts"`
	Steps            []stepEntry            `json:"steps"`
	Deletes          []string               `json:"deletes"`
	Related          []string               `json:"related"`
	Changes          []string               `json:"changes"`
	Writes           []string               `json:"writes"`
	Unguarded        []string               `json:"unguarded"`
	StatementDeletes []string               `json:"statement_deletes"`
	Reach            []string               `json:"reach"`
	Restores         []restoreSource        `json:"restores"`
	Dependencies     map[string]*dependency `json:"dependencies"`
	Schemas          []string               `json:"schemas"`
}

// waits are the limits beyond which a run waits: files, milliseconds, and bytes per second.
type waits struct {
	PendingArchival int64 `json:"pending_archival,omitempty"`
	ReplicaLag      int64 `json:"replica_lag,omitempty"`
	WALRate         int64 `json:"wal_rate,omitempty"`
}

// reportRow is the row of a report in the registry. Its other columns keep their defaults.
type reportRow struct {
	Name         string                 `json:"name"`
	Report       bool                   `json:"report"` // true
	Hash         string                 `json:"hash"`   // see hashOf
	Description  description            `json:"description"`
	Dependencies map[string]*dependency `json:"dependencies"`
	Schemas      []string               `json:"schemas"`
}

// registryRow returns the registry row of the policy. Its hash covers the functions and the row.
func (p *policyPlan) registryRow(functions, effects []Object) *PolicyRow {
	r := p.row
	r.Dependencies = p.dependenciesOf(functions)
	texts := lists.Map(slices.Concat(functions, effects), func(f Object) string { return f.SQL })
	for _, f := range fieldsOf(r) {
		if !f.isDerived() {
			texts = append(texts, f.value)
		}
	}
	r.Hash = p.hashOf(texts...)
	return &r
}

// hashOf returns the hash of a registry row. The hash covers the given texts, the version of the
// runtime, the time zone and the search path. A run ends if the hash changes.
func (c project) hashOf(texts ...string) string {
	in := c.file.Install
	return Hash(append(texts, sqlfiles.Version, in.TimeZone, strings.Join(in.SearchPath, ", "))...)
}

// rowData is the data of the templates of registry rows.
type rowData struct {
	Schema sqlText
	Name   literal
	Row    sqlText
}

// registered returns the registry row of a policy or report as an object.
func (c project) registered(name string, at diag.Position, row any, words []explain.Line) Object {
	data := rowData{sqlText(c.schema()), literal(name), registration(row, "SELECT "+c.schema()+"._register(")}
	o := newObject(KindPolicy, name, "policy", data, at)
	o.Policy, o.Row, o.Words = name, row, words
	return o
}

// registryColumns returns the registry row of a policy, without its dependencies, hash and
// description. The parameter "prepares" says that a run reads joins or ceilings when it starts.
func (w *policyCompiler) registryColumns(
	prepares bool, passes []passEntry, steps []stepEntry, restores []restoreSource,
) PolicyRow {
	p := w.policy
	settable, bounds := cmp.Or(p.SettableWindow(), &policy.WindowData{}), p.Bounded()
	batch, budget, breaker, throttle := bounds.Batch, bounds.Budget, bounds.Breaker, bounds.Throttle
	r := PolicyRow{
		Name: p.Name, Table: tableName(w.table), Partitions: p.Partitions, Prepares: prepares, Scope: names(p.Scope),
		WindowOwn: window(settable.Else), WindowAtLeast: window(settable.AtLeast),
		WindowAtMost: window(settable.AtMost), BatchRows: batch.Rows, BatchTime: orNull(batch.Time.Milliseconds()),
		LockTimeout: max(batch.LockTimeout.Milliseconds(), 1), BudgetRows: orNull(budget.Rows),
		BreakerRows: orNull(breaker.Rows), BreakerFraction: orNull(breaker.Fraction), Busy: orNull(throttle.Busy),
		Waits: orNull(waits{throttle.PendingArchival, throttle.ReplicaLag.Milliseconds(), int64(throttle.WALRate)}),
		Owns:  lists.Map(p.OncePerRun(), w.storedTable), Grants: w.callers(),
		Passes: passes, Joined: orNull(plainText(w.withJoins())), Facts: w.facts(), Steps: steps, Restores: restores,
		Deletes: w.deletes, Related: lists.Distinct(w.related), Changes: lists.Distinct(tableNames(p.Changes())),
		Writes: p.Writes(), Unguarded: w.unguarded, StatementDeletes: tableNames(p.StatementDeletes()), Reach: w.reach,
		Schemas: append([]string{}, w.schemas...),
	}
	if budget.Time != 0 {
		r.BudgetTime = orNull(budget.Time.String())
	}
	return r
}

// orNull returns a value for a column; NULL for the zero value.
func orNull[T comparable](value T) *T {
	if value == *new(T) {
		return nil
	}
	return &value
}

// rowField is a column of a row of the registry. The value is JSON.
type rowField struct{ name, value string }

// fieldsOf returns the columns of a row, which is a struct or points to one.
func fieldsOf(row any) (list []rowField) {
	for field, value := range reflect.Indirect(reflect.ValueOf(row)).Fields() {
		list = append(list, rowField{field.Tag.Get("json"), encode(value.Interface())})
	}
	return list
}

// isDerived reports whether other columns or other statements of the migration set the column.
func (f rowField) isDerived() bool { return f.name == "hash" || f.name == "description" }

// isEmpty reports whether the value is the default of the table.
func (f rowField) isEmpty() bool {
	return slices.Contains([]string{"null", "false", "[]", "{}"}, f.value)
}

// registration returns a row as the argument of a call. The script of a policy writes the
// description, and columns that are empty have the default.
func registration(row any, call string) sqlText {
	text, quote := encodedRow(row, len(call))
	return sqlText(quote + " " + text + quote) // Flyway replaces "${"
}

// encodedRow returns the columns of a row that are not empty, as JSON, and the dollar quote around
// them. first is the width of the text before the quote.
func encodedRow(row any, first int) (text, quote string) {
	var lines []string // in each line, a line break marks a place at which the function "filled" may break the line
	alone := true      // the last line takes no further column
	for _, f := range fieldsOf(row) {
		if f.isEmpty() || f.name == "description" {
			continue
		}
		text := `"` + f.name + `": ` + spaced(f.value) + ","
		before := alone
		alone = f.value[0] == '{' || strings.HasPrefix(f.value, "[{") || f.name == "joined"
		if alone || before {
			lines = append(lines, text)
		} else {
			lines[len(lines)-1] += "\n" + text
		}
	}
	quote = dollarQuote(strings.Join(lines, ""), "row")
	indent := strings.Repeat(" ", first+len(quote)+1)
	lines[0] = "{" + lines[0]
	for i, line := range lines {
		lines[i], indent = filled(indent, strings.Split(line, "\n")), "    "
	}
	return strings.TrimSuffix(strings.TrimLeft(strings.Join(lines, "\n"), " "), ",") + "}", quote
}

// encode returns value as JSON. It never fails, because the value consists of strings, numbers and
// lists.
func encode(value any) string {
	if value == nil { // many values are nil
		return "null"
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

var betweenItems = strings.NewReplacer(",\n", ",\n", "\n", "")

// spaced returns JSON with a blank after each colon and a line break after each comma.
func spaced(encoded string) string {
	var b bytes.Buffer
	_ = json.Indent(&b, []byte(encoded), "", "") // valid, because it was encoded
	return betweenItems.Replace(b.String())
}

// filled breaks a line that is too wide. It breaks the line between two items, and before an item
// that is an object if the item before it fits.
func filled(indent string, items []string) string {
	line := indent + strings.Join(items, " ")
	if utf8.RuneCountInString(line) <= textWidth || len(items) == 1 {
		return line
	}
	cut, object := 1, 0
	for n, item := range items[1:] {
		if n > 0 && utf8.RuneCountInString(indent+strings.Join(items[:n+1], " ")) > textWidth {
			break
		}
		if cut = n + 1; item[0] == '{' {
			object = cut
		}
	}
	cut = cmp.Or(object, cut)
	return indent + strings.Join(items[:cut], " ") + "\n" + filled("        ", items[cut:])
}

// window returns the text of a window that can be set at run time, or of one of its bounds; nil if
// there is none.
func window(i *policy.Interval) *string {
	if i == nil {
		return nil
	}
	return &i.Text
}

func names(list []policy.Name) []string {
	return lists.Map(list, policy.Name.String)
}

func tableNames(tables []policy.Table) []string {
	return lists.Map(tables, policy.Table.String)
}

// installRow is the row of retention.install, with the columns that a migration writes.
type installRow struct {
	Version      string   `json:"runtime_version"`
	Build        string   `json:"runtime_build"`
	SearchPath   string   `json:"search_path"`
	TimeZone     string   `json:"time_zone"`
	Scheduler    string   `json:"scheduler"`
	Protect      []string `json:"protect"`
	Trust        []string `json:"trust"`
	CronDatabase *string  `json:"cron_database"` // nil if this database schedules the jobs, or nobody does
}

func (c *compiler) install() Object {
	in := c.file.Install
	r := installRow{Version: sqlfiles.Version, Build: sqlfiles.Build(), SearchPath: strings.Join(in.SearchPath, ", "),
		TimeZone: in.TimeZone, Scheduler: in.Scheduler, Protect: tableNames(c.file.Protect), Trust: names(in.Trust)}
	if in.CronElsewhere() {
		r.CronDatabase = orNull(in.CronDatabase)
	}
	call := "SELECT " + in.Schema + "._put_install("
	o := newObject(KindInstall, "install", "install", rowData{Schema: sqlText(in.Schema), Row: registration(r, call)},
		in.Position)
	o.Words, o.Row = explain.Install(c.file), r
	text, _ := encodedRow(r, len(call))
	return o.with(PartRow, text)
}

func (c *compiler) jobs() []Object {
	var objects []Object
	for _, job := range c.file.Jobs {
		objects = append(objects, c.job(job))
		if c.file.Install.Scheduler == "pg_cron" {
			objects = append(objects, c.cronJobs(job)...)
		}
	}
	if c.file.Install.CronElsewhere() {
		objects = append(objects, c.cronPurge())
	}
	return objects
}

// jobRow is the registry row of a job. The template "job" leaves out empty columns.
type jobRow struct {
	Schema      sqlText       `json:"-"` // of the runtime
	ScopeValues []valueText   `json:"-"` // the scope as the migration writes it
	Name        literal       `json:"name"`
	Description description   `json:"description"`
	Strict      bool          `json:"strict"`
	Scope       map[ident]any `json:"scope"`
	Schedules   textList      `json:"schedules"`
	CronNames   textList      `json:"cron_names"` // names of the jobs in pg_cron of this database
	Every       *literal      `json:"every"`      // the longest time between two runs; nil if unknown
	Policies    textList      `json:"policies"`
}

func (c *compiler) job(job *policy.Job) Object {
	words := explain.Job(job)
	r := jobRow{Schema: sqlText(c.schema()), Name: literal(job.Name), Description: describedBy(words),
		Strict: job.Strict, Scope: scopeOf(job), CronNames: textList{},
		Policies: lists.Map(job.Run, func(name policy.Name) literal { return literal(name.Text) }),
		ScopeValues: lists.Map(job.Scope, func(a policy.Assignment) valueText {
			return valueText{Column: ident(a.Column), Value: scopeSQL(a.Value)}
		})}
	for i, schedule := range job.Schedules {
		r.Schedules = append(r.Schedules, literal(schedule.Text))
		if in := c.file.Install; !in.CronElsewhere() { // even if something else starts the jobs
			r.CronNames = append(r.CronNames, literal(in.CronJobName(job.Name, i)))
		}
	}
	schedules := lists.Map(job.Schedules, func(s policy.Schedule) string { return s.Text })
	if longest := calendar.Parse(schedules, time.UTC).Longest(); longest > 0 {
		every := literal(explain.Duration(longest))
		r.Every = &every
	}
	o := newObject(KindJob, job.Name, "job", r, job.Position)
	o.Words, o.Row = words, r
	return o.with(PartWords, explain.Page(words))
}

// scopeOf returns the scope of a job for the registry: literals by column; nil if it has none.
func scopeOf(job *policy.Job) (scope map[ident]any) {
	for _, a := range job.Scope {
		if c, ok := fixedValue(a.Value); ok {
			if scope == nil {
				scope = map[ident]any{}
			}
			text := c.Text
			if scope[ident(a.Column)] = text; c.Kind != pgparse.TextConstant && json.Valid([]byte(text)) {
				scope[ident(a.Column)] = json.RawMessage(text)
			}
		}
	}
	return scope
}

// scopeSQL returns a value of a scope as the migration writes it: the text in the file, without its
// cast. Runs read it as the column's type, so the server's output format for values does not
// matter.
func scopeSQL(value policy.Expr) sqlText {
	if c, ok := fixedValue(value); ok && c.Kind == pgparse.TextConstant {
		return sqlText(literal(c.Text).String())
	}
	return sqlText(strings.TrimSpace(value.SQL))
}

func fixedValue(value policy.Expr) (pgparse.Constant, bool) {
	c := value.Parsed().Condition()
	if c.Form != pgparse.Fixed {
		return pgparse.Constant{}, false
	}
	return c.Value, true
}

// CronJob is what a KindCron object schedules. Database is the database in which the command runs;
// "" is the one in which the job is scheduled.
type CronJob struct{ Name, Schedule, Command, Database string }

// SplitCron divides objects into those for the database of the tables and those for the database of
// schema cron. The second list is empty if both are the same database.
func SplitCron(objects []Object, install policy.Install) (here, elsewhere []Object) {
	for _, o := range objects {
		if o.Kind == KindCron && install.CronElsewhere() {
			elsewhere = append(elsewhere, o)
		} else {
			here = append(here, o)
		}
	}
	return here, elsewhere
}

// jobCall is the command of a job in pg_cron.
type jobCall struct {
	Schema sqlText
	Job    literal
}

// cronJobs returns the schedules of a job. Each calls the job in the application's database with
// one statement.
func (c *compiler) cronJobs(job *policy.Job) []Object {
	in := c.file.Install
	command := strings.TrimSpace(object("cron_command", jobCall{sqlText(in.Schema), literal(job.Name)}))
	schema := in.Schema
	if in.CronElsewhere() {
		schema = ""
	}
	var objects []Object
	for i, schedule := range job.Schedules {
		cron := CronJob{Name: in.CronJobName(job.Name, i), Schedule: schedule.Text, Command: command}
		if cron.Schedule == "@yearly" || cron.Schedule == "@annually" {
			// pg_cron from 1.5 accepts these words and never runs the job: its set of months is
			// empty
			cron.Schedule = "0 0 1 1 *"
		}
		if in.Database != policy.AnyDatabase {
			cron.Schedule = calendar.Spread(cron.Schedule, in.CronJobName(job.Name, 0))
		}
		if in.CronElsewhere() {
			cron.Database = in.Database
		}
		objects = append(objects, cronObject(schema, cron, schedule.Position))
	}
	return objects
}

// purgeData is the command that deletes old rows of pg_cron's log.
type purgeData struct{ JobName, Database, Window literal }

// cronPurge returns a job that deletes old rows of cron.job_run_details in another database. It
// runs once a night, at a minute that few jobs use. It keeps rows as long as the runtime keeps them
// by default in its own database.
func (c *compiler) cronPurge() Object {
	name := c.file.Install.CronJobName("cron_log#purge", 0)
	command := object("cron_purge", purgeData{literal(name), literal(c.file.Install.Database), "14 days"})
	job := CronJob{Name: name, Schedule: "53 3 * * *", Command: oneLine(strings.TrimSpace(command))}
	return cronObject("", job, diag.Position{})
}

// ofDatabase returns a text as SQL. If the install does not name its database, the SQL replaces
// policy.AnyDatabase by the session's setting pgretain.database.
func ofDatabase(text string, inner bool) sqlText {
	if !strings.Contains(text, policy.AnyDatabase) {
		return sqlText(literal(text).String())
	}
	return sqlText(strings.TrimSpace(object("cron_text", databaseText{text == policy.AnyDatabase, literal(text),
		literal(policy.AnyDatabase), inner})))
}

// databaseText is a text that contains the word for any database. Whole says that it is nothing
// else. Inner says that the word is inside a literal of the text.
type databaseText struct {
	Whole     bool
	Text, Any literal
	Inner     bool
}

// spread returns a schedule as SQL, with the minute that the job's name has in each database. See
// calendar.Spread.
func spread(job CronJob) sqlText {
	minutes, rest, ok := calendar.SpreadOver(job.Schedule)
	if !ok {
		return sqlText(literal(job.Schedule).String())
	}
	name, _, _ := strings.Cut(job.Name, "#")
	return sqlText(strings.TrimSpace(object("cron_spread",
		spreadSchedule{ofDatabase(name, false), minutes, literal(rest)})))
}

// spreadSchedule is a schedule whose minute follows from the name of its job.
type spreadSchedule struct {
	JobName sqlText
	Minutes int
	Rest    literal
}

// JobsIn returns objects with the jobs as they are scheduled for a database. See
// policy.AnyDatabase.
func JobsIn(objects []Object, database string) []Object {
	objects = slices.Clone(objects)
	for i, o := range objects {
		if o.Cron == nil {
			continue
		}
		job := *o.Cron
		job.Name = strings.ReplaceAll(job.Name, policy.AnyDatabase, database)
		job.Database = strings.ReplaceAll(job.Database, policy.AnyDatabase, database)
		job.Command = strings.ReplaceAll(job.Command, policy.AnyDatabase, strings.ReplaceAll(database, "'", "''"))
		name, _, _ := strings.Cut(job.Name, "#")
		job.Schedule = calendar.Spread(job.Schedule, name)
		objects[i].Cron = &job
	}
	return objects
}

// cronObject returns the object that schedules a job. In the database of the tables, the runtime in
// schema schedules it. In another database, schema is "", and pg_cron's own functions schedule it.
func cronObject(schema string, job CronJob, at diag.Position) Object {
	template := "cron"
	if job.Database != "" {
		template = "cron_elsewhere"
	}
	// Names in a command are literals inside the command.
	data := cronData{sqlText(schema), ofDatabase(job.Name, false), spread(job), ofDatabase(job.Command, true),
		ofDatabase(job.Database, false)}
	o := newObject(KindCron, job.Name, template, data, at)
	o.Cron = &job
	return o
}

// cronData is the data of the templates of jobs in pg_cron.
type cronData struct{ Schema, JobName, Schedule, Command, Database sqlText }
