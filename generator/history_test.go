package generator

import (
	"errors"
	"fmt"
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

func TestRandomStepsReadBackAsWritten(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 1))
		dir := fstest.MapFS{}
		for range 6 {
			before := mustRead(t, dir)
			wanted := randomObjects(random)
			files := mustNext(t, before, wanted)
			addFiles(t, dir, files)
			after := mustRead(t, dir)
			if diff := cmp.Diff(byID(Pages(wanted, testRoles)), byID(after.Objects())); diff != "" {
				t.Fatalf("seed %d: wanted and read back differ (-want +got)\n%s", seed, diff)
			}
			if more := mustNext(t, after, wanted); len(more) != 0 {
				t.Fatalf("seed %d: a second step although nothing differs: %v", seed, more)
			}
			checkDown(t, before, after, files)
		}
	}
}

// checkDown replays the Down parts of a step, last file first: what was there before must come
// back to the byte.
func checkDown(t *testing.T, before, after *History, files []File) {
	t.Helper()
	got := after.clone()
	for _, file := range slices.Backward(files) {
		_, body, _ := strings.Cut(strings.TrimPrefix(file.Content(), firstLine+"\n"), "\n")
		parsed, err := parseBody(after.tool, file.Name, body)
		if err != nil {
			t.Fatal(err)
		}
		got.replay(migrationFile{up: parsed.down})
	}
	if diff := cmp.Diff(texts(before), texts(got)); diff != "" {
		t.Fatalf("Down does not restore what was there (-want +got)\n%s", diff)
	}
}

func texts(h *History) map[ID]string {
	m := map[ID]string{}
	for id, object := range h.objects {
		m[id] = string(object.As) + "\n" + object.SQL
	}
	return m
}

func byID(objects []Object) map[ID]Object {
	m := map[ID]Object{}
	for _, object := range objects {
		object.Policy, object.Table = "", ""
		if isRuntime(&object) { // the way back of the first file drops the whole runtime
			object.Drop = ""
		}
		m[object.ID()] = object
	}
	return m
}

// randomObjects is a random choice of objects, each in one of three versions. Types, tables and upgrades
// are always there: a step may not change them.
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
	// Drop goes with SQL: it is no part of the hash, a change of it alone makes no step.
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
	if ofPage(Object{Kind: kind, Policy: "p"}) {
		name = "retention." + name
	}
	return Object{Kind: kind, Name: name, As: as,
		SQL: body, Drop: drop, Policy: policyName}
}

func mustRead(t *testing.T, dir fstest.MapFS) *History {
	t.Helper()
	h, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return h
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
			t.Fatalf("%s is written twice", file.Name)
		}
		dir[file.Name] = &fstest.MapFile{Data: []byte(file.Content())}
	}
}

// threeSteps is a directory of four files: one function, replaced, and one more.
func threeSteps(t *testing.T) fstest.MapFS {
	t.Helper()
	dir := fstest.MapFS{}
	for _, sql := range []string{"SELECT 1;\n", "SELECT 2;\n", "SELECT 3;\n"} {
		addFiles(t, dir, mustNext(t, mustRead(t, dir), []Object{function("retention.a()", sql)}))
	}
	return dir
}

func function(name, sql string) Object {
	return Object{Kind: KindFunction, Name: name, As: AsOwner, SQL: sql,
		Drop: "DROP FUNCTION IF EXISTS " + name + ";\n", Policy: "p"}
}

