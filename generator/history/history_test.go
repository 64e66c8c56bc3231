package history_test

import (
	"errors"
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"pgretain/generator"
	"pgretain/policy"
)

var testRoles = policy.Roles{Owner: "retention_owner", Runner: "retention_runner"}

func mustRead(t *testing.T, dir fstest.MapFS) *generator.History {
	t.Helper()
	h, err := generator.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func mustReadFormat(t *testing.T, dir fs.FS, format generator.Format) *generator.History {
	t.Helper()
	h, err := generator.ReadFormat(dir, format)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func mustNext(t *testing.T, h *generator.History, wanted []generator.Object) []generator.File {
	t.Helper()
	files, err := generator.Next(h, wanted, generator.NextOptions{Roles: testRoles,
		SearchPath: []string{"pg_catalog", "public"}})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func addFiles(t *testing.T, dir fstest.MapFS, files []generator.File) {
	t.Helper()
	for _, file := range files {
		if dir[file.Name] != nil {
			t.Fatalf("%s is written twice", file.Name)
		}
		dir[file.Name] = &fstest.MapFile{Data: []byte(file.Text)}
	}
}

// threeSteps returns a directory of three files. The first creates a function, and the others
// replace it.
func threeSteps(t *testing.T) fstest.MapFS {
	t.Helper()
	dir := fstest.MapFS{}
	for _, sql := range []string{"SELECT 1;\n", "SELECT 2;\n", "SELECT 3;\n"} {
		addFiles(t, dir, mustNext(t, mustRead(t, dir), []generator.Object{function("retention.a()", sql)}))
	}
	return dir
}

func function(name, sql string) generator.Object {
	return generator.Object{Kind: generator.KindFunction, Name: name, As: generator.AsOwner, SQL: sql,
		Drop: "DROP FUNCTION IF EXISTS " + name + ";\n", Policy: "p"}
}

// TestReadRefusesBrokenChains checks that Read refuses edited, missing, renumbered and forked
// files, and names them.
func TestReadRefusesBrokenChains(t *testing.T) {
	t.Parallel()
	const (
		first  = "00001_retention_policies.sql"
		second = "00002_retention_policies.sql"
		third  = "00003_retention_policies.sql"
	)
	for name, c := range map[string]struct {
		damage func(t *testing.T, dir fstest.MapFS)
		kind   error
		files  []string
	}{
		"edited body": {replaceIn(second, "SELECT 2", "SELECT 7"), generator.ErrEdited, []string{second}},
		"edited down": {replaceIn(second, "SELECT 1", "SELECT 7"), generator.ErrEdited, []string{second}},
		"blank at the end": {func(t *testing.T, dir fstest.MapFS) {
			dir[second].Data = append(dir[second].Data, '\n')
		}, generator.ErrEdited, []string{second}},
		"state line edited": {replaceIn(second, "-- pgretain: state", "-- state"),
			generator.ErrEdited, []string{second}},
		"middle missing": {func(t *testing.T, dir fstest.MapFS) { delete(dir, second) },
			generator.ErrGap, []string{first, third}},
		"first missing": {func(t *testing.T, dir fstest.MapFS) { delete(dir, first) },
			generator.ErrGap, []string{second}},
		"fork": {func(t *testing.T, dir fstest.MapFS) {
			other := fstest.MapFS{first: dir[first]}
			files := mustNext(t, mustRead(t, other), []generator.Object{function("retention.b()", "SELECT 9;\n")})
			dir["00004_retention_policies.sql"] = &fstest.MapFile{Data: []byte(files[0].Text)}
		}, generator.ErrFork, []string{second, "00004_retention_policies.sql"}},
		"renumbered": {func(t *testing.T, dir fstest.MapFS) {
			dir["00009_retention_policies.sql"] = dir[second]
			delete(dir, second)
		}, generator.ErrOrder, []string{"00009_retention_policies.sql", third}},
		"number twice": {func(t *testing.T, dir fstest.MapFS) {
			dir["2_other.sql"] = &fstest.MapFile{Data: []byte("-- +goose Up\n")}
		}, generator.ErrDuplicate, []string{second, "2_other.sql"}},
		"state of another file": {func(t *testing.T, dir fstest.MapFS) {
			state := mustRead(t, dir).Files()[2].State
			dir[third].Data = []byte(strings.Replace(string(dir[third].Data), "state "+state, "state 0123456789ab", 1))
		}, generator.ErrEdited, []string{third}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := threeSteps(t)
			c.damage(t, dir)
			_, err := generator.Read(dir)
			var got *generator.HistoryError
			if !errors.As(err, &got) || !errors.Is(err, c.kind) {
				t.Fatalf("got %v, want %v", err, c.kind)
			}
			if diff := cmp.Diff(c.files, got.Files); diff != "" || got.Hint == "" {
				t.Errorf("files of the error differ, or it has no hint (-want +got)\n%shint: %q", diff, got.Hint)
			}
		})
	}
}

// replaceIn returns a function that replaces the first occurrence of old in a file.
func replaceIn(name, old, with string) func(*testing.T, fstest.MapFS) {
	return func(t *testing.T, dir fstest.MapFS) {
		damaged := strings.Replace(string(dir[name].Data), old, with, 1)
		if damaged == string(dir[name].Data) {
			t.Fatalf("%q is not in %s", old, name)
		}
		dir[name] = &fstest.MapFile{Data: []byte(damaged)}
	}
}

func TestReadAcceptsCRLF(t *testing.T) {
	t.Parallel()
	dir := threeSteps(t)
	want := mustRead(t, dir)
	for _, file := range dir {
		file.Data = []byte(strings.ReplaceAll(string(file.Data), "\n", "\r\n"))
	}
	got := mustRead(t, dir)
	if diff := cmp.Diff(want.Objects(), got.Objects()); diff != "" || got.State() != want.State() {
		t.Errorf("history differs (-want +got)\n%s", diff)
	}
}

// TestUserFilesReserveNumbers checks that files of the user change only the next number, and that
// they must not have the number of a generated file.
func TestUserFilesReserveNumbers(t *testing.T) {
	t.Parallel()
	dir := threeSteps(t)
	want := mustRead(t, dir)
	user := &fstest.MapFile{Data: []byte("-- +goose Up\nSELECT 1;\n")}
	dir["00016_users_own.sql"], dir["notes.sql"], dir["00099_data.csv"] = user, user, user
	dir["00017_users_own.go"], dir["00099_users_own_test.go"] = user, user
	got := mustRead(t, dir)
	if got.State() != want.State() || got.Last() != 17 {
		t.Errorf("state %s, last %d; want %s, 17", got.State(), got.Last(), want.State())
	}
	files := mustNext(t, got, nil)
	if files[0].Name != "00018_retention_policies.sql" {
		t.Errorf("next file: got %s, want 00018_retention_policies.sql", files[0].Name)
	}
	dir["00002_users_own.go"] = user
	if _, err := generator.Read(dir); !errors.Is(err, generator.ErrDuplicate) {
		t.Errorf("user file with the number of a generated file: got %v, want ErrDuplicate", err)
	}
}

// TestNumbersKeepTheirWidth checks that NextOptions.Version sets the next number, and that it must
// be greater than the last one.
func TestNumbersKeepTheirWidth(t *testing.T) {
	t.Parallel()
	dir := fstest.MapFS{"20260101120000_users_own.sql": &fstest.MapFile{Data: []byte("-- +goose Up\n")}}
	step := func(version func(int64) int64) ([]generator.File, error) {
		return generator.Next(mustRead(t, dir), []generator.Object{function("retention.a()", "SELECT 1;\n")},
			generator.NextOptions{Roles: testRoles, Label: "keep", Version: version})
	}
	files, err := step(func(int64) int64 { return 20260102000000 })
	if err != nil || files[0].Name != "20260102000000_keep_policies.sql" {
		t.Errorf("got %v, %v", files, err)
	}
	if _, err := step(func(previous int64) int64 { return previous }); err == nil {
		t.Error("Next accepts a number that is not greater than the last one")
	}
}

// TestColumnSurvivesItsPolicy checks that only Down of the first migration drops a column of
// "ensure". After a policy was removed and added again, Down must not drop the column with its
// data.
func TestColumnSurvivesItsPolicy(t *testing.T) {
	t.Parallel()
	column := generator.Object{Kind: generator.KindColumn, Name: "public.m.created_at", As: generator.AsMigrator,
		Policy: "p",
		SQL:    "ALTER TABLE public.m ADD COLUMN created_at timestamptz;\n",
		Drop:   "ALTER TABLE public.m DROP COLUMN created_at;\n"}
	dir := fstest.MapFS{}
	var steps []string
	for _, wanted := range [][]generator.Object{{column}, nil, {column}} {
		files := mustNext(t, mustRead(t, dir), wanted)
		addFiles(t, dir, files)
		steps = append(steps, files[0].Text)
	}
	for i, drops := range []bool{true, false, false} {
		dropped := "-- pgretain: drop column \"public.m.created_at\"\n-- +goose StatementBegin\n" + column.Drop
		if got := strings.Contains(steps[i], dropped); got != drops {
			t.Errorf("Down of step %d drops the column: got %t, want %t\n%s", i+1, got, drops, steps[i])
		}
	}
	if got, _ := mustRead(t, dir).Object(column.ID()); got.Drop != column.Drop {
		t.Errorf("Drop of the column that Read returns: got %q, want %q", got.Drop, column.Drop)
	}
}

// TestNextRefuses checks that Next refuses to change or drop tables of the runtime, and texts that
// Read could not read back.
func TestNextRefuses(t *testing.T) {
	t.Parallel()
	table := generator.Object{Kind: generator.KindTable, Name: "retention.run", As: generator.AsOwner,
		SQL: "SELECT 1;\n"}
	dir := fstest.MapFS{}
	addFiles(t, dir, mustNext(t, mustRead(t, dir), []generator.Object{table}))
	changed := func(change func(*generator.Object)) []generator.Object {
		object := function("retention.a()", "SELECT 1;\n")
		change(&object)
		return []generator.Object{table, object}
	}
	changedTable := table
	changedTable.SQL = "SELECT 2;\n"
	for name, c := range map[string]struct {
		wanted []generator.Object
		kind   error
	}{
		"changed table": {[]generator.Object{changedTable}, generator.ErrUpgrade},
		"dropped table": {nil, generator.ErrUpgrade},
		"annotation": {changed(func(o *generator.Object) { o.SQL = "SELECT '\n  --x +goose Down\n';\n" }),
			generator.ErrText},
		"marker": {changed(func(o *generator.Object) { o.Drop = "-- pgretain: end\nSELECT 1;\n" }),
			generator.ErrText},
		"carriage return": {changed(func(o *generator.Object) { o.SQL = "SELECT 1;\r\n" }), generator.ErrText},
		"no line break":   {changed(func(o *generator.Object) { o.SQL = "SELECT 1;" }), generator.ErrText},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := generator.Next(mustRead(t, dir), c.wanted, generator.NextOptions{Roles: testRoles})
			var got *generator.ObjectError
			if !errors.Is(err, c.kind) || !errors.As(err, &got) {
				t.Errorf("got %v, want %v", err, c.kind)
			}
		})
	}
}

