package generator

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/catalog"
	"pgretain/policy"
	"pgretain/tests/fixture"
)

// newLine matches a line that earlier versions of pgretain did not write.
var newLine = regexp.MustCompile(`(?m)^-- pgretain: (?:file|parts) `)

// TestFilesOfEarlierVersions writes the migrations of every example project as earlier versions
// did, and those of one project for each tool. It checks that they give the same objects, with the
// same parts, as files of this version, and that Next adds a step to them.
func TestFilesOfEarlierVersions(t *testing.T) {
	t.Parallel()
	for _, project := range fixture.Examples(t, "..") {
		file, _ := policy.Parse("retention.yaml", []byte(project.Text("retention.yaml")))
		snapshot, err := catalog.Read(project.Text(catalog.FileName))
		if err != nil {
			t.Fatal(err)
		}
		formats := []Format{Goose}
		if project.Name == "bot-queue" { // Down is in the same file or in another one
			formats = Formats
		}
		for _, format := range formats {
			t.Run(project.Name+"/"+string(format), func(t *testing.T) {
				t.Parallel()
				var histories []*History
				dirs := []fstest.MapFS{{}, {}}
				for i, dir := range dirs {
					opt := NextOptions{Roles: file.Install.Roles, SearchPath: file.Install.Path(),
						Trust: file.Install.Trust, Schema: file.Install.Schema, old: i == 0}
					history := mustReadFormat(t, dir, format)
					objects, list := Compile(file, snapshot, history)
					if list.HasErrors() {
						t.Fatal(list)
					}
					files, err := Next(history, objects, opt)
					if err != nil {
						t.Fatal(err)
					}
					for _, f := range files {
						if strings.HasSuffix(f.Name, ".sql") && newLine.MatchString(f.Text) == opt.old {
							t.Fatalf("%s: has a line of this version: %t", f.Name, opt.old)
						}
					}
					addFiles(t, dir, files)
					histories = append(histories, mustReadFormat(t, dir, ""))
				}
				old, current := histories[0], histories[1]
				if diff := cmp.Diff(byID(current.Objects()), byID(old.Objects())); diff != "" {
					t.Errorf("objects of new files (-) and of old files (+):\n%s", diff)
				}
				if old.State() != current.State() {
					t.Errorf("old files have state %s, new ones %s", old.State(), current.State())
				}
				checkNextStep(t, dirs[0], old, file.Install)
			})
		}
	}
}

// TestOldParts checks which parts the reader finds in the SQL of old files.
func TestOldParts(t *testing.T) {
	t.Parallel()
	const lost = "-- Written again: a database in state 0123456789ab had lost it.\n"
	const adopted = "SELECT keep._adopt_index('app', 'a', 't', 'b');\n-- next\n"
	for _, c := range []struct {
		kind Kind
		sql  string
		want Parts
	}{
		{KindIndex, lost + adopted + "CREATE INDEX a ON app.t (x);\n",
			Parts{PartAgain: lost + adopted, PartLost: "0123456789ab"}},
		{KindIndex, adopted + "CREATE INDEX IF NOT EXISTS a ON ONLY app.\"T b\" (x);\n",
			Parts{PartAgain: adopted, PartParent: `app."T b"`}},
		{KindPolicy, "SELECT keep._begin_policy('p', $description1$\nRows: $description$\n$description1$);\n" + lost +
			"SELECT keep._register($row$ {} $row$);\n",
			Parts{PartWords: "Rows: $description$\n", PartAgain: lost, PartLost: "0123456789ab"}},
		{KindPolicy, "SELECT keep._register($row$ {} $row$);\n", nil},
		{KindInstall, "SELECT keep._put_install($row1$ {\"trust\": [\"$row$\"]}$row1$);\n",
			Parts{PartRow: `{"trust": ["$row$"]}`}},
		{KindColumn, "ALTER TABLE app.t ADD COLUMN IF NOT EXISTS \"a \"\"b\" numeric(10,\n    2) DEFAULT (now());\n",
			Parts{PartType: "numeric(10, 2)"}},
		{KindColumn, "ALTER TABLE app.t ADD COLUMN IF NOT EXISTS at timestamp with time zone;\nSELECT 1;\n",
			Parts{PartType: "timestamp with time zone"}},
		{KindTable, "CREATE TABLE keep.install ();\nGRANT USAGE ON SCHEMA keep TO a, b, c, d;\n",
			Parts{PartReaders: "a, b, c, d"}},
		{KindPrivilege, lost + "GRANT SELECT ON app.t TO a;\n", Parts{PartAgain: lost, PartLost: "0123456789ab"}},
	} {
		o := Object{Kind: c.kind, SQL: c.sql}
		o.readOldParts()
		if diff := cmp.Diff(c.want, o.Parts); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.sql, diff)
		}
	}
}

// TestParts checks that readParts reads what partsMark writes, and refuses other lines.
func TestParts(t *testing.T) {
	t.Parallel()
	want := Object{SQL: "SELECT 'é', numeric(1,\n 2);\n", Parts: Parts{PartRow: "é", PartType: "numeric(1, 2)",
		PartLost: "-- +goose Down"}}
	line := want.partsMark()
	got := Object{SQL: want.SQL}
	text, ok := strings.CutPrefix(line, partsLine)
	if !ok || !got.readParts(text) || strings.Contains(line, "+goose") {
		t.Errorf("readParts refuses the line %q", line)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("parts (-want +got)\n%s", diff)
	}
	for _, line := range []string{"", "[]", `{"row": [1]`, `{"row": [-1, 2]}`, `{"row": [3, 2]}`, `{"row": [0, 99]}`,
		`{"row": {"a": 1}}`, `{"row": [0.5, 2]}`} {
		if got.readParts(line) {
			t.Errorf("readParts accepts %q", line)
		}
	}
}

// checkNextStep adds a step that changes every policy, and one that removes all policies.
func checkNextStep(t *testing.T, dir fstest.MapFS, old *History, install policy.Install) {
	t.Helper()
	opt := NextOptions{Roles: install.Roles, SearchPath: install.Path(), Trust: install.Trust}
	changed := old.Objects()
	for i, o := range changed {
		if o.Kind == KindPolicy || o.Kind == KindInstall {
			changed[i].SQL = "-- Changed.\n" + o.SQL
		}
	}
	kept := slices.DeleteFunc(old.Objects(), func(o Object) bool { return o.Kind == KindPolicy || o.Kind == KindJob })
	for _, wanted := range [][]Object{changed, kept} {
		files, err := Next(mustReadFormat(t, dir, ""), wanted, opt)
		if err != nil || len(files) == 0 {
			t.Fatalf("Next of old files: %d files, error %v", len(files), err)
		}
		addFiles(t, dir, files)
		mustReadFormat(t, dir, "")
		checkDown(t, dir, old)
	}
}
