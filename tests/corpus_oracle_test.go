package tests

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/quote"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// oracle is what a job's oracle.sql expects: for each table, a query for its rows after the runs.
// The test executes these queries before the first run. A table without a query must stay
// unchanged.
type oracle struct {
	asOf     string
	batches  []int    // batch sizes; the test runs once with each
	idle     []string // policies that take no row of this data
	gone     []string // tables that the runs drop
	sections []section
}

type section struct{ table, query string }

// expectation is the expected content of a table: the compared columns, and the rows as sorted
// text.
type expectation struct {
	table   string
	columns []string
	rows    []string
}

var (
	directive = regexp.MustCompile(`(?m)^-- (as_of|batches|idle|gone|table): (.+)$`)
	parameter = regexp.MustCompile(`:(as_of|round)\b`)
)

func readOracle(t *testing.T, text string) oracle {
	t.Helper()
	o := oracle{batches: []int{3, 1000}}
	marks := directive.FindAllStringSubmatchIndex(text, -1)
	for i, m := range marks {
		end := len(text)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		o.take(t, text[m[2]:m[3]], strings.TrimSpace(text[m[4]:m[5]]), text[m[1]:end])
	}
	if o.asOf == "" || len(o.sections) == 0 {
		t.Fatal("oracle.sql needs a line \"-- as_of: \" and a section \"-- table: \"")
	}
	return o
}

// take adds the content of one directive and of the query below it.
func (o *oracle) take(t *testing.T, name, value, below string) {
	t.Helper()
	switch name {
	case "as_of":
		o.asOf = value
	case "batches":
		o.batches = numbers(t, value)
	case "idle":
		o.idle = strings.Split(value, ", ")
	case "gone":
		o.gone = append(o.gone, value)
	case "table":
		query, _, _ := strings.Cut(below+"\n", ";\n") // comments about the next directive may follow
		o.sections = append(o.sections, section{value, query})
	}
}

func numbers(t *testing.T, list string) []int {
	t.Helper()
	var all []int
	for text := range strings.SplitSeq(list, ", ") {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, n)
	}
	return all
}

// bind replaces the parameters :as_of and :round in SQL.
func (o oracle) bind(sql string, round int) string {
	values := map[string]string{":as_of": "(timestamptz " + quote.Literal(o.asOf) + ")", ":round": fmt.Sprint(round)}
	return parameter.ReplaceAllStringFunc(sql, func(name string) string { return values[name] })
}

// run loads the data and executes the oracle's queries. Then it runs all jobs of the file in order:
// once as a dry run, then twice.
func (j job) run(t *testing.T, in *kit.Installed, o oracle, batch int) {
	in.SetBatch(batch)
	in.Exec(t, "SET TimeZone = 'UTC'")
	in.Exec(t, o.bind(j.data, 0))
	var want [3][]expectation
	for round := 1; round <= 2; round++ {
		want[round] = o.expect(t, in, round)
	}
	want[0] = oracle{}.expect(t, in, 0) // a dry run changes nothing
	checkProbes(t, in, o.asOf)
	for round := range want {
		if round == 0 && batch != o.batches[0] {
			continue // a dry run does not depend on the batch size
		}
		if round == 1 && batch == o.batches[0] {
			runPreviewed(t, in, o.asOf)
		} else {
			runJobs(t, in, o.asOf, round == 0)
		}
		if round == 1 {
			o.checkTaken(t, in)
		}
		o.compare(t, in, round, want[round])
	}
}

// checkProbes checks that _probe finds no policy idle that has a due row, also if a guard keeps
// this row.
func checkProbes(t *testing.T, in *kit.Installed, asOf string) {
	t.Helper()
	at := "retention._batch_range(" + quote.Literal(asOf) + "::timestamptz)"
	for _, policy := range pgtest.Column[string](t, in, "SELECT policy FROM retention.probe ORDER BY policy") {
		var due bool
		err := in.Conn(t).QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM "+in.RowsCall(policy, at)+")").Scan(&due)
		if idle := in.Idle(t, policy, asOf); idle && (due || err != nil) {
			t.Errorf("policy %s is idle, although it has due rows: %t, or an error: %v", policy, due, err)
		}
	}
}

