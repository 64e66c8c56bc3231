package propose_test

import (
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

// schemaFile is what is known of a schema file's server.
func schemaFile() *catalog.Statistics {
	return &catalog.Statistics{Server: catalog.Server{HasCron: true}}
}

func snapshot(t *testing.T, text string) *catalog.Snapshot {
	t.Helper()
	s, err := catalog.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	s.SearchPath = []string{"public"} // that of the file which is written
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

// TestGolden holds the file for 27 tables of all kinds, as "pgretain init --schema" writes it. TestInit of package tests
// holds their snapshot to a server.
func TestGolden(t *testing.T) {
	t.Parallel()
	s := snapshot(t, file(t, "testdata/catalog.json"))
	got := propose.Write(s, schemaFile(), "schema.sql")
	fixture.CompareFile(t, "testdata/retention.yaml", got.Text)
	if list := found(t, got.Text, s); len(list) > 0 {
		t.Errorf("as it is: %v", list)
	}
	if list := found(t, uncommented(got.Text), s); len(list) > 0 {
		t.Errorf("uncommented: %v", list)
	}
}

// uncommented is the file with all proposals accepted.
func uncommented(text string) string { return regexp.MustCompile(`(?m)^# `).ReplaceAllString(text, "") }

// found is all that lint and generate say of a file, warnings included.
func found(t *testing.T, text string, s *catalog.Snapshot) diag.List {
	t.Helper()
	parsed, list := policy.Parse("retention.yaml", []byte(text))
	if parsed == nil {
		return list
	}
	list = append(list, lint.Check(parsed, s)...)
	if list = append(list, generator.Diagnose(parsed, s, nil)...); !list.HasErrors() {
		list = append(list, generator.Notes(parsed, s)...)
	}
	return list
}

// ofTheSchema are warnings of what no policy can help: a key without an index, a trigger that somebody should look at.
var ofTheSchema = []string{"P062", "P064"}

// TestClean holds that a file lints clean, as it is and with all proposals accepted, for every schema of the project, with
// sizes and without. What it has active deletes nothing.
func TestClean(t *testing.T) {
	t.Parallel()
	schemas := map[string]string{}
	for _, c := range fixture.Projects(t, "../..") {
		schemas[c.Name] = c.Text("retention.catalog.json")
	}
	for _, path := range []string{"../../generator/testdata/catalog.json", "testdata/catalog.json"} {
		schemas[path] = file(t, path)
	}
	proposals := 0
	for path, text := range schemas {
		s := snapshot(t, text)
		large := &catalog.Statistics{Server: catalog.Server{Database: "shop", HasCron: true}, Tables: map[string]catalog.Growth{}}
		rows := int64(1 << 20)
		for _, table := range s.Tables {
			large.Tables[table.Schema+"."+table.Name] = catalog.Growth{Size: "9 GB", Rows: &rows, Owners: []string{"Shop owner"}}
		}
		for name, statistics := range map[string]*catalog.Statistics{"without sizes": schemaFile(), "with sizes": large} {
			got := propose.Write(s, statistics, path)
			proposals += got.Proposals
			file, _ := policy.Parse("retention.yaml", []byte(got.Text))
			if file == nil || len(file.Policies)+len(file.Jobs) > 0 {
				t.Errorf("%s %s: policies are active", path, name)
			}
			for what, text := range map[string]string{"as it is": got.Text, "uncommented": uncommented(got.Text)} {
				list := slices.DeleteFunc(found(t, text, s), func(d diag.Diagnostic) bool { return slices.Contains(ofTheSchema, d.Code) })
				if len(list) > 0 {
					t.Errorf("%s %s, %s: %s", path, name, what, list[0].Message)
					t.Log(list, "\n", text)
				}
			}
			if file, _ := policy.Parse("retention.yaml", []byte(uncommented(got.Text))); file != nil && len(file.Policies) != got.Proposals {
				t.Errorf("%s %s: %d policies of %d proposals", path, name, len(file.Policies), got.Proposals)
			}
		}
	}
	if proposals < 150 {
		t.Errorf("only %d proposals", proposals)
	}
}

// TestNames holds that no name of a schema breaks out of its place in the file, and that names of policies differ.
func TestNames(t *testing.T) {
	t.Parallel()
	s := &catalog.Snapshot{Version: 1, SearchPath: []string{"public"}}
	rows := int64(5000)
	statistics := &catalog.Statistics{Server: catalog.Server{Database: "a: b", CronDatabase: "# c", TimeZone: "x: y"}, Tables: map[string]catalog.Growth{}}
	names := []string{"select", "yes", "no", "null", "1st", "a.b", `a"b`, `a"_b`, "a: b", "# x", "a\u2028protect: [x.y]", "größe", "Größe", "a'b", `back\slash`,
		"{x}", "[x]", "*x", "&x", "!x", "%x", "@x", "`x", "- x", " x ", strings.Repeat("x", 55), strings.Repeat("x", 55) + "y", "日本", "t", "keep", "on"}
	for _, name := range names {
		key := catalog.ForeignKey{Name: name, Table: name + ".child " + name, Columns: []string{name}, RefTable: name + "." + name, RefColumns: []string{name}, OnDelete: "no action"}
		columns := []catalog.Column{{Name: name, Type: "bigint", NotNull: true}, {Name: "createdAt", Type: "timestamp with time zone"}}
		s.Tables = append(s.Tables,
			&catalog.Table{Schema: name, Name: name, Kind: "table", PrimaryKey: []string{name}, Columns: columns, Referenced: []catalog.ForeignKey{key}},
			&catalog.Table{Schema: name, Name: "child " + name, Kind: "table", PrimaryKey: []string{name}, Columns: columns, ForeignKeys: []catalog.ForeignKey{key}})
		for _, table := range s.Tables[len(s.Tables)-2:] {
			statistics.Tables[name+"."+table.Name] = catalog.Growth{Size: "9 GB", Rows: &rows, Owners: []string{name}}
		}
	}
	got := propose.Write(s, statistics, "a\nprotect: [x.y]")
	if got.Proposals != 2*len(names) {
		t.Errorf("%d proposals", got.Proposals)
	}
	for what, text := range map[string]string{"as it is": got.Text, "uncommented": uncommented(got.Text)} {
		list := slices.DeleteFunc(found(t, text, s), func(d diag.Diagnostic) bool {
			return slices.Contains(ofTheSchema, d.Code) || strings.HasSuffix(d.Message, "has a control character") // which every file is told
		})
		file, _ := policy.Parse("retention.yaml", []byte(text))
		if len(list) > 0 || file == nil || len(file.Protect) > 0 || file.Install.TimeZone != "UTC" || file.Install.Database != "a: b" || len(file.Install.Trust) != len(names) {
			t.Errorf("%s: %v\n%s", what, list, text)
		}
	}
}
