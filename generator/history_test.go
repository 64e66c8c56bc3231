package generator

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"pgretain/policy"
)

var testRoles = policy.Roles{Owner: "retention_owner", Runner: "retention_runner"}

// TestRandomStepsReadBackAsWritten writes the same random steps in every format. It checks that
// Read returns the wanted objects, that a second step is empty, that Down restores the state
// before, and that all formats have the same states.
func TestRandomStepsReadBackAsWritten(t *testing.T) {
	t.Parallel()
	for seed := range uint64(24) {
		states := map[Format][]string{}
		for _, format := range Formats {
			random := rand.New(rand.NewPCG(seed, 2))
			dir := fstest.MapFS{}
			for range 4 {
				wanted := randomObjects(random)
				if format != Goose {
					wanted = append(wanted, Object{Kind: KindFunction, Name: "retention.hostile {{ ${x} \\",
						As: AsOwner, Policy: "p",
						SQL: hostileText, Drop: hostileText})
				}
				before := mustReadFormat(t, dir, format)
				addFiles(t, dir, mustNext(t, before, wanted))
				after := mustReadFormat(t, dir, "")
				if diff := cmp.Diff(byID(PolicyScripts(wanted, testRoles)), byID(after.Objects())); diff != "" {
					t.Fatalf("%s, seed %d: Read does not return the wanted objects (-want +got)\n%s", format, seed, diff)
				}
				if more := mustNext(t, after, wanted); len(more) != 0 {
					t.Fatalf("%s, seed %d: Next writes a second step for the same objects: %v", format, seed, more)
				}
				checkDown(t, dir, before)
				states[format] = append(states[format], after.State())
			}
		}
		for _, format := range Formats[2:] {
			if diff := cmp.Diff(states[Tern], states[format]); diff != "" {
				t.Fatalf("seed %d: %s has other states than tern (-want +got)\n%s", seed, format, diff)
			}
		}
	}
}

// hostileText contains texts that one of the migration tools would execute as its own syntax.
const hostileText = "SELECT '{{ .x }} {{ \"{{\" }} {{ \"----\" }} }} ${x} +goose :x \\ $$', $a$ :y {{{ $$ ; \\echo " +
	"`id` $a$;\n" +
	"SELECT '\n---- create above / drop below ----\n-- +goosey\n-- next\n\\q\n';\n"