// runPreviewed runs the policies of all jobs one by one, and compares each run with its preview.
func runPreviewed(t *testing.T, in *kit.Installed, asOf string) {
	t.Helper()
	rows, _ := in.Query(t.Context(), `SELECT p.name, nullif(j.scope::text, '{}')
		FROM unnest($1::text[]) WITH ORDINALITY o (name, i) JOIN retention.job j ON j.name = o.name
		CROSS JOIN unnest(j.policies) WITH ORDINALITY p (name, i)
		JOIN retention.policy r ON r.name = p.name AND NOT r.report ORDER BY o.i, p.i`, jobNames(in))
	type call struct {
		Policy string
		Scope  *string
	}
	calls, err := pgx.CollectRows(rows, pgx.RowToStructByPos[call])
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range calls {
		unknown := in.CheckPreview(t, c.Policy, asOf, c.Scope, func() {
			_, err := in.Call("CALL retention.run($1, $2, 'corpus', scope => $3::text::jsonb)",
				c.Policy, asOf, c.Scope)
			if err != nil {
				t.Fatalf("policy %s: %v", c.Policy, err)
			}
		})
		if len(unknown) > 0 {
			t.Logf("the preview of policy %s does not know the effects %q", c.Policy, unknown)
		}
	}
}

func jobNames(in *kit.Installed) []string {
	var names []string
	for _, job := range in.File.Jobs {
		names = append(names, job.Name)
	}
	return names
}

func runJobs(t *testing.T, in *kit.Installed, asOf string, dry bool) {
	t.Helper()
	for _, job := range in.File.Jobs {
		_, err := in.Call("CALL retention.run_job($1, $2, $3, dry_run => $4)", job.Name, asOf, "corpus", dry)
		if err != nil {
			t.Fatalf("job %s: %v %s", job.Name, err, err.Where)
		}
	}
	bad := pgtest.Column[string](t, in, `SELECT policy || ' ended ' || state || ' after ' || taken || ', ' || refused ||
		' refused: ' || coalesce(message, '') FROM retention.run WHERE state NOT IN ('done', 'more') OR refused > 0`)
	if len(bad) > 0 {
		t.Fatalf("runs that failed or refused rows: %q", bad)
	}
}

// checkTaken checks that every policy has taken rows, except those that the oracle lists as idle.
func (o oracle) checkTaken(t *testing.T, in *kit.Installed) {
	t.Helper()
	idle := pgtest.Column[string](t, in, `SELECT policy FROM retention.run
		WHERE NOT dry_run GROUP BY policy HAVING sum(taken) = 0 ORDER BY policy`)
	slices.Sort(o.idle)
	equal(t, "policies that took nothing", append([]string{}, o.idle...), idle)
}

func (o oracle) expect(t *testing.T, in *kit.Installed, round int) []expectation {
	t.Helper()
	var list []expectation
	named := slices.Clone(o.gone)
	for _, s := range o.sections {
		query := o.bind(s.query, round)
		list = append(list, expectation{s.table, columnsOf(t, in, query), in.Rows(query)})
		named = append(named, s.table)
	}
	for _, table := range tablesOf(t, in) {
		if !slices.Contains(named, table) {
			query := "SELECT * FROM " + table
			list = append(list, expectation{table, columnsOf(t, in, query), in.Rows(query)})
		}
	}
	return list
}

func (o oracle) compare(t *testing.T, in *kit.Installed, round int, want []expectation) {
	t.Helper()
	var known []string
	for _, w := range want {
		known = append(known, w.table)
		got := in.Rows("SELECT " + strings.Join(w.columns, ", ") + " FROM " + w.table)
		equal(t, fmt.Sprintf("%s after round %d", w.table, round), w.rows, got)
	}
	for _, table := range tablesOf(t, in) {
		if slices.Contains(o.gone, table) && round > 0 {
			t.Errorf("round %d: table %s exists, want it dropped", round, table)
		} else if !slices.Contains(known, table) {
			t.Errorf("round %d: table %s exists, but did not before", round, table)
		}
	}
}

// tablesOf returns the application's tables, without partitions, and the runtime's table event.
func tablesOf(t *testing.T, in *kit.Installed) []string {
	t.Helper()
	return pgtest.Column[string](t, in, `
		SELECT format('%I.%I', n.nspname, c.relname)
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition
		  AND (n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast', 'cron', 'retention')
		       OR c.oid = 'retention.event'::regclass)
		ORDER BY 1`)
}

func columnsOf(t *testing.T, in *kit.Installed, query string) []string {
	t.Helper()
	rows, err := in.Query(t.Context(), "SELECT * FROM ("+query+") x LIMIT 0")
	if err != nil {
		t.Fatalf("%v in\n%s", err, query)
	}
	defer rows.Close()
	var names []string
	for _, f := range rows.FieldDescriptions() {
		names = append(names, quote.Ident(f.Name))
	}
	return names
}
