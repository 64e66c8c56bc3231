package generator

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"pgretain/internal/calendar"
	"pgretain/internal/explain"
	"pgretain/internal/pgparse"
	"pgretain/policy"
	sqlfiles "pgretain/sql"
)

// rowField is a column of the registry's table of policies with the value that a page gives it, and what it has where
// a page leaves it out.
type rowField struct {
	Name           string
	Value, Default any
}

// row is a policy's or report's row of the registry, as pages write it and as retention._register reads it.
type row []rowField

// registryRow is the policy's row in the registry. Its hash covers the functions and the runtime's
// version, so that a run under way ends when any of them changes.
func (w *pageWriter) registryRow(functions []Object, passes []passEntry) Object {
	facts, steps := w.facts(), w.stepEntries()
	r := w.fields(passes, facts, steps, w.expects(functions))
	texts := slices.Concat([]string{sqlfiles.Version}, each(functions, func(f Object) string { return f.SQL }),
		each(r, func(f rowField) string { return encode(f.Value) }))
	o := w.policyObject(slices.Insert(r, 2, rowField{"hash", Hash(texts...), nil}))
	o.Table, o.Position = w.policy.Table.String(), w.policy.Position
	return o.explained(w.explained())
}

func (w *pageWriter) policyObject(r row) Object {
	name := w.policy.Name
	d := fields{"Schema": sqlText(w.schema()), "Name": literal(name), "Row": r.page(len("SELECT " + w.schema() + "._register("))}
	return Object{Kind: KindPolicy, Name: name, Policy: name, As: AsOwner, SQL: object("policy", d), Drop: object("policy_drop", d), Row: r.columns()}
}

// columns are the values as JSON, by name.
func (r row) columns() map[string]json.RawMessage {
	columns := map[string]json.RawMessage{}
	for _, f := range r {
		columns[f.Name] = json.RawMessage(encode(f.Value))
	}
	return columns
}

// fields are all columns of a policy's row but the hash.
func (w *pageWriter) fields(passes []passEntry, facts rowFacts, steps []stepEntry, expects map[string]*expectation) row {
	p := w.policy
	own, atLeast, atMost := w.settableWindow()
	list := row{
		{"name", p.Name, nil}, {"table_name", tableName(w.table), ""},
		{"report", false, false}, {"partitions", p.Partitions, false}, {"prepares", w.prepares(), false}, {"scope", names(p.Scope), []string{}},
		{"window_own", own, nil}, {"window_at_least", atLeast, nil}, {"window_at_most", atMost, nil},
	}
	list = append(list, bounds(w.policy.Bounded())...)
	plain := []stepEntry{{Step: 1, Verb: "delete", Table: tableName(w.table)}}
	followed := w.follow(steps)
	return append(list, row{
		{"owns", w.owns(), []string{}}, {"grants", w.callers(), map[string][]string{}},
		{"passes", passes, []passEntry{}}, {"joined", orNull(w.fromRows()), nil}, {"facts", facts, rowFacts{}}, {"steps", steps, plain},
		{"deletes", w.deletes, followed.deletes}, {"related", ordered(w.related), followed.related},
		{"changes", ordered(tableNames(p.Changes())), followed.changes}, {"writes", p.Writes(), followed.writes},
		{"unguarded", w.unguarded, []string{}}, {"statement_deletes", tableNames(p.StatementDeletes()), []string{}},
		{"reach", w.reach, []string{}}, {"restores", w.restores(), []restoreSource(nil)},
		{"expects", expects, nil}, {"schemas", append([]string{}, w.schemas...), []string{}},
	}...)
}

// owns are the policy's tables for joins. Its functions are known by their names.
func (w *pageWriter) owns() []string {
	list := []string{}
	for _, j := range w.policy.OncePerRun() {
		list = append(list, string(w.storedTable(j)))
	}
	return list
}

// reportFields are all columns of a report's row: most have their defaults.
func (w *pageWriter) reportFields(r *policy.Report, hash string) row {
	list := append(row{
		{"name", r.Name, nil}, {"hash", hash, nil}, {"report", true, false},
		{"table_name", "", ""}, {"partitions", false, false}, {"prepares", false, false},
		{"expects", w.expected, map[string]*expectation{}}, {"schemas", append([]string{}, w.schemas...), []string{}},
	}, bounds(policy.Default())...)
	for value, columns := range map[string][]string{
		"[]": {"owns", "passes", "scope", "steps", "deletes", "related", "changes", "writes", "unguarded", "statement_deletes", "reach"},
		"{}": {"grants", "facts"}, "null": {"window_own", "window_at_least", "window_at_most", "restores", "joined"},
	} {
		for _, column := range columns {
			list = append(list, rowField{column, json.RawMessage(value), json.RawMessage(value)})
		}
	}
	return list
}

