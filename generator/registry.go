package generator

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"pgretain/internal/calendar"
	"pgretain/internal/diag"
	"pgretain/internal/explain"
	"pgretain/internal/pgparse"
	"pgretain/policy"
	sqlfiles "pgretain/sql"
)

// rowField is a column of a row of the registry. The value is JSON.
type rowField struct{ name, value string }

func field(name string, value any) rowField { return rowField{name, encode(value)} }

// isEmpty reports whether a script leaves the column out: its value is the default of the table.
func (f rowField) isEmpty() bool {
	return slices.Contains([]string{"null", "false", "[]", "{}"}, f.value)
}

// columnValue is a column of a row of the registry with its value, before the value is encoded.
type columnValue struct {
	name  string
	value any
}

// row is the registry row of a policy or report. Scripts write it, and retention._register reads
// it.
type row []rowField

// registryRow returns the registry row of the policy. Its hash covers the functions and the row.
func (p *policyPlan) registryRow(functions, effects []Object) row {
	last := len(p.columns) - 1
	used := []columnValue{{"dependencies", p.dependenciesOf(functions)}}
	r := each(slices.Concat(p.columns[:last], used, p.columns[last:]),
		func(c columnValue) rowField { return field(c.name, c.value) })
	return p.hashed(r, slices.Concat(each(slices.Concat(functions, effects), func(f Object) string { return f.SQL }),
		each(r, func(f rowField) string { return f.value }))...)
}

// hashed returns a row with a hash. The hash covers the given texts, the version of the runtime,
// the time zone and the search path. A run ends if the hash changes.
func (c project) hashed(r row, texts ...string) row {
	in := c.file.Install
	hash := Hash(append(texts, sqlfiles.Version, in.TimeZone, strings.Join(in.SearchPath, ", "))...)
	return slices.Insert(slices.Clone(r), hashIndex, field("hash", hash))
}

// rowData is the data of the templates of registry rows.
type rowData struct {
	Schema sqlText
	Name   literal
	Row    sqlText
}

// registered returns the registry row of a policy or report as an object.
func (c project) registered(name string, at diag.Position, r row) Object {
	data := rowData{sqlText(c.schema()), literal(name), r.sql(len("SELECT " + c.schema() + "._register("))}
	o := newObject(KindPolicy, name, "policy", data, at)
	o.Policy = name
	o.Row = r.columns()
	return o
}

// hashIndex is the position of the hash in a row.
const hashIndex = 2

func (r row) hash() string { return strings.Trim(r[hashIndex].value, `"`) }

func (r row) setHash(hash string) { r[hashIndex] = field("hash", hash) }

func (r row) columns() map[string]json.RawMessage {
	columns := map[string]json.RawMessage{}
	for _, f := range r {
		columns[f.name] = json.RawMessage(f.value)
	}
	return columns
}

// registryColumns returns the columns of a policy's registry row, except its hash and dependencies.
// The parameter "prepares" says that a run reads joins or ceilings when it starts.
func (w *policyCompiler) registryColumns(
	prepares bool, passes []passEntry, steps []stepEntry, restores []restoreSource,
) []columnValue {
	p := w.policy
	settable := cmp.Or(p.SettableWindow(), &policy.WindowData{})
	return slices.Concat([]columnValue{
		{"name", p.Name},
		{"table_name", tableName(w.table)},
		{"report", false},
		{"partitions", p.Partitions},
		{"prepares", prepares},
		{"scope", names(p.Scope)},
		{"window_own", window(settable.Else)},
		{"window_at_least", window(settable.AtLeast)},
		{"window_at_most", window(settable.AtMost)},
	}, bounds(p.Bounded()), []columnValue{
		{"owns", each(p.OncePerRun(), w.storedTable)},
		{"grants", w.callers()},
		{"passes", passes},
		{"joined", orNull(plainText(w.withJoins()))},
		{"facts", w.facts()},
		{"steps", steps},
		{"deletes", w.deletes},
		{"related", sortedUnique(w.related)},
		{"changes", sortedUnique(tableNames(p.Changes()))},
		{"writes", p.Writes()},
		{"unguarded", w.unguarded},
		{"statement_deletes", tableNames(p.StatementDeletes())},
		{"reach", w.reach},
		{"restores", restores},
		{"schemas", append([]string{}, w.schemas...)},
	})
}

