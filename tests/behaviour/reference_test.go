package behaviour

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/diag"
	"pgretain/internal/lint"
	"pgretain/internal/quote"
	"pgretain/tests/fixture"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// referenceInstant is the as_of of all results in docs/policy.md.
const referenceInstant = "2026-06-15 12:00:00+00"

// referenceExample is one example of docs/policy.md: a policy file, with the SQL blocks and tables
// that follow it.
type referenceExample struct {
	heading, yaml string
	sql           []string
	tables        []referenceTable
}

// referenceTable is a table of rows in docs/policy.md. The heading of its first column names a
// table and its key, "app.note.id", or partitions, "app.event partition". Other columns have values
// before the run, values after it ("n after"), and the result, which begins with "goes" or "stays".
type referenceTable struct {
	table, key string
	columns    []string // headings, without the first column
	rows       [][]string
}

// TestReferenceExamples checks each example of docs/policy.md. It must load and lint without a
// finding. Its SQL must be a part of the generated SQL, a query with its printed answer, or a call
// that succeeds. One run of its policies on the printed rows must have the printed result.
func TestReferenceExamples(t *testing.T) {
	t.Parallel()
	page := fixture.ReadFile(t, "../../docs/policy.md")
	schema := fixture.ReadFile(t, "testdata/reference.sql")
	examples := referenceExamples(page)
	results := 0
	for _, example := range examples {
		results += min(1, len(example.tables)+len(example.sql))
	}
	if len(examples) < 25 || results < 24 {
		t.Fatalf("found %d examples and %d with a result, want at least 25 and 24", len(examples), results)
	}
	for i, example := range examples {
		t.Run(fmt.Sprintf("%d %s", i+1, example.heading), func(t *testing.T) {
			t.Parallel()
			example.check(t, schema)
		})
	}
}

var (
	headingLine = regexp.MustCompile(`^##+ (.*)`)
	firstCell   = regexp.MustCompile("^`([a-z_]+\\.[a-z_]+)\\.([a-z_]+)`$|^`([a-z_]+\\.[a-z_]+)` (partition)$")
)

func referenceExamples(page string) []referenceExample {
	var list []referenceExample
	heading, block := "the first", ""
	inTable := false
	for line := range strings.Lines(page) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "```") && block == "":
			block = strings.TrimPrefix(line, "```")
			if block == "yaml" {
				list = append(list, referenceExample{heading: heading})
			} else if block == "sql" {
				list[len(list)-1].sql = append(list[len(list)-1].sql, "")
			}
			continue
		case strings.HasPrefix(line, "```"):
			block = ""
		case block == "yaml":
			list[len(list)-1].yaml += line + "\n"
		case block == "sql":
			list[len(list)-1].sql[len(list[len(list)-1].sql)-1] += line + "\n"
		case headingLine.MatchString(line):
			heading = headingLine.FindStringSubmatch(line)[1]
		}
		if block != "" || !strings.HasPrefix(line, "| ") {
			inTable = inTable && strings.HasPrefix(line, "|-")
			continue
		}
		cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "| "), " |"), " | ")
		switch m := firstCell.FindStringSubmatch(cells[0]); {
		case inTable:
			tables := list[len(list)-1].tables
			tables[len(tables)-1].rows = append(tables[len(tables)-1].rows, cells)
		case m != nil:
			inTable = true
			list[len(list)-1].tables = append(list[len(list)-1].tables,
				referenceTable{table: m[1] + m[3], key: m[2] + m[4], columns: cells[1:]})
		}
	}
	return list
}

