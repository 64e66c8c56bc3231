package propose_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/lint"
	"pgretain/internal/propose"
	"pgretain/policy"
	"pgretain/tests/fixture"
)

// schemaFile returns the statistics for a schema file, in which sizes are unknown.
func schemaFile() *catalog.Statistics {
	return &catalog.Statistics{Server: catalog.Server{HasCron: true}}
}

func snapshot(t *testing.T, text string) *catalog.Snapshot {
	t.Helper()
	s, err := catalog.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	s.SearchPath = []string{"public"} // search_path of the written policy file
	return s
}

func file(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// uncommented returns the policy file with all proposals uncommented.
func uncommented(text string) string { return regexp.MustCompile(`(?m)^# `).ReplaceAllString(text, "") }

// found returns all findings of lint and generate for a file, with warnings. It leaves out P062 (a
// foreign key without an index) and P064 (a trigger to check), because no proposal can avoid them.
func found(t *testing.T, text string, s *catalog.Snapshot) diag.List {
	t.Helper()
	parsed, list := policy.Parse("retention.yaml", []byte(text))
	if parsed == nil {
		return list
	}
	_, compiled := generator.Compile(parsed, s, nil)
	if list = slices.Concat(list, lint.Check(parsed, s), compiled); !list.HasErrors() {
		list = append(list, generator.Notes(parsed, s)...)
	}
	return slices.DeleteFunc(list, func(d diag.Diagnostic) bool {
		return d.Code.String() == "P062" ||
			d.Code.String() == "P064"
	})
}

// TestGolden compares the policy file for 30 tables of all kinds with testdata/retention.yaml. The
// file must have no findings as it is, with one proposal uncommented, and with all uncommented.
// TestSchemaFile of tests/firstday compares the snapshot of these tables with a server.
func TestGolden(t *testing.T) {
	t.Parallel()
	s := snapshot(t, file(t, "testdata/catalog.json"))
	got := propose.Write(s, schemaFile(), "schema.sql")
	fixture.CompareFile(t, "testdata/retention.yaml", got.Text)
	for what, text := range map[string]string{"as it is": got.Text, "uncommented": uncommented(got.Text)} {
		if list := found(t, text, s); len(list) > 0 {
			t.Errorf("%s: %v", what, list)
		}
	}
	proposals := regexp.MustCompile(`(?m)^#   (\w+):\n(#     .*\n)+`).FindAllString(got.Text, -1)
	for _, one := range proposals[:len(proposals)-1] { // the last one is the job
		if list := found(t, strings.Replace(got.Text, one, uncommented(one), 1), s); len(list) > 0 {
			t.Errorf("with only one proposal uncommented, findings are %v:\n%s", list, one)
		}
	}
	if len(proposals) != got.Proposals+1 || got.Proposals < 12 || got.Undecided < 5 || got.Undecided >= got.Exempt {
		t.Errorf("the file has %d proposals and jobs, but Write returns %+v", len(proposals), got)
	}
}

// TestWords checks the comments about sizes, ranges and time zones.
func TestWords(t *testing.T) {
	t.Parallel()
	rows, days := int64(12_345_678), 100.0
	table := &catalog.Table{Schema: "app", Name: "log", Kind: "table", PrimaryKey: []string{"id"},
		Columns: []catalog.Column{
			{Name: "id", Type: "bigint", NotNull: true}, {Name: "created", Type: "integer",
				NotNull: true}, {Name: "day", Type: "integer"}}}
	server := catalog.Server{Database: "shop", TimeZone: "America/Argentina/Buenos_Aires", HasCron: true,
		CronDatabase: "shop",
		Since:        "2026-01-01", Days: &days}
	growth := catalog.Growth{Size: "4212 MB", Rows: &rows, Inserted: 3_100_000, Owners: []string{"b", "a"}}
	got := propose.Write(&catalog.Snapshot{Tables: []*catalog.Table{table}}, &catalog.Statistics{Server: server,
		Tables: map[string]catalog.Growth{"app.log": growth},
		Ranges: map[string]catalog.Range{"app.log.created": {Last: "1790000000", Reading: "epoch_s", Nulls: 0.025},
			"app.log.day": {Last: "20260101"}},
	}, `database "shop"`)
	for _, want := range []string{
		"\n## app.log, 4212 MB, about 12,345,678 rows, 31,000 inserts a day since 2026-01-01\n",
		"\n## 2.5 % of the rows have no created, and stay.\n",
		"\n#         column: created  # a guess: ", "\n#         encoding: epoch_s\n",
		"\n#         older_than: 6 months  # a guess: the window for a log\n",
		"\n  time_zone: America/Argentina/Buenos_Aires  #", "\n  trust: [a, b]  #",
	} {
		if !strings.Contains(got.Text, want) {
			t.Errorf("the file does not contain %q:\n%s", want, got.Text)
		}
	}
	if strings.Contains(got.Text, "instead:") || strings.Contains(got.Text, "database: ") {
		t.Errorf("column day must not be a clock, and install.database must not be set:\n%s", got.Text)
	}
}

// TestClean checks that the files for all schemas of this repository have no findings, with sizes
// and without, as they are and with all proposals uncommented. As they are, they have no policy.
func TestClean(t *testing.T) {
	t.Parallel()
	schemas := map[string]string{}
	for _, c := range fixture.Projects(t, "../..") {
		schemas[c.Name] = c.Text("retention.catalog.json")
	}
	schemas["generator"] = file(t, "../../generator/testdata/catalog.json")
	proposals := 0
	for path, text := range schemas {
		s := snapshot(t, text)
		large := &catalog.Statistics{Server: catalog.Server{Database: "shop", HasCron: true},
			Tables: map[string]catalog.Growth{}}
		rows := int64(1 << 20)
		for _, table := range s.Tables {
			large.Tables[table.Schema+"."+table.Name] = catalog.Growth{Size: "9 GB", Rows: &rows,
				Owners: []string{"Shop owner"}}
		}
		for name, statistics := range map[string]*catalog.Statistics{"without sizes": schemaFile(),
			"with sizes": large} {
			got := propose.Write(s, statistics, path)
			proposals += got.Proposals
			parsed, list := policy.Parse("retention.yaml", []byte(got.Text))
			if parsed == nil || len(list)+len(parsed.Policies)+len(parsed.Jobs)+len(lint.Check(parsed, s)) > 0 {
				t.Errorf("%s %s: the file has active policies or findings: %v", path, name, list)
			}
			if list := found(t, uncommented(got.Text), s); len(list) > 0 {
				t.Errorf("%s %s, uncommented: %v\n%s", path, name, list, got.Text)
			}
			parsed, _ = policy.Parse("retention.yaml", []byte(uncommented(got.Text)))
			if parsed != nil && len(parsed.Policies) != got.Proposals {
				t.Errorf("%s %s: %d policies of %d proposals", path, name, len(parsed.Policies), got.Proposals)
			}
		}
	}
	if proposals < 150 {
		t.Errorf("only %d proposals, want at least 150", proposals)
	}
}

// TestNames checks that names of schemas, tables, columns and roles with special characters cannot
// change the structure of the file, and that all policies have different names.
func TestNames(t *testing.T) {
	t.Parallel()
	names := []string{"select", "yes", "no", "null", "1st", "a.b", `a"b`, `a"_b`, "a: b", "# x", "größe", "Größe",
		"a'b", `back\slash`,
		"{x}", "[x]", "*x", "&x", "!x", "%x", "@x", "`x", "- x", " x ", "日本", "t", "keep", "on", "a\u2028protect: [x.y]",
		strings.Repeat("x", 55), strings.Repeat("x", 55) + "y"}
	s := &catalog.Snapshot{Version: 1, SearchPath: []string{"public"}}
	rows := int64(5000)
	statistics := &catalog.Statistics{Server: catalog.Server{Database: "a: b", CronDatabase: "# c", TimeZone: "x: y"},
		Tables: map[string]catalog.Growth{}}
	for _, name := range names {
		s.Tables = append(s.Tables, named(name)...)
		for _, table := range s.Tables[len(s.Tables)-2:] {
			statistics.Tables[name+"."+table.Name] = catalog.Growth{Rows: &rows, Owners: []string{name}}
		}
	}
	got := propose.Write(s, statistics, "a\nprotect: [x.y]")
	if got.Proposals != 2*len(names)-2 { // one name has a hidden character, so its tables have no proposal
		t.Errorf("%d proposals", got.Proposals)
	}
	for what, text := range map[string]string{"as it is": got.Text, "uncommented": uncommented(got.Text)} {
		list := slices.DeleteFunc(found(t, text, s), func(d diag.Diagnostic) bool {
			return strings.HasSuffix(d.Message, "contains a control character") // which every file is told
		})
		parsed, _ := policy.Parse("retention.yaml", []byte(text))
		if len(list) > 0 || parsed == nil || len(parsed.Protect) > 0 || len(parsed.Install.Trust) != len(names)-1 ||
			parsed.Install.TimeZone != "UTC" || parsed.Install.Database != "a: b" {
			t.Errorf("%s: %v\n%s", what, list, text)
		}
	}
}

// named returns two tables. One refers to the other, and all names contain the given one.
func named(name string) []*catalog.Table {
	key := catalog.ForeignKey{Name: name, Table: name + ".child " + name, Columns: []string{name},
		RefTable: name + "." + name, RefColumns: []string{name}, OnDelete: "no action"}
	tables := []*catalog.Table{{Name: name, Referenced: []catalog.ForeignKey{key}}, {Name: "child " + name}}
	for _, t := range tables {
		t.Schema, t.Kind, t.PrimaryKey = name, "table", []string{name}
		t.Columns = []catalog.Column{{Name: name, Type: "bigint", NotNull: true},
			{Name: "createdAt", Type: "timestamp with time zone"}}
	}
	return tables
}

// TestRandomKeys checks that files for random foreign keys have no findings. Keys may form cycles
// or refer to their own table.
func TestRandomKeys(t *testing.T) {
	t.Parallel()
	random, proposals := rand.New(rand.NewPCG(27, 11)), 0
	for range 25 {
		s := randomSchema(random)
		got := propose.Write(s, schemaFile(), "random")
		proposals += got.Proposals
		if list := found(t, uncommented(got.Text), s); len(list) > 0 {
			t.Fatalf("%v\n%s", list, uncommented(got.Text))
		}
	}
	if proposals < 70 {
		t.Errorf("only %d proposals, want at least 70", proposals)
	}
}

// randomSchema returns seven tables with two keys each. Most have a clock.
func randomSchema(random *rand.Rand) *catalog.Snapshot {
	s := &catalog.Snapshot{SearchPath: []string{"public"}}
	for i := range 7 {
		clock := []string{"created_at", "closed_at", "expires_at", "other"}[random.IntN(4)]
		s.Tables = append(s.Tables, &catalog.Table{Schema: "app", Kind: "table",
			Name:       fmt.Sprintf("a%d%s", i, []string{"", "_audit", "_log", "_cache"}[random.IntN(4)]),
			PrimaryKey: []string{"id"},
			Columns:    []catalog.Column{{Name: "id", Type: "bigint", NotNull: true}, {Name: clock, Type: "date"}}})
	}
	actions := []string{"no action", "restrict", "cascade", "set null", "set default"}
	for i, table := range s.Tables {
		for k := range 2 {
			to, column := s.Tables[random.IntN(min(len(s.Tables), i+2))], fmt.Sprintf("ref_%d", k)
			key := catalog.ForeignKey{Name: table.Name + column, Table: "app." + table.Name, Columns: []string{column},
				RefTable: "app." + to.Name, RefColumns: []string{"id"}, OnDelete: actions[random.IntN(len(actions))]}
			table.Columns = append(table.Columns, catalog.Column{Name: column, Type: "bigint",
				NotNull: random.IntN(2) == 0})
			to.Referenced = append(to.Referenced, key)
		}
	}
	return s
}

// work returns a table with a primary key and the given columns, each written as "name type".
func work(name string, columns ...string) *catalog.Table {
	t := &catalog.Table{Schema: "app", Name: name, Kind: "table", PrimaryKey: []string{"id"},
		Columns: []catalog.Column{{Name: "id", Type: "bigint", NotNull: true}}}
	for _, c := range columns {
		name, typ, _ := strings.Cut(c, " ")
		column := catalog.Column{Name: name, Type: map[string]string{"time": "timestamp with time zone",
			"enum": "app.state", "domain": "app.job_state", "check": "text"}[typ]}
		switch typ {
		case "domain":
			column.Base, column.Labels = "app.state", []string{"queued", "Completed", "failed"}
		case "enum":
			column.Labels = []string{"queued", "running", "Completed", "retryable", "failed", "it's"}
		case "check":
			column.Values = []string{"new", "done", "cancelled"}
		}
		if column.Type == "" {
			column.Type = typ
		}
		t.Columns = append(t.Columns, column)
	}
	return t
}

// TestWork checks that no proposal takes rows of unfinished work: the clock is a time at which the
// work ended, or a condition names the states of finished rows. A table in which no column tells
// that is undecided.
func TestWork(t *testing.T) {
	t.Parallel()
	const finished = "where: \"state IN ('Completed', 'failed')\""
	for _, c := range []struct {
		table *catalog.Table
		want  []string // parts of the proposal, or of the reason for no proposal
	}{
		{work("job", "created_at time", "finalized_at time"), []string{"column: finalized_at", "30 days"}},
		{work("job", "created_at time", "state enum", "finalized_at time"), []string{"column: finalized_at", finished}},
		{work("job", "created_at time", "state enum", "updated_at time"), []string{"column: updated_at", finished}},
		{work("job", "created_at time", "state domain"), []string{"where: \"state::app.state IN ('Completed', 'failed')\""}},
		{work("job", "created_at time", "state enum"), []string{"job_finished:", "column: created_at", finished}},
		{work("ticket", "created_at time", "status check"), []string{"column: created_at",
			"where: \"status IN ('done', 'cancelled')\""}},
		{work("job", "lease_expires_at time", "created_at time", "done_at time"), []string{"column: done_at"}},
		{work("job", "lease_expires_at time", "state enum", "created_at time"), []string{"column: created_at", finished}},
		{work("outbox_event", "at time", "processed boolean"), []string{"column: at", "where: processed"}},
		{work("job", "inserted_at time", "completed_at time", "state text"), []string{"column: completed_at",
			"## Column state may say which rows are finished"}},
		{work("job", "created_at time"), []string{"app.job: \"undecided: no column is known"}},
		{work("outbox_event", "created_at time"), []string{"app.outbox_event: \"undecided: no column is known"}},
		{work("job", "created_at time", "expires_at time"), []string{"app.job: \"undecided: no column is known"}},
		{work("ticket", "created_at time", "state text"), []string{"perhaps state, whose values are not known here"}},
		{work("ticket", "created_at time", "status integer"), []string{"perhaps status, whose values are not known"}},
		{work("access_log", "at time", "status integer"), []string{"column: at", "6 months"}},
		{work("job_audit", "at time"), []string{"column: at", "7 years"}},
		{work("session", "created_at time"), []string{"column: created_at", "30 days"}},
		{work("session", "expires_at time"), []string{"column: expires_at", "grace: 7 days"}},
		{work("note", "created_at time", "deleted_at time"), []string{"column: deleted_at", "30 days"}},
		{work("note", "created_at time"), []string{"column: created_at", "1 year"}},
	} {
		s := &catalog.Snapshot{SearchPath: []string{"public"}, Tables: []*catalog.Table{c.table}}
		got := propose.Write(s, schemaFile(), "work")
		if list := found(t, uncommented(got.Text), s); len(list) > 0 {
			t.Errorf("%v\n%s", list, got.Text)
		}
		for _, want := range c.want {
			if !strings.Contains(got.Text, want) {
				t.Errorf("table %s: the file does not contain %q:\n%s", c.table.Name, want, got.Text)
			}
		}
		guesses := strings.Count(got.Text, "# a guess: ")
		if got.Proposals > 0 && guesses < 3 {
			t.Errorf("table %s: %d parts are marked as guesses:\n%s", c.table.Name, guesses, got.Text)
		}
	}
}
