package policy

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

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
