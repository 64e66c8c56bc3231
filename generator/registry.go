package generator

import (
	"fmt"
	"slices"
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
	Partitions                                           bool
	Passes                                               literal
	Prepares                                             bool
	Scope                                                sqlText
	WindowOwn, WindowAtLeast, WindowAtMost               sqlText
	Restores                                             []literal
	Deletes, Unguarded, Related, Changes                 sqlText
	StatementDeletes, Reach, Writes                      sqlText
	Sets                                                 literal
	Facts                                                sqlText
	BatchRows, LockTimeout                               int
	BatchTime                                            sqlText // milliseconds
	BudgetRows, BudgetTime, BreakerRows, BreakerFraction sqlText
	Busy                                                 sqlText
	BuiltIn                                              bool
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

// LogPolicy is the name of the built-in policy and of its job: it keeps the run log and
// cron.job_run_details short.
const LogPolicy = "retention_log"

// LogSchedule is when the built-in job runs: once a night, at a minute that few others use.
const LogSchedule = "23 3 * * *"

// logPolicy is the registry row of the built-in policy, whose functions are part of the runtime.
func (c *compiler) logPolicy() Object {
	d := rowData{
		Schema: c.file.Install.Schema, Name: LogPolicy, TableName: literal(c.file.Install.Schema + ".run"),
		Description: "built in: keeps the run log and cron.job_run_details short",
		Definition:  "runs that ended longer ago than install.log_window, the newest of each policy excepted",
		Passes:      `[{"locked":"retention_log_batch"}]`, Reach: textArray(nil), Scope: textArray(nil),
		WindowOwn: "NULL", WindowAtLeast: "NULL", WindowAtMost: "NULL",
		Related:          textArray([]string{c.file.Install.Schema + ".batch"}),
		Unguarded:        textArray(nil),
		Deletes:          textArray([]string{c.file.Install.Schema + ".run", c.file.Install.Schema + ".batch"}),
		StatementDeletes: textArray(nil), Writes: textArray(nil), Sets: "[]", Facts: rowFacts{Clock: "t.ended_at"}.sql(), Owns: textArray(nil),
		Changes:   textArray([]string{c.file.Install.Schema + ".run", c.file.Install.Schema + ".batch"}),
		BatchRows: 1000, BatchTime: "NULL", LockTimeout: 100, BudgetRows: "NULL", BudgetTime: "'1m'", BreakerRows: "NULL",
		BreakerFraction: "NULL", Busy: "1", BuiltIn: true,
	}
	d.Hash = literal(Hash(sqlfiles.Version, fmt.Sprintf("%+v", d)))
	o := policyObject(d, nil)
	o.Name = LogPolicy
	return o
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

// jobs are the registry rows and pg_cron jobs, the built-in one included.
func (c *compiler) jobs() []Object {
	all := append(slices.Clone(c.file.Jobs), &policy.Job{
		Name: LogPolicy, Description: "built in", Schedules: []policy.Schedule{{Text: LogSchedule}},
		Run: []policy.Reference{{Name: LogPolicy}},
	})
	var objects []Object
	for i, job := range all {
		if job.Name == LogPolicy && i < len(c.file.Jobs) {
			c.refuse(job.Position, codeReservedName, fmt.Sprintf("job %q is built in", job.Name), "Choose another name.")
		}
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