func (e referenceExample) check(t *testing.T, schema string) {
	t.Helper()
	in := kit.Prepare(t, schema, e.yaml)
	_, list := in.Compile(t, e.yaml)
	list = append(list, lint.Check(in.File, in.Catalog)...)
	if len(list) > 0 {
		t.Fatalf("the example has findings:\n%s\n%s", e.yaml, diagText(list, e.yaml))
	}
	in.Migrate(t, e.yaml)
	for _, table := range e.tables {
		table.fill(t, in)
	}
	calls := false
	for _, sql := range e.sql {
		if strings.HasPrefix(sql, "SELECT ") {
			calls = true
			checkAnswers(t, in, sql)
		} else if strings.HasPrefix(sql, "CALL ") {
			calls = true
			executeCalls(t, in, sql)
		} else {
			e.checkGenerated(t, in, sql)
		}
	}
	if calls || len(e.tables) == 0 {
		return
	}
	for _, p := range in.File.Policies {
		if in.File.EachOf(p) != nil {
			if _, err := in.Call("CALL retention.run($1, $2)", p.Name, referenceInstant); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if o := in.Run(p.Name, referenceInstant); !slices.Contains([]string{"done", "more", "tripped"}, o.State) {
			t.Fatalf("run of %s ended %s, want done, more or tripped: %s", p.Name, o.State, o.Message)
		}
	}
	for _, table := range e.tables {
		table.compare(t, in)
	}
}

func diagText(list diag.List, yaml string) string {
	var out strings.Builder
	_ = list.Render(&out, map[string][]byte{"retention.yaml": []byte(yaml)}, false)
	return out.String()
}

// checkGenerated checks that the migrations of the example contain the SQL. White space is not
// compared.
func (e referenceExample) checkGenerated(t *testing.T, in *kit.Installed, sql string) {
	t.Helper()
	for _, file := range in.Migrations {
		if strings.Contains(strings.Join(strings.Fields(string(file.Data)), " "),
			strings.Join(strings.Fields(sql), " ")) {
			return
		}
	}
	t.Errorf("no migration of the example contains\n%s", sql)
}

// checkAnswers executes each line. The comment at the end of the line is the expected answer.
func checkAnswers(t *testing.T, in *kit.Installed, sql string) {
	t.Helper()
	for line := range strings.Lines(sql) {
		query, want, _ := strings.Cut(strings.TrimSpace(line), "-- ")
		query = strings.TrimSuffix(strings.TrimSpace(query), ";")
		if got := pgtest.Value[string](t, in, "SELECT ("+query+")::text"); got != want {
			t.Errorf("%s: got %s, want %s", query, got, want)
		}
	}
}

// executeCalls executes each line as a call.
func executeCalls(t *testing.T, in *kit.Installed, sql string) {
	t.Helper()
	for line := range strings.Lines(sql) {
		call, _, _ := strings.Cut(line, ";")
		if _, err := in.Call(call); err != nil {
			t.Errorf("%s failed: %v", call, err)
		}
	}
}

// givenColumns returns the columns that have values before the run, by their position in a row.
func (r referenceTable) givenColumns() map[int]string {
	given := map[int]string{}
	for i, column := range r.columns {
		if name, plain := strings.CutSuffix(strings.TrimPrefix(column, "`"), "`"); plain {
			given[i+1] = name
		}
	}
	return given
}

// existsBefore reports whether a row exists before the run.
func (r referenceTable) existsBefore(row []string) bool {
	given := r.givenColumns()
	for i := range given {
		if row[i] == "-" {
			return false
		}
	}
	return len(given) > 0 || slices.Contains(r.columns, "result")
}

func (r referenceTable) fill(t *testing.T, in *kit.Installed) {
	t.Helper()
	if r.key == "partition" {
		return
	}
	given := r.givenColumns()
	for _, row := range r.rows {
		if !r.existsBefore(row) {
			continue
		}
		columns, values := []string{quote.Ident(r.key)}, []string{sqlValue(row[0])}
		for i := range row {
			if column, ok := given[i]; ok {
				columns, values = append(columns, quote.Ident(column)), append(values, sqlValue(row[i]))
			}
		}
		in.Exec(t,
			fmt.Sprintf(`SET session_replication_role = replica;
				SET TimeZone = 'UTC';
				INSERT INTO %s (%s) VALUES (%s);
				RESET session_replication_role`, r.table, strings.Join(columns, ", "), strings.Join(values, ", ")))
	}
}

func sqlValue(cell string) string {
	if cell == "NULL" {
		return "NULL"
	}
	return quote.Literal(cell)
}

// compare compares the table after the run with the printed result.
func (r referenceTable) compare(t *testing.T, in *kit.Installed) {
	t.Helper()
	result := slices.Index(r.columns, "result") + 1
	shown, after := []string{quote.Ident(r.key) + "::text"}, []int{}
	for i, column := range r.columns {
		if name, ok := strings.CutSuffix(column, "` after"); ok {
			shown, after = append(shown, "coalesce("+
				quote.Ident(strings.TrimPrefix(name, "`"))+"::text, 'NULL')"), append(after, i+1)
		}
	}
	query := fmt.Sprintf("SELECT concat_ws(' | ', %s) FROM %s ORDER BY 1", strings.Join(shown, ", "), r.table)
	if r.key == "partition" {
		query = fmt.Sprintf(`SELECT relname::text FROM pg_class JOIN pg_inherits ON oid = inhrelid
			WHERE inhparent = '%s'::regclass ORDER BY 1`, r.table)
	}
	want := []string{}
	for _, row := range r.rows {
		if result > 0 && !strings.HasPrefix(row[result], "goes") && !strings.HasPrefix(row[result], "stays") {
			t.Errorf("%s: result %q begins neither with goes nor with stays", r.table, row[result])
		}
		if result > 0 && strings.HasPrefix(row[result], "goes") {
			continue
		}
		cells := []string{row[0]}
		for _, i := range after {
			cells = append(cells, row[i])
		}
		want = append(want, strings.Join(cells, " | "))
	}
	slices.Sort(want)
	conn := in.Conn(t)
	pgtest.Exec(t, conn, "SET TimeZone = 'UTC'")
	got := pgtest.Column[string](t, conn, query)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s after the run (-printed +got):\n%s", r.table, diff)
	}
}
