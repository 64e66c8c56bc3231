package generator

import (
	"strconv"
	"strings"
	"time"

	"pgretain/policy"
	sqlfiles "pgretain/sql"
)

// rowData is a row of the registry's policy table.
type rowData struct {
	Schema                                               string
	Name, Description, TableName, Hash, Definition       literal
	Owns                                                 sqlText
	Grants                                               literal
	Partitions                                           bool
	Passes                                               literal
	Prepares                                             bool
	Scope                                                sqlText
	WindowOwn, WindowAtLeast, WindowAtMost               sqlText
	Restores                                             []literal
	Deletes, Unguarded, Related, Changes                 sqlText
	StatementDeletes, Reach, Writes                      sqlText
	Sets                                                 literal
	Facts, Steps                                         sqlText
	BatchRows, LockTimeout                               int
	BatchTime                                            sqlText // milliseconds
	BudgetRows, BudgetTime, BreakerRows, BreakerFraction sqlText
	Busy                                                 sqlText
}

// rowField is a column of the registry's table with the value that a migration writes.
type rowField struct {
	Name           string
	Value, Default sqlText
}

// fields are all columns that migrations write. A page leaves out those that have their default.
func (d rowData) fields() []rowField {
	text := func(name string, value literal) rowField { return rowField{name, sqlText(value.String()), "''"} }
	list := func(name string, value sqlText) rowField { return rowField{name, value, textArray(nil)} }
	flag := func(name string, value bool) rowField {
		return rowField{name, sqlText(strconv.FormatBool(value)), "false"}
	}
	null := func(name string, value sqlText) rowField { return rowField{name, value, "NULL"} }
	number := func(name string, value int) rowField { return rowField{name, sqlText(strconv.Itoa(value)), ""} }
	return []rowField{
		text("name", d.Name), text("table_name", d.TableName), text("hash", d.Hash), text("description", d.Description), text("definition", d.Definition),
		list("owns", d.Owns), {"grants", sqlText(d.Grants.String()), "'{}'"}, text("passes", d.Passes), flag("partitions", d.Partitions),
		flag("prepares", d.Prepares), list("scope", d.Scope), null("window_own", d.WindowOwn), null("window_at_least", d.WindowAtLeast),
		null("window_at_most", d.WindowAtMost), null("restores", fragment("restores", d.Restores)), list("deletes", d.Deletes),
		list("unguarded", d.Unguarded), list("related", d.Related), list("changes", d.Changes), list("statement_deletes", d.StatementDeletes),
		list("reach", d.Reach), list("writes", d.Writes), {"sets", sqlText(d.Sets.String()), "'[]'"}, {"facts", d.Facts, "jsonb_build_object()"},
		{"steps", d.Steps, "jsonb_build_array()"}, number("batch_rows", d.BatchRows), null("batch_time_ms", d.BatchTime),
		number("lock_timeout_ms", d.LockTimeout), null("budget_rows", d.BudgetRows), null("budget_time", d.BudgetTime),
		null("breaker_rows", d.BreakerRows), null("breaker_fraction", d.BreakerFraction), {"busy", d.Busy, "1"},
	}
}

// Columns are those of fields that have not their default, Values what they get: as many on a line as there is room for.
func (d rowData) Columns() sqlText { return d.laidOut(func(f rowField) string { return f.Name }) }
func (d rowData) Values() sqlText {
	return d.laidOut(func(f rowField) string { return string(f.Value) })
}

func (d rowData) laidOut(part func(rowField) string) sqlText {
	var b strings.Builder
	width := 0
	for _, f := range d.fields() {
		if f.Value == f.Default {
			continue
		}
		text := part(f)
		switch long := width+len(text) > textWidth-8; {
		case b.Len() == 0:
		case long:
			b.WriteString(",\n     ")
			width = 0
		default:
			b.WriteString(", ")
		}
		b.WriteString(text)
		width += len(text) + 2
	}
	return sqlText(b.String())
}

// PolicyDefaults are the values of columns of the registry that a policy's page may leave out, as SQL.
func PolicyDefaults() map[string]string {
	defaults := map[string]string{}
	for _, f := range (rowData{}).fields() {
		if f.Default != "" {
			defaults[f.Name] = string(f.Default)
		}
	}
	return defaults
}

func orNull(n int64) sqlText {
	if n == 0 {
		return "NULL"
	}
	return sqlText(strconv.FormatInt(n, 10))
}

func textOrNull(text string) sqlText {
	if text == "" {
		return "NULL"
	}
	return sqlText(literal(text).String())
}

func durationOrNull(d time.Duration) sqlText {
	if d == 0 {
		return "NULL"
	}
	return sqlText(literal(d.String()).String())
}

func fractionOrNull(f float64) sqlText {
	if f == 0 {
		return "NULL"
	}
	return sqlText(strconv.FormatFloat(f, 'g', -1, 64))
}

// cronDatabase is NULL where jobs are scheduled in this database, or by nobody here.
func (c *compiler) cronDatabase() sqlText {
	if !c.file.Install.CronElsewhere() {
		return "NULL"
	}
	return textOrNull(c.file.Install.CronDatabase)
}

func (c *compiler) install() Object {
	in := c.file.Install
	protect := make([]string, len(c.file.Protect))
	for i, t := range c.file.Protect {
		protect[i] = t.String()
	}
	data := struct {
		Schema, VersionNumber                string
		Version, SearchPath, Zone, Scheduler literal
		Protect, CronDatabase                sqlText
	}{in.Schema, sqlfiles.Version, literal(sqlfiles.Version), literal(strings.Join(in.SearchPath, ", ")),
		literal(in.TimeZone), literal(in.Scheduler), textArray(protect), c.cronDatabase()}
	return Object{Kind: KindInstall, Name: "install", As: AsOwner, SQL: object("install", data),
		Drop: object("install_drop", data), Position: in.Position}
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
	var schedules, policies []string
	for _, s := range job.Schedules {
		schedules = append(schedules, s.Text)
	}
	for _, r := range job.Run {
		policies = append(policies, r.Name)
	}
	data := struct {
		Schema              string
		Name, Description   literal
		Schedules, Policies sqlText
		Strict              bool
		Scope               []scopeValue
	}{c.file.Install.Schema, literal(job.Name), literal(job.Description), textArray(schedules), textArray(policies),
		job.Strict, c.jobScope(job)}
	return Object{Kind: KindJob, Name: job.Name, As: AsOwner, SQL: object("job", data), Drop: object("job_drop", data), Position: job.Position}
}

// scopeValue narrows the policies of a job by one column.
type scopeValue struct {
	Column literal
	Value  sqlText
}

// jobScope are the literals of a job's scope, each parsed when the file was read.
func (c *compiler) jobScope(job *policy.Job) []scopeValue {
	var values []scopeValue
	for _, a := range job.Scope {
		values = append(values, scopeValue{literal(a.Column), sqlText(oneLine(a.Value.SQL))})
	}
	return values
}