// bounds are those of a policy's batches and runs, with the columns' defaults.
func bounds(p *policy.Policy) row {
	values := func(p *policy.Policy) row {
		return row{
			{"batch_rows", p.Batch.Rows, nil}, {"batch_time_ms", orNull(p.Batch.Time.Milliseconds()), nil},
			{"lock_timeout_ms", max(p.Batch.LockTimeout.Milliseconds(), 1), nil}, {"budget_rows", orNull(p.Budget.Rows), nil},
			{"budget_time", orNull(p.Budget.Time.String()), nil}, {"breaker_rows", orNull(p.Breaker.Rows), nil},
			{"breaker_fraction", orNull(p.Breaker.Fraction), nil}, {"busy", orNull(p.Throttle.Busy), nil},
			{"waits", waits(p.Throttle), nil},
		}
	}
	list, byDefault := values(p), values(policy.Default())
	for i := range list {
		list[i].Default = byDefault[i].Value
	}
	return list
}

// waits are what a run waits for, in milliseconds, files and bytes a second; nil for nothing.
func waits(t policy.Throttle) any {
	list := map[string]int64{"replica_lag": t.ReplicaLag.Milliseconds(), "pending_archival": t.PendingArchival, "wal_rate": int64(t.WALRate)}
	maps.DeleteFunc(list, func(_ string, value int64) bool { return value == 0 })
	if len(list) == 0 {
		return nil
	}
	return list
}

// orNull is nil for nothing.
func orNull[T comparable](value T) any {
	if zero := *new(T); value == zero || any(value) == any("0s") {
		return nil
	}
	return value
}

// following is what retention._put_policy finds out from the steps.
type following struct{ deletes, related, changes, writes []string }

func (c *compiler) follow(steps []stepEntry) following {
	f := following{[]string{}, []string{}, []string{}, []string{}}
	for _, s := range steps {
		changes := s.Verb == "delete" || s.Verb == "update"
		switch {
		case s.Verb == "delete":
			f.deletes, f.writes = append(f.deletes, s.Table), append(f.writes, "DELETE "+s.Table)
		case s.Verb == "update":
			f.writes = append(f.writes, "UPDATE "+s.Table)
		case (s.Verb == "insert" || s.Verb == "archive") && s.Table != c.schema()+".event":
			if f.writes = append(f.writes, "INSERT "+s.Table); s.Set != nil {
				f.writes = append(f.writes, "UPDATE "+s.Table)
			}
		}
		if changes {
			f.changes = append(f.changes, s.Table)
		}
		if changes && s.Related != "" {
			f.related = append(f.related, s.Table)
		}
	}
	f.related, f.changes, f.writes = ordered(f.related), ordered(f.changes), ordered(f.writes)
	return f
}

// ordered is a list of names, each once.
func ordered(names []string) []string {
	return append([]string{}, slices.Compact(slices.Sorted(slices.Values(names)))...)
}

// page has the columns that a page must say. It begins below the call's words, whose width first is.
func (r row) page(first int) sqlText {
	var lines, line []string
	for _, f := range r {
		value := encode(f.Value)
		if value == encode(f.Default) {
			continue
		}
		if (strings.ContainsAny(value[:1], "[{") || f.Name == "joined") && len(line) > 0 {
			lines, line = append(lines, strings.Join(line, ", ")), nil
		}
		line = append(line, encode(f.Name)+": "+spaced(value))
	}
	text := "{" + strings.Join(append(lines, strings.Join(line, ", ")), ",\n") + "}"
	quote := dollarQuote([]byte(text), "row")
	return sqlText(quote + " " + filled(text, first+len(quote)+1) + quote) // "${" is what Flyway replaces
}

