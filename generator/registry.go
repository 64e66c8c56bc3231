package generator

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/policy"
	sqlfiles "pgretain/sql"
)

// rowData is a row of the registry's policy table.
type rowData struct {
	Schema                                               string
	Name, Description, TableName, Hash, Definition       literal
	Passes                                               literal
	Related, Reach                                       sqlText
	BatchRows, LockTimeout                               int
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

// logSchedule is when the built-in job runs: once a night, at a minute that few others use.
const logSchedule = "23 3 * * *"

// logPolicy is the registry row of the built-in policy, whose functions are part of the runtime.
func (c *compiler) logPolicy() Object {
	d := rowData{
		Schema: c.file.Install.Schema, Name: LogPolicy, TableName: literal(c.file.Install.Schema + ".run"),
		Description: "built in: keeps the run log and cron.job_run_details short",
		Definition:  "runs that ended longer ago than install.log_window, the newest of each policy excepted",
		Passes:      `[{"locked":"retention_log_batch"}]`, Reach: textArray(nil),
		Related:   textArray([]string{c.file.Install.Schema + ".batch"}),
		BatchRows: 1000, LockTimeout: 100, BudgetRows: "NULL", BudgetTime: "'1m'", BreakerRows: "NULL",
		BreakerFraction: "NULL", Busy: "1", BuiltIn: true,
	}
	d.Hash = literal(Hash(sqlfiles.Version, fmt.Sprintf("%+v", d)))
	o := policyObject(d, nil)
	o.Name = LogPolicy
	return o
}

func (c *compiler) install() Object {
	in := c.file.Install
	protect := make([]string, len(c.file.Protect))
	for i, t := range c.file.Protect {
		protect[i] = t.String()
	}
	data := struct {
		Schema                               string
		Version, SearchPath, Zone, Scheduler literal
		Protect                              sqlText
	}{in.Schema, literal(sqlfiles.Version), literal(strings.Join(in.SearchPath, ", ")), literal(in.TimeZone),
		literal(in.Scheduler), textArray(protect)}
	return Object{Kind: KindInstall, Name: "install", As: AsOwner, SQL: object("install", data),
		Drop: object("install_drop", data), Position: in.Position}
}

// jobs are the registry rows and pg_cron jobs, the built-in one included.
func (c *compiler) jobs() []Object {
	all := append(slices.Clone(c.file.Jobs), &policy.Job{
		Name: LogPolicy, Description: "built in", Schedules: []policy.Schedule{{Text: logSchedule}},
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
	}{c.file.Install.Schema, literal(job.Name), literal(job.Description), textArray(schedules), textArray(policies)}
	return Object{Kind: KindJob, Name: job.Name, As: AsOwner, SQL: object("job", data), Drop: object("job_drop", data), Position: job.Position}
}

// CronCommand is what pg_cron executes for a job: one statement and nothing else.
func CronCommand(install policy.Install, job string) string {
	return strings.TrimSpace(object("cron_command", struct {
		Schema string
		Job    literal
	}{install.Schema, literal(job)}))
}

// CronName is the jobname of a job's schedule, counted from 0.
func CronName(install policy.Install, job string, schedule int) string {
	name := install.Schema + "." + job
	if schedule > 0 {
		name += "#" + strconv.Itoa(schedule+1)
	}
	return name
}

func (c *compiler) cronJobs(job *policy.Job) []Object {
	var objects []Object
	for i, schedule := range job.Schedules {
		name := CronName(c.file.Install, job.Name, i)
		data := struct{ JobName, Schedule, Command literal }{
			literal(name), literal(schedule.Text), literal(CronCommand(c.file.Install, job.Name)),
		}
		objects = append(objects, Object{Kind: KindCron, Name: name, As: AsRunner, SQL: object("cron", data),
			Drop: object("cron_drop", data), Position: schedule.Position})
	}
	return objects
}

// right is what the owner of the functions may do with a table.
type right struct {
	table    policy.Table
	deletes  bool
	policy   string
	position diag.Position
}

// collectRights notes which tables a policy deletes from and which it reads.
func (w *work) collectRights() {
	w.addRight(w.policy.Table, true)
	for _, step := range w.policy.Then {
		if step.Delete != nil && step.Delete.Related != nil {
			w.addRight(step.Delete.Related.Table, true)
		}
		if step.Delete != nil {
			for _, t := range step.Delete.Cascades {
				w.addRight(t, false)
			}
		}
	}
	for _, j := range w.policy.Joins {
		if j.Table != nil {
			w.addRight(*j.Table, false)
		}
	}
	for _, e := range w.expressions() {
		parsed, err := pgparse.Expression(e.SQL)
		if err != nil {
			parsed, err = pgparse.Query(e.SQL)
		}
		if err != nil {
			continue // reported where it is compiled
		}
		for _, ref := range parsed.Tables {
			w.addRead(e, ref)
		}
	}
}

// addRead notes a table that an expression names. A bare name is looked up along the search path;
// one that is nowhere may be a WITH query, so that only a qualified one is refused.
func (w *work) addRead(e policy.Expr, ref pgparse.TableRef) {
	path := []string{ref.Schema}
	if ref.Schema == "" {
		path = w.file.Install.SearchPath
	}
	for _, schema := range path {
		if w.snapshot.Table(schema+"."+ref.Name) != nil {
			w.addRight(policy.Table{Schema: schema, Name: ref.Name, Position: e.At(ref.Offset)}, false)
			return
		}
	}
	if ref.Schema != "" && ref.Schema != "pg_catalog" && ref.Schema != w.schema() {
		w.refuse(e.At(ref.Offset), codeNoTable, fmt.Sprintf("table %q is not in the catalog snapshot", ref.Schema+"."+ref.Name),
			orHint(didYouMean(ref.Schema+"."+ref.Name, tableNames(w.snapshot)), `Run "pgretain snapshot" after the table was created.`))
	}
}

func (w *work) addRight(t policy.Table, deletes bool) {
	for i := range w.rights {
		if w.rights[i].table.String() == t.String() {
			w.rights[i].deletes = w.rights[i].deletes || deletes
			return
		}
	}
	w.rights = append(w.rights, right{t, deletes, w.policy.Name, w.policy.Position})
}

// expressions are all SQL expressions and queries of the policy.
func (w *work) expressions() []policy.Expr {
	p := w.policy
	var list []policy.Expr
	add := func(e *policy.Expr) {
		if e != nil {
			list = append(list, *e)
		}
	}
	rank := func(r *policy.Rank) {
		if r == nil {
			return
		}
		list = append(list, r.Per...)
		for _, o := range r.Order {
			list = append(list, o.Expr)
		}
		add(r.Among)
	}
	add(p.Where)
	for _, j := range p.Joins {
		add(j.Query)
		add(j.Where)
	}
	if p.Due != nil {
		for _, entry := range p.Due.Entries {
			rank(entry.Beyond)
			if entry.Clock != nil {
				add(entry.Clock.Expression)
				for _, t := range entry.Clock.Window.Tiers {
					add(t.When)
				}
			}
		}
	}
	for _, g := range p.Keep {
		add(g.Condition)
		rank(g.Rank)
	}
	for _, step := range p.Then {
		if step.Delete != nil {
			add(step.Delete.Where)
			if step.Delete.Related != nil {
				add(&step.Delete.Related.Where)
			}
		}
	}
	return list
}

// privileges are the grants to the owner, one object a table; none where one role does everything.
func (c *compiler) privileges() []Object {
	if c.file.Install.Roles.None {
		return nil
	}
	slices.SortFunc(c.rights, func(a, b right) int { return strings.Compare(a.table.String(), b.table.String()) })
	var objects []Object
	for _, r := range c.rights {
		table := c.snapshot.Table(r.table.String())
		if table == nil {
			continue
		}
		objects = append(objects, c.privilege(r, table))
	}
	return objects
}

func (c *compiler) privilege(r right, table *catalog.Table) Object {
	data := struct {
		Comment     string
		Deletes     bool
		TableSchema ident
		Table       sqlText
		Owner       sqlText
	}{comment(tableName(table)), r.deletes, ident(table.Schema), qualified(table), sqlText(quote.Ident(c.file.Install.Roles.Owner))}
	return Object{Kind: KindPrivilege, Name: tableName(table), As: AsMigrator,
		SQL: object("privilege", data), Drop: object("privilege_drop", data),
		Policy: r.policy, Table: tableName(table), Position: r.position}
}