// bounds returns the bounds of a policy's batches and runs.
func bounds(p policy.Bounds) []columnValue {
	return []columnValue{
		{"batch_rows", p.Batch.Rows},
		{"batch_time_ms", orNull(p.Batch.Time.Milliseconds())},
		{"lock_timeout_ms", max(p.Batch.LockTimeout.Milliseconds(), 1)},
		{"budget_rows", orNull(p.Budget.Rows)},
		{"budget_time", orNull(p.Budget.Time.String())},
		{"breaker_rows", orNull(p.Breaker.Rows)},
		{"breaker_fraction", orNull(p.Breaker.Fraction)},
		{"busy", orNull(p.Throttle.Busy)},
		{"waits", waits(p.Throttle)},
	}
}

// waits returns what a run waits for: milliseconds, files, and bytes per second; nil if nothing.
func waits(t policy.Throttle) map[string]int64 {
	list := map[string]int64{"replica_lag": t.ReplicaLag.Milliseconds(), "pending_archival": t.PendingArchival,
		"wal_rate": int64(t.WALRate)}
	maps.DeleteFunc(list, func(_ string, value int64) bool { return value == 0 })
	if len(list) == 0 {
		return nil
	}
	return list
}

func orNull[T comparable](value T) any {
	if value == *new(T) || any(value) == any("0s") {
		return nil
	}
	return value
}

func sortedUnique(names []string) []string {
	return append([]string{}, slices.Compact(slices.Sorted(slices.Values(names)))...)
}

// sql returns the columns that are not empty, as SQL. first is the width of the call before them.
func (r row) sql(first int) sqlText {
	text, quote := r.text(first)
	return sqlText(quote + " " + text + quote) // Flyway replaces "${"
}

// text returns the columns that are not empty, as JSON, and the dollar quote around them.
func (r row) text(first int) (text, quote string) {
	var lines []string // in each line, a line break marks a place at which the function "filled" may break the line
	alone := true      // the last line takes no further column
	for _, f := range r {
		if f.isEmpty() {
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
func window(i *policy.Interval) any {
	if i == nil {
		return nil
	}
	return i.Text
}

func names(list []policy.Name) []string {
	return each(list, func(name policy.Name) string { return name.Text })
}

func tableNames(tables []policy.Table) []string {
	return each(tables, policy.Table.String)
}

func (c *compiler) install() Object {
	in := c.file.Install
	var elsewhere any // NULL: this database schedules the jobs, or nobody does
	if in.CronElsewhere() {
		elsewhere = orNull(in.CronDatabase)
	}
	r := row{
		field("runtime_version", sqlfiles.Version),
		field("runtime_build", sqlfiles.Build()),
		field("search_path", strings.Join(in.SearchPath, ", ")),
		field("time_zone", in.TimeZone),
		field("scheduler", in.Scheduler),
		field("protect", tableNames(c.file.Protect)),
		field("trust", names(in.Trust)),
		field("cron_database", elsewhere),
	}
	width := len("SELECT " + in.Schema + "._put_install(")
	data := rowData{Schema: sqlText(in.Schema), Row: r.sql(width)}
	o := newObject(KindInstall, "install", "install", data, in.Position)
	o.Words, o.Row = explain.Install(c.file), r.columns()
	text, _ := r.text(width)
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
		Policies: each(job.Run, func(name policy.Name) literal { return literal(name.Text) }),
		ScopeValues: each(job.Scope, func(a policy.Assignment) valueText {
			return valueText{Column: ident(a.Column), Value: scopeSQL(a.Value)}
		})}
	for i, schedule := range job.Schedules {
		r.Schedules = append(r.Schedules, literal(schedule.Text))
		if in := c.file.Install; !in.CronElsewhere() { // even if something else starts the jobs
			r.CronNames = append(r.CronNames, literal(in.CronJobName(job.Name, i)))
		}
	}
	schedules := each(job.Schedules, func(s policy.Schedule) string { return s.Text })
	if longest := calendar.Parse(schedules, time.UTC).Longest(); longest > 0 {
		every := literal(explain.Duration(longest))
		r.Every = &every
	}
	o := newObject(KindJob, job.Name, "job", r, job.Position)
	o.Words, o.Row = words, columnsOf(r)
	return o.with(PartWords, explain.Page(words))
}

// columnsOf returns the columns of a row of the registry.
func columnsOf(row any) (columns map[string]json.RawMessage) {
	if err := json.Unmarshal([]byte(encode(row)), &columns); err != nil {
		panic(err) // rows are structs
	}
	return columns
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