// encode is value as JSON: of strings, numbers and lists of them, which never fails.
func encode(value any) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// spaced has a blank after each comma and colon outside of strings.
func spaced(encoded string) string {
	var b strings.Builder
	for i, c := range encoded {
		b.WriteRune(c)
		if (c == ',' || c == ':') && !inString(encoded[:i]) {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// inString says whether a string of JSON is open where text ends.
func inString(text string) bool {
	open := false
	for i := 0; i < len(text); i++ {
		switch {
		case open && text[i] == '\\':
			i++
		case text[i] == '"':
			open = !open
		}
	}
	return open
}

// filled breaks lines of JSON that are too wide after a comma, before an object where there is one. Before the first line
// stand so many characters.
func filled(text string, first int) string {
	var lines []string
	text = strings.Repeat("x", first) + text
	for line := range strings.SplitSeq(text, "\n") {
		if len(lines) > 0 {
			line = "    " + line
		}
		for cut := commaOf(line); cut > 0; cut = commaOf(line) {
			lines, line = append(lines, line[:cut]), "        "+line[cut+1:]
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")[first:]
}

// commaOf is the end of the last comma for which a line that is too wide has room, of the first one where there is no
// such, 0 for none.
func commaOf(line string) int {
	if utf8.RuneCountInString(line) <= textWidth {
		return 0
	}
	last, object := 0, 0
	for i := 1; i < len(line)-1; i++ {
		if line[i-1:i+1] != ", " || inString(line[:i]) {
			continue
		}
		if utf8.RuneCountInString(line[:i]) > textWidth && last > 0 {
			break
		}
		if last = i; line[i+1] == '{' {
			object = i
		}
	}
	if object > 0 {
		return object
	}
	return last
}

// settableWindow is the window that may be set at run time, with its bounds; nil where there is none.
func (w *pageWriter) settableWindow() (own, atLeast, atMost any) {
	d := w.policy.SettableWindow()
	if d == nil {
		return nil, nil, nil
	}
	text := func(i *policy.Interval) any {
		if i == nil {
			return nil
		}
		return intervalText(*i)
	}
	return text(d.Else), text(d.AtLeast), text(d.AtMost)
}

func names(list []policy.Name) []string {
	return each(list, func(name policy.Name) string { return name.Text })
}

func tableNames(tables []policy.Table) []string {
	return each(tables, policy.Table.String)
}

func (c *compiler) install() Object {
	in := c.file.Install
	r := row{{"runtime_version", sqlfiles.Version, nil}, {"search_path", strings.Join(in.SearchPath, ", "), nil}, {"time_zone", in.TimeZone, nil},
		{"scheduler", in.Scheduler, nil}, {"protect", tableNames(c.file.Protect), []string{}}, {"trust", names(in.Trust), []string{}}, {"cron_database", nil, nil}}
	if in.CronElsewhere() { // NULL: jobs are scheduled in this database, or by nobody here
		r[6].Value = orNull(in.CronDatabase)
	}
	data := fields{"Schema": sqlText(in.Schema), "Row": r.page(len("SELECT " + in.Schema + "._put_install("))}
	return Object{Kind: KindInstall, Name: "install", As: AsOwner, SQL: object("install", data),
		Drop: object("install_drop", data), Position: in.Position, Words: explain.Install(c.file), Row: r.columns()}
}

// jobs are the registry rows and pg_cron jobs.
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

func (c *compiler) job(job *policy.Job) Object {
	words := explain.Job(job)
	schedules := each(job.Schedules, func(s policy.Schedule) string { return s.Text })
	policies := each(job.Run, policy.Name.String)
	every := ""
	if longest := calendar.Parse(schedules, time.UTC).Longest(); longest > 0 {
		every = explain.Duration(longest)
	}
	data := fields{"Schema": sqlText(c.schema()), "Name": literal(job.Name), "Strict": job.Strict,
		"Schedules": textArray(schedules), "Every": literal(every), "Policies": textArray(policies), "Words": wordsText(words),
		"Scope": each(job.Scope, func(a policy.Assignment) item { return item{literal(a.Column), sqlText(oneLine(a.Value.SQL))} })}
	r := row{{"name", job.Name, nil}, {"words", pageText(words), nil}, {"strict", job.Strict, nil}, {"scope", scopeOf(job), nil},
		{"schedules", schedules, nil}, {"every", orNull(every), nil}, {"policies", policies, nil}}
	return Object{Kind: KindJob, Name: job.Name, As: AsOwner, SQL: object("job", data), Drop: object("job_drop", data), Position: job.Position,
		Words: words, Row: r.columns()}
}

// scopeOf is what a job narrows its policies to: literals, by columns; nil for nothing.
func scopeOf(job *policy.Job) any {
	var scope map[string]any
	for _, a := range job.Scope {
		if c, err := pgparse.ParseCondition(a.Value.SQL); err == nil && len(c.Values) == 1 {
			if scope == nil {
				scope = map[string]any{}
			}
			text := c.Values[0].Text
			if scope[a.Column] = text; c.Values[0].Kind != pgparse.TextConstant && json.Valid([]byte(text)) {
				scope[a.Column] = json.RawMessage(text)
			}
		}
	}
	if scope == nil {
		return nil
	}
	return scope
}

// CronJob is what a KindCron object schedules, and in which database the command runs: "" is the
// one that the job is scheduled in.
type CronJob struct{ Name, Schedule, Command, Database string }

// SplitCron takes apart what goes into the database of the tables and what into the one where
// schema cron lives; the second is empty where that is the same.
func SplitCron(objects []Object, install policy.Install) (here, elsewhere []Object) {
	if !install.CronElsewhere() {
		return objects, nil
	}
	for _, o := range objects {
		if o.Kind == KindCron {
			elsewhere = append(elsewhere, o)
		} else {
			here = append(here, o)
		}
	}
	return here, elsewhere
}

// cronJobs are the schedules of a job, which call it in the application's database by one statement and nothing else.
func (c *compiler) cronJobs(job *policy.Job) []Object {
	in := c.file.Install
	command := strings.TrimSpace(object("cron_command", fields{"Schema": sqlText(in.Schema), "Job": literal(job.Name)}))
	var objects []Object
	for i, schedule := range job.Schedules {
		cron := CronJob{Name: in.CronJobName(job.Name, i), Schedule: schedule.Text, Command: command}
		if cron.Schedule == "@yearly" || cron.Schedule == "@annually" {
			cron.Schedule = "0 0 1 1 *" // pg_cron from 1.5 on takes these words and never runs: its set of months stays empty
		}
		if in.Database != policy.AnyDatabase {
			cron.Schedule = calendar.Spread(cron.Schedule, in.CronJobName(job.Name, 0))
		}
		template := "cron"
		if in.CronElsewhere() {
			template, cron.Database = "cron_elsewhere", in.Database
		}
		o := cronObject(template, cron)
		o.Position = schedule.Position
		objects = append(objects, o)
	}
	return objects
}

// What keeps cron.job_run_details short where it is in another database than the run log: once a night, at a minute that
// few others use. It keeps rows as long as the runtime does by default where it purges them itself.
const (
	purgeJob      = "cron_log#purge"
	purgeSchedule = "53 3 * * *"
	purgeWindow   = "14 days"
)

// cronPurge runs in the database that it is scheduled in.
func (c *compiler) cronPurge() Object {
	in := c.file.Install
	name := in.CronJobName(purgeJob, 0)
	command := object("cron_purge", fields{"JobName": literal(name), "Database": literal(in.Database), "Window": literal(purgeWindow)})
	return cronObject("cron", CronJob{Name: name, Schedule: purgeSchedule, Command: oneLine(strings.TrimSpace(command))})
}

// ofDatabase is a text as SQL. Where it names the database of an install that names none, that is the setting
// pgretain.database of the session, which migrations are applied with.
func ofDatabase(text string, inner bool) any {
	if !strings.Contains(text, policy.AnyDatabase) {
		return literal(text)
	}
	return sqlText(strings.TrimSpace(object("cron_text", fields{"Whole": text == policy.AnyDatabase, "Text": literal(text), "Any": literal(policy.AnyDatabase), "Inner": inner})))
}

// spread is a schedule as SQL, with the minute that the job's name has in each database, see calendar.Spread.
func spread(job CronJob) any {
	minutes, rest, ok := calendar.SpreadOver(job.Schedule)
	if !ok {
		return literal(job.Schedule)
	}
	name, _, _ := strings.Cut(job.Name, "#")
	return sqlText(strings.TrimSpace(object("cron_spread", fields{"JobName": ofDatabase(name, false), "Minutes": minutes, "Rest": literal(rest)})))
}

// JobsIn are objects with the jobs as they are scheduled for a database, see policy.AnyDatabase.
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

func cronObject(template string, job CronJob) Object {
	// Names in a command are literals inside of it.
	data := fields{"JobName": ofDatabase(job.Name, false), "Schedule": spread(job), "Command": ofDatabase(job.Command, true),
		"Database": ofDatabase(job.Database, false)}
	return Object{Kind: KindCron, Name: job.Name, As: AsRunner, SQL: object(template, data),
		Drop: object("cron_drop", data), Cron: &job}
}