func TestReadRefusesWhatDoesNotFollow(t *testing.T) {
	t.Parallel()
	const first, second, third = "00001_retention_policies.sql", "00002_retention_policies.sql", "00003_retention_policies.sql"
	for name, c := range map[string]struct {
		damage func(t *testing.T, dir fstest.MapFS)
		kind   error
		files  []string
	}{
		"edited body": {replaceIn(second, "SELECT 2", "SELECT 7"), ErrEdited, []string{second}},
		"edited down": {replaceIn(second, "SELECT 1", "SELECT 7"), ErrEdited, []string{second}},
		"blank at the end": {func(t *testing.T, dir fstest.MapFS) {
			dir[second].Data = append(dir[second].Data, '\n')
		}, ErrEdited, []string{second}},
		"state line gone": {replaceIn(second, "-- pgretain: state", "-- state"), ErrEdited, []string{second}},
		"middle missing": {func(t *testing.T, dir fstest.MapFS) { delete(dir, second) },
			ErrGap, []string{first, third}},
		"first missing": {func(t *testing.T, dir fstest.MapFS) { delete(dir, first) },
			ErrGap, []string{second}},
		"fork": {func(t *testing.T, dir fstest.MapFS) {
			other := fstest.MapFS{first: dir[first]}
			files := mustNext(t, mustRead(t, other), []Object{function("retention.b()", "SELECT 9;\n")})
			dir["00004_retention_policies.sql"] = &fstest.MapFile{Data: []byte(files[0].Content())}
		}, ErrFork, []string{second, "00004_retention_policies.sql"}},
		"renumbered": {func(t *testing.T, dir fstest.MapFS) {
			dir["00009_retention_policies.sql"] = dir[second]
			delete(dir, second)
		}, ErrOrder, []string{"00009_retention_policies.sql", third}},
		"number twice": {func(t *testing.T, dir fstest.MapFS) {
			dir["2_other.sql"] = &fstest.MapFile{Data: []byte("-- +goose Up\n")}
		}, ErrDuplicate, []string{second, "2_other.sql"}},
		"state of another file": {func(t *testing.T, dir fstest.MapFS) {
			state := mustRead(t, dir).Files()[2].State
			dir[third].Data = []byte(strings.Replace(string(dir[third].Data), "state "+state, "state 0123456789ab", 1))
		}, ErrEdited, []string{third}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := threeSteps(t)
			c.damage(t, dir)
			_, err := Read(dir)
			var got *HistoryError
			if !errors.As(err, &got) || !errors.Is(err, c.kind) {
				t.Fatalf("got %v, want %v", err, c.kind)
			}
			if diff := cmp.Diff(c.files, got.Files); diff != "" || got.Hint == "" {
				t.Errorf("files differ, or no hint (-want +got)\n%s%s", diff, got.Hint)
			}
		})
	}
}

func replaceIn(name, old, with string) func(*testing.T, fstest.MapFS) {
	return func(t *testing.T, dir fstest.MapFS) {
		damaged := strings.Replace(string(dir[name].Data), old, with, 1)
		if damaged == string(dir[name].Data) {
			t.Fatalf("%q is not in %s", old, name)
		}
		dir[name] = &fstest.MapFile{Data: []byte(damaged)}
	}
}

