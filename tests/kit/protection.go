package kit

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgretain/internal/quote"
	"pgretain/tests/pgtest"
)

//go:embed protection.sql
var protectionSQL string

// Protection lists what a database allowed and protected at one moment: privileges, owners,
// memberships, attributes of roles; holds, pauses, row security, triggers, constraints, jobs, and
// all objects with the numbers of their rows.
type Protection struct {
	may  map[string]bool
	has  map[string]bool
	rows map[string]int64
}

// ProtectionOf reads the protection of a database as a superuser. The argument schema is the
// runtime's schema, which need not exist.
func ProtectionOf(t testing.TB, q pgtest.Querier, schema string) Protection {
	t.Helper()
	p := Protection{may: map[string]bool{}, has: map[string]bool{}, rows: map[string]int64{}}
	lines := pgtest.Column[string](t, q, protectionSQL)
	own := quote.Ident(schema)
	for _, more := range []struct{ relation, sql string }{
		{own + ".hold", `SELECT format('has: hold %s until %s: %s', match, until, reason) FROM ` + own + `.hold
			WHERE released_at IS NULL AND (until IS NULL OR until > now())`},
		{own + ".setting", `SELECT format('%s: policy %s is %s %s', CASE name WHEN 'accepted' THEN 'may' ELSE 'has' END,
			policy, name, value) FROM ` + own + ".setting"},
		{"cron.job", "SELECT format('has: job %s of %s', jobname, username) FROM cron.job WHERE active"},
	} {
		if pgtest.Value[bool](t, q, "SELECT to_regclass($1) IS NOT NULL", more.relation) {
			lines = append(lines, pgtest.Column[string](t, q, more.sql)...)
		}
	}
	for _, line := range lines {
		if strings.HasPrefix(line, "may: ") {
			p.may[line] = true
		} else {
			p.has[line] = true
		}
	}
	count := pgtest.Value[string](t, q, `
		SELECT coalesce(string_agg(format('SELECT %L || count(*) FROM ONLY %s', oid::regclass || ' ', oid::regclass),
			' UNION ALL '), 'SELECT NULL WHERE false')
		FROM pg_class WHERE relkind = 'r' AND relnamespace::regnamespace::text !~ '^(pg_|information_schema$|cron$)'
			AND oid IS DISTINCT FROM to_regclass($1)`, own+".setting") // its rows are lines above
	for _, line := range pgtest.Column[string](t, q, count) {
		at := strings.LastIndexByte(line, ' ')
		var n int64
		if _, err := fmt.Sscan(line[at:], &n); err != nil {
			t.Fatalf("reading the number of rows in %q: %v", line, err)
		}
		p.rows[line[:at]] = n
	}
	return p
}

// Weaker returns how the protection is weaker than it was at the moment "before": rights that are
// new, and protections, objects and rows that are gone. Rights that the database gave at one of the
// moments "also" are not new. The result is sorted, and empty if nothing is weaker.
func (p Protection) Weaker(before Protection, also ...Protection) []string {
	var weaker []string
	for line := range p.may {
		if !before.may[line] && !slices.ContainsFunc(also, func(o Protection) bool { return o.may[line] }) {
			weaker = append(weaker, "wider "+line)
		}
	}
	for line := range before.has {
		if !p.has[line] {
			weaker = append(weaker, "lost "+line)
		}
	}
	for table, n := range before.rows {
		if now, there := p.rows[table]; there && now < n {
			weaker = append(weaker, fmt.Sprintf("lost rows: %s has %d of %d", table, now, n))
		}
	}
	slices.Sort(weaker)
	return weaker
}

// Unexpected returns the lines that no pattern matches, and the patterns that match no line.
// Patterns are regular expressions for whole lines.
func Unexpected(lines []string, patterns ...string) (unexpected, idle []string) {
	used := map[string]bool{}
	for _, line := range lines {
		known := false
		for _, pattern := range patterns {
			if regexp.MustCompile("^(?:" + pattern + ")$").MatchString(line) {
				known, used[pattern] = true, true
			}
		}
		if !known {
			unexpected = append(unexpected, line)
		}
	}
	for _, pattern := range patterns {
		if !used[pattern] {
			idle = append(idle, pattern)
		}
	}
	return unexpected, idle
}