// TestUpgradeComesAfterTablesAndBeforeFunctions checks the order of Up and of Down. In Up, an
// upgrade comes before functions. In Down, it is reverted before the functions of the older version
// are created.
func TestUpgradeComesAfterTablesAndBeforeFunctions(t *testing.T) {
	t.Parallel()
	upgrade := generator.Object{Kind: generator.KindUpgrade, Name: "1/run_note", As: generator.AsOwner,
		SQL:  "ALTER TABLE retention.run ADD COLUMN IF NOT EXISTS note text;\n",
		Drop: "ALTER TABLE retention.run DROP COLUMN IF EXISTS note;\n"}
	dir := fstest.MapFS{}
	addFiles(t, dir, mustNext(t, mustRead(t, dir), runtimeObjects("SELECT 1")))
	files := mustNext(t, mustRead(t, dir), append(runtimeObjects("SELECT 2"), upgrade))
	if len(files) != 1 {
		t.Fatalf("got %d files, want 1", len(files))
	}
	want := []string{
		"put upgrade \"1/run_note\"", "put function \"retention.health()\"",
		"drop upgrade \"1/run_note\"", "put function \"retention.health()\"",
	}
	if diff := cmp.Diff(want, marks(files[0].Text)); diff != "" {
		t.Errorf("marks of the file (-want +got)\n%s", diff)
	}
	if n := strings.Count(files[0].Text, "SET LOCAL lock_timeout = '10s';"); n != 2 {
		t.Errorf("got %d settings of lock_timeout, want one in Up and one in Down", n)
	}
	addFiles(t, dir, files)
	if _, err := generator.Next(mustRead(t, dir), runtimeObjects("SELECT 2"),
		generator.NextOptions{Roles: testRoles}); !errors.Is(err, generator.ErrUpgrade) {
		t.Errorf("upgrade is no longer wanted: got %v, want ErrUpgrade", err)
	}
}

var mark = regexp.MustCompile(`(?m)^-- pgretain: ((?:put|drop) \w+ "[^"]*")`)

// marks returns the marks of a file: action, kind and name of each object.
func marks(content string) []string {
	var list []string
	for _, found := range mark.FindAllStringSubmatch(content, -1) {
		list = append(list, found[1])
	}
	return list
}
