package generator

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

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

// fields are all columns of a policy's row but the hash.
func (w *work) fields(passes []passEntry, facts rowFacts, steps []stepEntry, expects map[string]*expectation) row {
	p := w.policy
	own, atLeast, atMost := w.settableWindow()
	list := row{
		{"name", p.Name, nil}, {"table_name", tableName(w.table), ""}, {"description", p.Description, ""},
		{"report", false, false}, {"partitions", p.Partitions, false}, {"prepares", w.prepares(), false}, {"scope", names(p.Scope), []string{}},
		{"window_own", own, nil}, {"window_at_least", atLeast, nil}, {"window_at_most", atMost, nil},
	}
	list = append(list, w.bounds()...)
	plain := []stepEntry{{Step: 1, Verb: "delete", Table: tableName(w.table)}}
	followed := follow(steps)
	return append(list, row{
		{"owns", tablesOf(w.storedTables()), []string{}}, {"grants", w.callersByWord(), map[string][]string{}},
		{"passes", passes, []passEntry{}}, {"facts", facts, rowFacts{}}, {"steps", steps, plain},
		{"deletes", w.deletedTables(), followed.deletes}, {"related", w.relatedTables(), followed.related},
		{"changes", w.changedTables(), followed.changes}, {"writes", p.Writes(), followed.writes},
		{"unguarded", w.unguarded(), []string{}}, {"statement_deletes", w.statementDeletes(), []string{}},
		{"reach", w.reach(), []string{}}, {"sets", w.setColumns(), []setEntry{}}, {"restores", w.restores(), []restoreSource(nil)},
		{"expects", expects, nil}, {"schemas", append([]string{}, w.schemas...), []string{}},
	}...)
}

// reportFields are all columns of a report's row: most have their defaults.
func (w *work) reportFields(r *policy.Report, hash string) row {
	list := append(row{
		{"name", r.Name, nil}, {"hash", hash, nil}, {"description", r.Description, ""}, {"report", true, false},
		{"table_name", "", ""}, {"partitions", false, false}, {"prepares", false, false},
		{"expects", w.expected, map[string]*expectation{}}, {"schemas", append([]string{}, w.schemas...), []string{}},
	}, bounds(policy.Default())...)
	for value, columns := range map[string][]string{
		"[]": {"owns", "passes", "scope", "steps", "deletes", "related", "changes", "writes", "unguarded", "statement_deletes", "reach", "sets"},
		"{}": {"grants", "facts"}, "null": {"window_own", "window_at_least", "window_at_most", "restores"},
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
		}
	}
	list, byDefault := values(p), values(policy.Default())
	for i := range list {
		list[i].Default = byDefault[i].Value
	}
	return list
}

// bounds of a policy where tables go: a batch looks at few rows, since each table stays locked until it commits, and
// one that cannot go is found soon. No share of a table's rows says anything about its partitions.
func (w *work) bounds() row {
	list := bounds(w.policy)
	if w.policy.Partitions || w.dropsTables() {
		list[0].Value, list[1].Value = min(w.policy.Batch.Rows, 10), nil
	}
	if w.policy.Partitions {
		list[6].Value = nil
	}
	return list
}

// following is what retention._register finds out from the steps.
type following struct{ deletes, related, changes, writes []string }

func follow(steps []stepEntry) following {
	f := following{[]string{}, []string{}, []string{}, []string{}}
	for _, s := range steps {
		if s.Related != "" {
			f.related = append(f.related, s.Table)
		}
		switch s.Verb {
		case "delete":
			f.deletes, f.changes = append(f.deletes, s.Table), append(f.changes, s.Table)
			f.writes = append(f.writes, "DELETE "+s.Table)
		case "update":
			f.changes, f.writes = append(f.changes, s.Table), append(f.writes, "UPDATE "+s.Table)
		case "insert", "archive":
			f.writes = append(f.writes, "INSERT "+s.Table)
		}
	}
	slices.Sort(f.writes)
	return f
}

// all has every column; page only those that a page must say.
func (r row) all() map[string]string {
	columns := map[string]string{}
	for _, f := range r {
		columns[f.Name] = encode(f.Value)
	}
	return columns
}

// page begins below the call's words, whose width first is.
func (r row) page(first int) sqlText {
	var lines, line []string
	for _, f := range r {
		value := encode(f.Value)
		if value == encode(f.Default) {
			continue
		}
		text := encode(f.Name) + ": " + spaced(value)
		if strings.ContainsAny(value[:1], "[{") && len(line) > 0 {
			lines, line = append(lines, strings.Join(line, ", ")), nil
		}
		line = append(line, text)
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

// orNull is nil for nothing.
func orNull[T comparable](value T) any {
	if zero := *new(T); value == zero || any(value) == any("0s") {
		return nil
	}
	return value
}

func textOrNull(text string) sqlText {
	if text == "" {
		return "NULL"
	}
	return sqlText(literal(text).String())
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
		Protect, Trust, CronDatabase         sqlText
	}{in.Schema, sqlfiles.Version, literal(sqlfiles.Version), literal(strings.Join(in.SearchPath, ", ")),
		literal(in.TimeZone), literal(in.Scheduler), textArray(protect), textArray(names(in.Trust)), c.cronDatabase()}
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