func TestReadToleratesCheckoutWithCRLF(t *testing.T) {
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

func TestFilesOfTheUserOnlyCount(t *testing.T) {
	t.Parallel()
	dir := threeSteps(t)
	want := mustRead(t, dir)
	user := &fstest.MapFile{Data: []byte("-- +goose Up\nSELECT 1;\n")}
	dir["00016_users_own.sql"], dir["notes.sql"], dir["00099_data.csv"] = user, user, user
	dir["00017_users_own.go"], dir["00099_users_own_test.go"] = user, user
	got := mustRead(t, dir)
	if got.State() != want.State() || got.NextVersion() != 18 {
		t.Errorf("state %s, next %d; want %s, 18", got.State(), got.NextVersion(), want.State())
	}
	files := mustNext(t, got, nil)
	if files[0].Name != "00018_retention_policies.sql" {
		t.Errorf("next file is %s", files[0].Name)
	}
	dir["00002_users_own.go"] = user
	if _, err := Read(dir); !errors.Is(err, ErrDuplicate) {
		t.Errorf("a number that one of ours has: %v", err)
	}
}

func TestNumbersContinueInTheWidthInUse(t *testing.T) {
	t.Parallel()
	dir := fstest.MapFS{"20260101120000_users_own.sql": &fstest.MapFile{Data: []byte("-- +goose Up\n")}}
	step := func(version func(int64) int64) ([]File, error) {
		return Next(mustRead(t, dir), []Object{function("retention.a()", "SELECT 1;\n")},
			NextOptions{Roles: testRoles, Label: "keep", Version: version})
	}
	files, err := step(func(int64) int64 { return 20260102000000 })
	if err != nil || files[0].Name != "20260102000000_keep_policies.sql" {
		t.Errorf("got %v, %v", files, err)
	}
	if _, err := step(func(previous int64) int64 { return previous }); err == nil {
		t.Error("a number that does not grow is accepted")
	}
}

func TestColumnSurvivesItsPolicy(t *testing.T) {
	t.Parallel()
	column := Object{Kind: KindColumn, Name: "public.m.created_at", As: AsMigrator, Policy: "p",
		SQL: "ALTER TABLE public.m ADD COLUMN created_at timestamptz;\n", Drop: "ALTER TABLE public.m DROP COLUMN created_at;\n"}
	dir := fstest.MapFS{}
	var steps []string
	for _, wanted := range [][]Object{{column}, nil, {column}} {
		files := mustNext(t, mustRead(t, dir), wanted)
		addFiles(t, dir, files)
		steps = append(steps, files[0].Content())
	}
	for i, drops := range []bool{true, false, false} {
		if got := strings.Contains(steps[i], "-- pgretain: drop column \"public.m.created_at\"\n"+column.Drop); got != drops {
			t.Errorf("step %d: drops the column: %t, want %t\n%s", i+1, got, drops, steps[i])
		}
	}
	if got, _ := mustRead(t, dir).Object(column.ID()); got.Drop != column.Drop {
		t.Errorf("read back, the column is removed by %q", got.Drop)
	}
}

func TestNextRefuses(t *testing.T) {
	t.Parallel()
	table := Object{Kind: KindTable, Name: "retention.run", As: AsOwner, SQL: "SELECT 1;\n"}
	dir := fstest.MapFS{}
	addFiles(t, dir, mustNext(t, mustRead(t, dir), []Object{table}))
	with := func(change func(*Object)) []Object {
		object := function("retention.a()", "SELECT 1;\n")
		change(&object)
		return []Object{table, object}
	}
	changed := table
	changed.SQL = "SELECT 2;\n"
	for name, c := range map[string]struct {
		wanted []Object
		kind   error
	}{
		"changed table":  {[]Object{changed}, ErrUpgrade},
		"dropped table":  {nil, ErrUpgrade},
		"twice":          {append(with(func(o *Object) {}), function("retention.a()", "SELECT 1;\n")), ErrTwice},
		"annotation":     {with(func(o *Object) { o.SQL = "SELECT '\n  --x +goose Down\n';\n" }), ErrText},
		"marker":         {with(func(o *Object) { o.Drop = "-- pgretain: end\nSELECT 1;\n" }), ErrText},
		"carriage":       {with(func(o *Object) { o.SQL = "SELECT 1;\r\n" }), ErrText},
		"no line break":  {with(func(o *Object) { o.SQL = "SELECT 1;" }), ErrText},
		"only comments":  {with(func(o *Object) { o.SQL = "-- nothing\n" }), ErrText},
		"empty":          {with(func(o *Object) { o.SQL = "" }), ErrText},
		"unknown kind":   {with(func(o *Object) { o.Kind = "trigger" }), ErrText},
		"index as owner": {with(func(o *Object) { o.Kind = KindIndex }), ErrText},
		"empty next":     {with(func(o *Object) { o.Kind, o.As, o.SQL = KindIndex, AsMigrator, "SELECT 1;\n-- next\n" }), ErrText},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Next(mustRead(t, dir), c.wanted, NextOptions{Roles: testRoles})
			var got *ObjectError
			if !errors.Is(err, c.kind) || !errors.As(err, &got) {
				t.Errorf("got %v, want %v", err, c.kind)
			}
		})
	}
	roles := policy.Roles{Owner: "a -- b", Runner: "r"}
	if _, err := Next(mustRead(t, fstest.MapFS{}), with(func(*Object) {}), NextOptions{Roles: roles}); !errors.Is(err, ErrText) {
		t.Errorf("role name with a comment: got %v", err)
	}
}

func TestSameInputSameBytes(t *testing.T) {
	t.Parallel()
	wanted := randomObjects(rand.New(rand.NewPCG(7, 7)))
	contents := map[string]bool{}
	for range 10 {
		var all strings.Builder
		for _, file := range mustNext(t, mustRead(t, fstest.MapFS{}), wanted) {
			all.WriteString(file.Name + "\n" + file.Content())
		}
		contents[all.String()] = true
	}
	if len(contents) != 1 {
		t.Errorf("%d different results: %v", len(contents), slices.Collect(maps.Keys(contents)))
	}
}
