package policy

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

var jobShape = shape{keys: []string{"schedule", "run", "strict", "scope", "description"}}

func (r *reader) jobs(f field) []*Job {
	if f.value == nil {
		return nil
	}
	m, _ := r.mapping(f, `"jobs"`, shape{})
	var jobs []*Job
	for _, name := range m.order {
		if j := r.job(m.fields[name], name); j != nil {
			jobs = append(jobs, j)
		}
	}
	return jobs
}

func (r *reader) job(f field, name string) *Job {
	r.named(f, name, "job")
	m, ok := r.mapping(f, fmt.Sprintf("job %q", name), jobShape)
	if !ok {
		return nil
	}
	j := &Job{Name: name, Position: r.at(f.key), Description: r.description(m)}
	if schedule, ok := m.require("schedule"); ok {
		j.Schedules = r.schedules(schedule)
	}
	if run, ok := m.require("run"); ok {
		j.Run = r.runList(run, m.what)
	}
	j.Strict = r.boolean(m.fields["strict"])
	j.Scope = r.jobScope(m.fields["scope"])
	return j
}

func (r *reader) schedules(f field) []Schedule {
	items := []field{{key: f.key, value: f.value}}
	if resolve(f.value).Kind == yaml.SequenceNode {
		items = r.list(f)
		if len(items) == 0 {
			r.add(codeMissing, r.at(f.key), `"schedule" is empty`, "", `Write a schedule, for example "*/5 * * * *".`)
		}
	}
	var schedules []Schedule
	for _, item := range items {
		s, ok := r.schedule(item)
		if !ok {
			continue
		}
		if slices.ContainsFunc(schedules, func(o Schedule) bool { return o.Text == s.Text }) {
			r.add(codeRunTwice, s.Position, fmt.Sprintf("schedule %q is already listed", s.Text), "", "")
		}
		schedules = append(schedules, s)
	}
	return schedules
}

func (r *reader) runList(f field, what string) []Reference {
	items := r.list(f)
	if len(items) == 0 && resolve(f.value).Kind == yaml.SequenceNode {
		r.add(codeMissing, r.at(f.key), what+" runs no policy", "", "List the names of policies and reports, in order.")
	}
	var run []Reference
	for _, item := range items {
		if name, ok := r.text(item); ok {
			run = append(run, Reference{Name: name, Position: r.at(item.value)})
		}
	}
	return run
}

// cronField is one of the five fields of a schedule.
type cronField struct {
	name      string
	low, high int
	words     []string // names of low, low+1, ...
}

var cronFields = []cronField{
	{name: "minute", high: 59},
	{name: "hour", high: 23},
	{name: "day of the month", low: 1, high: 31},
	{name: "month", low: 1, high: 12, words: strings.Fields("jan feb mar apr may jun jul aug sep oct nov dec")},
	{name: "day of the week", high: 7, words: strings.Fields("sun mon tue wed thu fri sat")},
}

var (
	cronWords   = []string{"@reboot", "@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}
	cronSeconds = regexp.MustCompile(`^([1-9]|[1-5][0-9]) seconds?$`)
)

const scheduleHint = `Write five fields (minute, hour, day of the month, month, day of the week), a word such as @hourly or @reboot, or "30 seconds".`

// schedule reads what pg_cron takes: five fields in UTC or cron.timezone, a word, or 1 to 59
// seconds. It is stricter than general cron parsers, as pg_cron refuses at run time what it does
// not know. https://github.com/citusdata/pg_cron#what-is-pg_cron
func (r *reader) schedule(f field) (Schedule, bool) {
	text, ok := r.text(f)
	if !ok {
		return Schedule{}, false
	}
	s := Schedule{Text: strings.Join(strings.Fields(text), " "), Position: r.at(f.value)}
	if detail := cronFault(s.Text); detail != "" {
		r.add(codeSchedule, s.Position, fmt.Sprintf("invalid schedule %q", text), detail, scheduleHint)
		return s, false
	}
	return s, true
}

// cronFault says what is wrong, or "".
func cronFault(text string) string {
	if strings.HasPrefix(text, "@") {
		if slices.Contains(cronWords, text) {
			return ""
		}
		return "Words: " + strings.Join(cronWords, ", ") + "."
	}
	if cronSeconds.MatchString(text) {
		return ""
	}
	fields := strings.Fields(text)
	if len(fields) != len(cronFields) {
		return fmt.Sprintf("It has %d of 5 fields.", len(fields))
	}
	for i, field := range fields {
		if i == 2 && field == "$" { // pg_cron: the last day of the month
			continue
		}
		for _, item := range strings.Split(field, ",") {
			if !cronFields[i].valid(item) {
				return fmt.Sprintf("%q is not a valid %s (%d-%d).", item, cronFields[i].name, cronFields[i].low, cronFields[i].high)
			}
		}
	}
	return ""
}

// valid says whether item is *, a number, or a range; all but the number may have a step.
func (c cronField) valid(item string) bool {
	item, step, stepped := strings.Cut(item, "/")
	if n, err := strconv.Atoi(step); stepped && (err != nil || n < 1 || n > c.high) {
		return false
	}
	if item == "*" {
		return true
	}
	from, to, isRange := strings.Cut(item, "-")
	low, ok := c.value(from)
	if !isRange {
		return ok && !stepped
	}
	high, okToo := c.value(to)
	return ok && okToo && low <= high
}

func (c cronField) value(text string) (int, bool) {
	if i := slices.Index(c.words, strings.ToLower(text)); i >= 0 {
		return c.low + i, true
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= c.low && n <= c.high && !strings.ContainsAny(text, "+-")
}

var reportShape = shape{keys: []string{"query", "alert", "description"}}

func (r *reader) reports(f field) []*Report {
	if f.value == nil {
		return nil
	}
	m, _ := r.mapping(f, `"reports"`, shape{})
	var reports []*Report
	for _, name := range m.order {
		if report := r.report(m.fields[name], name); report != nil {
			reports = append(reports, report)
		}
	}
	return reports
}

func (r *reader) report(f field, name string) *Report {
	r.named(f, name, "report")
	m, ok := r.mapping(f, fmt.Sprintf("report %q", name), reportShape)
	if !ok {
		return nil
	}
	report := &Report{Name: name, Position: r.at(f.key), Description: r.description(m)}
	if query, ok := m.require("query"); ok {
		if e, _ := r.query(query, scope{}); e != nil {
			report.Query = *e
		}
	}
	if alert, ok := m.fields["alert"]; ok {
		report.Alert = r.expression(alert, scope{names: []string{"report"}})
	}
	return report
}