// checkDown checks that the Down parts of the files that are not in before restore the state of
// before.
func checkDown(t *testing.T, dir fs.FS, before *History) {
	t.Helper()
	whole, err := openDir(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	files, err := whole.ours(whole.list())
	if err != nil {
		t.Fatal(err)
	}
	got := mustReadFormat(t, dir, "")
	for _, file := range slices.Backward(files[len(before.files):]) {
		got.replay(&migrationFile{up: file.down})
	}
	if diff := cmp.Diff(texts(before), texts(got)); diff != "" {
		t.Fatalf("Down does not restore the state before (-want +got)\n%s", diff)
	}
}

func mustReadFormat(t *testing.T, dir fs.FS, format Format) *History {
	t.Helper()
	h, err := ReadFormat(dir, format)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func texts(h *History) map[ID]string {
	m := map[ID]string{}
	for _, object := range h.Objects() {
		m[object.ID()] = string(object.As) + "\n" + object.SQL
	}
	return m
}

func byID(objects []Object) map[ID]Object {
	m := map[ID]Object{}
	for _, object := range objects {
		object.Policy, object.Table = "", ""
		if isRuntime(&object) { // Down of the first file drops the whole runtime
			object.Drop = ""
		}
		m[object.ID()] = object
	}
	return m
}

// randomObjects returns a random choice of objects, each in one of three versions. It always
// contains the table, because a step cannot change tables.
func randomObjects(random *rand.Rand) []Object {
	objects := []Object{{Kind: KindTable, Name: "retention.run", As: AsOwner,
		SQL: "CREATE TABLE IF NOT EXISTS retention.run ();\n", Drop: "DROP TABLE IF EXISTS retention.run;\n"}}
	for _, kind := range kinds[rank(KindFunction):] {
		for i := range 3 {
			if random.IntN(3) > 0 {
				objects = append(objects, randomObject(random, kind, i))
			}
		}
	}
	return objects
}

var hostile = []string{`public."a b"`, "quote\"and\\slash", "grün.日本\t+goose Up", "-- +goose Down"}

func randomObject(random *rand.Rand, kind Kind, i int) Object {
	as := AsMigrator
	if kind != KindIndex {
		as = []As{AsMigrator, AsOwner, AsRunner}[random.IntN(3)]
	}
	// Drop and SQL belong to the same version. Drop is not part of the hash, so a change of Drop
	// alone makes no step.
	version := random.IntN(3)
	body := []string{
		"SELECT 1;\n",
		"\n  -- a comment first\nSELECT 'a;b', $$x\n-- not goose\n$$;\n\n\nSELECT 2;\n",
		"DO $do$ BEGIN\n    RAISE NOTICE '-- next; end';\nEND $do$;  \n",
	}[version]
	if kind == KindIndex && version == 0 {
		body += "-- next\nSELECT 3;\n"
	}
	drop := []string{"", "SELECT 'gone';\n", "SELECT '+goose';\nSELECT 'again';\n"}[version]
	policyName := []string{"", "p"}[random.IntN(2)]
	name := fmt.Sprintf("%s%d", hostile[random.IntN(len(hostile))], i)
	if isPartOfScript(Object{Kind: kind, Policy: "p"}) {
		name = "retention." + name
	}
	// an object of the owner that needs no mark, unless its text contains a second comment that
	// would begin another object
	if kind == KindFunction && i > 0 {
		name, policyName = fmt.Sprintf("retention.f%d(text, bigint)", i), ""
		body = fmt.Sprintf("-- Says %d.\n-- Twice.\nCREATE OR REPLACE FUNCTION retention.f%d(p_a text, p_b bigint "+
			"DEFAULT %[1]d) RETURNS void\n"+
			"LANGUAGE sql AS $function$\n    -- Once.\n    SELECT %[1]d\n$function$;\n%[3]s", version, i, []string{"",
			"", "-- More.\nSELECT 1;\n"}[version])
	}
	return Object{Kind: kind, Name: name, As: as,
		SQL: body, Drop: drop, Policy: policyName}
}

// TestRuntimeWithoutMarks checks that parseBody refuses a text below runtimeMark that creates no
// object.
func TestRuntimeWithoutMarks(t *testing.T) {
	t.Parallel()
	_, err := parseBody(tools[Goose], "a.sql", "-- +goose Up\n"+
		runtimeMark+"\n-- One.\nCREATE TYPE retention.a AS ();\n-- Two.\nSELECT 1;\n"+endMark+"\n")
	if !errors.Is(err, ErrMalformed) {
		t.Errorf("parseBody of a text that creates nothing: got %v, want ErrMalformed", err)
	}
}

func mustNext(t *testing.T, h *History, wanted []Object) []File {
	t.Helper()
	files, err := Next(h, wanted, NextOptions{Roles: testRoles, SearchPath: []string{"pg_catalog", "public"}})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func addFiles(t *testing.T, dir fstest.MapFS, files []File) {
	t.Helper()
	for _, file := range files {
		if dir[file.Name] != nil {
			t.Fatalf("file %s exists already", file.Name)
		}
		dir[file.Name] = &fstest.MapFile{Data: []byte(file.Text)}
	}
}

func TestSameInputSameBytes(t *testing.T) {
	t.Parallel()
	wanted := randomObjects(rand.New(rand.NewPCG(7, 7)))
	contents := map[string]bool{}
	for range 10 {
		var all strings.Builder
		for _, file := range mustNext(t, mustReadFormat(t, fstest.MapFS{}, ""), wanted) {
			all.WriteString(file.Name + "\n" + file.Text)
		}
		contents[all.String()] = true
	}
	if len(contents) != 1 {
		t.Errorf("10 calls of Next give %d different results: %v", len(contents), slices.Collect(maps.Keys(contents)))
	}
}

func text(content string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(content)} }

func TestUpgradesAreSortedByNumber(t *testing.T) {
	t.Parallel()
	install := policy.Install{Schema: "keep", Roles: policy.Roles{None: true}}
	got, err := upgrades(fstest.MapFS{
		"upgrades/10/b.sql":      text("ALTER TABLE retention.run ADD b int;\n"),
		"upgrades/10/b.down.sql": text("SELECT 10;\n"),
		"upgrades/9/z.sql":       text("SELECT 9;\n"),
		"upgrades/9/z.down.sql":  text("ALTER TABLE retention.run DROP z;\n"),
		"upgrades/10/a.sql":      text("SELECT 10;\n"),
		"upgrades/10/a.down.sql": text("SELECT 10;\n"),
	}, renaming(install))
	want := []Object{
		{Kind: KindUpgrade, Name: "9/z", As: AsOwner, SQL: "SELECT 9;\n", Drop: "ALTER TABLE keep.run DROP z;\n"},
		{Kind: KindUpgrade, Name: "10/a", As: AsOwner, SQL: "SELECT 10;\n", Drop: "SELECT 10;\n"},
		{Kind: KindUpgrade, Name: "10/b", As: AsOwner, SQL: "ALTER TABLE keep.run ADD b int;\n", Drop: "SELECT 10;\n"},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v, upgrades (-want +got)\n%s", err, diff)
	}
	for name, files := range map[string]fstest.MapFS{
		"no down file": {"upgrades/2/a.sql": text("SELECT 1;\n")},
		"no version":   {"upgrades/next/a.sql": text("SELECT 1;\n"), "upgrades/next/a.down.sql": text("SELECT 1;\n")},
	} {
		if _, err := upgrades(files, renaming(install)); err == nil {
			t.Errorf("%s: upgrades accepts the files", name)
		}
	}
}

func TestReadRefusesANewerRuntime(t *testing.T) {
	t.Parallel()
	row := func(version string) Object {
		text := `{"runtime_version": "` + version + `"}`
		return Object{Kind: KindInstall, Name: "install", As: AsOwner, SQL: "SELECT '" + text + "';\n",
			Parts: Parts{PartRow: text}}
	}
	for name, c := range map[string]struct {
		object  Object
		message string
	}{
		"registry": {row("10"), "it installs version 10 of the runtime; this pgretain writes version 1"},
		"upgrade": {Object{Kind: KindUpgrade, Name: "10/a", As: AsOwner, SQL: "SELECT 1;\n"},
			"it installs version 10 of the runtime"},
		"unknown kind": {Object{Kind: "trigger", Name: "a", As: AsOwner, SQL: "SELECT 1;\n"},
			"line 23: it holds an object of kind \"trigger\""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := fstest.MapFS{}
			h := mustReadFormat(t, dir, "")
			p := part{middle: "retention_policies", what: "A newer one.", changes: []Change{{After: &c.object}}}
			files, err := writeStep(h, []part{p}, NextOptions{Roles: testRoles})
			if err != nil {
				t.Fatal(err)
			}
			addFiles(t, dir, files)
			_, err = Read(dir)
			var refused *HistoryError
			if !errors.Is(err, ErrNewer) || !errors.As(err, &refused) || refused.Hint == "" ||
				!strings.HasPrefix(refused.Message, c.message) {
				t.Errorf("got %v, want ErrNewer with message %q and a hint", err, c.message)
			}
		})
	}
	dir := fstest.MapFS{}
	files, err := Next(mustReadFormat(t, dir, ""), []Object{row("1")}, NextOptions{Roles: testRoles})
	if err != nil {
		t.Fatal(err)
	}
	addFiles(t, dir, files)
	mustReadFormat(t, dir, "")
}
