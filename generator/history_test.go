package generator

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
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
	if kind == KindFunction && i > 0 { // one that needs no mark where it is the owner's; but for a comment that would begin another
		name, policyName = fmt.Sprintf("retention.f%d(text, bigint)", i), ""
		body = fmt.Sprintf("-- Says %d.\n-- Twice.\nCREATE OR REPLACE FUNCTION retention.f%d(p_a text, p_b bigint DEFAULT %[1]d) RETURNS void\n"+
			"LANGUAGE sql AS $function$\n    -- Once.\n    SELECT %[1]d\n$function$;\n%[3]s", version, i, []string{"", "", "-- More.\nSELECT 1;\n"}[version])
	}
	return Object{Kind: kind, Name: name, As: as,
		SQL: body, Drop: drop, Policy: policyName}
}

func TestRuntimeWithoutMarks(t *testing.T) {
	t.Parallel()
	_, err := parseBody(gooseTool, "a.sql", "-- +goose Up\n"+runtimeMark+"\n-- One.\nCREATE TYPE retention.a AS ();\n-- Two.\nSELECT 1;\n"+endMark+"\n")
	if !errors.Is(err, ErrMalformed) {
		t.Errorf("a text that creates nothing is read: %v", err)
	}
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

// branch adds up to three random steps to a copy of base. Numbers go on after first.
func branch(t *testing.T, random *rand.Rand, base fstest.MapFS, format Format, label string, first int64) fstest.MapFS {
	t.Helper()
	dir := maps.Clone(base)
	for range 1 + random.IntN(3) {
		h := mustReadFormat(t, dir, format)
		wanted := []Object{{Kind: KindIndex, Name: fmt.Sprint("app.", random.Int()), As: AsMigrator, Policy: "p",
			SQL: "SELECT 1;\n", Drop: "SELECT 0;\n"}}
		for i := range 3 {
			wanted = append(wanted, function(fmt.Sprintf("retention.f%d()", i), fmt.Sprintf("SELECT %d;\n", random.Int())))
		}
		files, err := Next(h, wanted, NextOptions{Roles: testRoles, Label: label,
			Version: func(previous int64) int64 { return max(previous, first) + 1 }})
		if err != nil {
			t.Fatal(err)
		}
		addFiles(t, dir, files)
	}
	return dir
}

// added are the names in dir that base has not.
func added(dir, base fstest.MapFS) []string {
	var names []string
	for name := range dir {
		if base[name] == nil {
			names = append(names, name)
		}
	}
	return slices.Sorted(slices.Values(names))
}

// union is both sides in one directory, with files of the user's own where the tool has room for them.
func union(random *rand.Rand, format Format, sides ...fstest.MapFS) fstest.MapFS {
	all := fstest.MapFS{}
	for _, side := range sides {
		maps.Copy(all, side)
	}
	if own := tools[format]; !own.gapless {
		for _, n := range []int{50, 200} { // between the sides, and after them
			all[own.name(int64(n+random.IntN(50)), 5, "own")] = &fstest.MapFile{Data: []byte("SELECT 1;\n")}
		}
	}
	return all
}

// Whichever side is chosen, all of its files go, with what belongs to them, and no other file; what is
// left is the other side.
func TestRebaseTakesOneSideWhole(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		for _, format := range Formats {
			random := rand.New(rand.NewPCG(seed, 5))
			base := branch(t, random, fstest.MapFS{}, format, "", 0)
			offset := int64(0) // both sides have the same numbers
			if !tools[format].gapless && seed%2 == 0 {
				offset = 101
			}
			ours := branch(t, random, base, format, "ours", 0)
			theirs := branch(t, random, base, format, "theirs", offset)
			all := union(random, format, ours, theirs)
			what := fmt.Sprintf("%s, seed %d", format, seed)

			checkRebase(t, what, all, base, theirs, ours)
			checkRebase(t, what, all, base, ours, theirs)
			h, removed, err := Rebase(all, "", nil, true)
			if offset == 0 {
				if !errors.Is(err, ErrDuplicate) {
					t.Errorf("%s: the later of two equal numbers: %v", what, err)
				}
			} else if err != nil || h.State() != mustReadFormat(t, ours, "").State() {
				t.Errorf("%s: later: %v", what, err)
			} else if diff := cmp.Diff(added(theirs, base), slices.Sorted(slices.Values(removed))); diff != "" {
				t.Errorf("%s: later (-want +got)\n%s", what, diff)
			}
		}
	}
}

// checkRebase takes side away, by its first file.
func checkRebase(t *testing.T, what string, all, base, side, left fstest.MapFS) {
	t.Helper()
	head := mustReadFormat(t, side, "").Files()[len(mustReadFormat(t, base, "").Files())].Name
	h, removed, err := Rebase(all, "", []string{head}, false)
	if err != nil {
		t.Errorf("%s: without %s: %v", what, head, err)
		return
	}
	if want := mustReadFormat(t, left, "").State(); h.State() != want {
		t.Errorf("%s: without %s: state %s, want %s", what, head, h.State(), want)
	}
	if diff := cmp.Diff(added(side, base), slices.Sorted(slices.Values(removed))); diff != "" {
		t.Errorf("%s: without %s (-want +got)\n%s", what, head, diff)
	}
	rest := maps.Clone(all)
	for _, name := range removed {
		delete(rest, name)
	}
	if diff := cmp.Diff(h.Objects(), mustReadFormat(t, rest, "").Objects()); diff != "" {
		t.Errorf("%s: what is left reads otherwise\n%s", what, diff)
	}
}

// Damage anywhere refuses a rebase: half of a directory is not judged.
func TestRebaseRefuses(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 9))
	base := branch(t, random, fstest.MapFS{}, Goose, "", 0)
	ours, theirs := branch(t, random, base, Goose, "ours", 0), branch(t, random, base, Goose, "theirs", 101)
	all := union(random, Goose, ours, theirs)
	for name, kind := range map[string]error{"\n-- more\n": ErrEdited, "\n<<<<<<< HEAD\n": ErrConflict} {
		for _, side := range []fstest.MapFS{base, ours, theirs} {
			damaged := maps.Clone(all)
			file := added(side, nil)[len(added(side, nil))-1]
			damaged[file] = &fstest.MapFile{Data: []byte(string(all[file].Data) + name)}
			if _, _, err := Rebase(damaged, "", nil, true); !errors.Is(err, kind) || !strings.Contains(err.Error(), file) {
				t.Errorf("%s: got %v, want %v", file, err, kind)
			}
		}
	}
}

// tern wants every number: a file of the user's own behind a side that goes would stand alone.
func TestRebaseLeavesNoGap(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 9))
	base := branch(t, random, fstest.MapFS{}, Tern, "", 0)
	n := int64(len(mustReadFormat(t, base, "").Files()))
	side := branch(t, random, base, Tern, "theirs", 0)
	own := tools[Tern].name(int64(len(side))+1, 3, "own")
	side[own] = &fstest.MapFile{Data: []byte("SELECT 1;\n")}
	ours := maps.Clone(base)
	addFiles(t, ours, mustNext(t, mustReadFormat(t, base, ""), []Object{function("retention.f()", "SELECT 1;\n")})[:1])
	all := union(random, Tern, ours, side)
	head := mustReadFormat(t, side, "").Files()[n].Name
	_, _, err := Rebase(all, "", []string{head}, false)
	var got *HistoryError
	if !errors.As(err, &got) || got.Kind != ErrGap || got.Files[len(got.Files)-1] != own || !strings.Contains(got.Hint, "Give the last of these the number") {
		t.Errorf("got %v", err)
	}
}

const deltaBefore = `
version: 1
protect: [app.rolled]
policies:
  notes:
    table: app.note
    where: "state = 'done'"
    due: {age: {column: made_at, older_than: 7 days}}
    keep: {open: "EXISTS (SELECT FROM app.review v WHERE v.note_id = t.id AND v.open)"}
    then: [delete]
  served: {table: app.served, due: {age: {column: at, older_than: 30 days}}, then: [delete]}
  loans: {table: app.loan, ensure: {created_at: {type: timestamptz, default: now()}}, due: {age: {column: created_at, older_than: 30 days}}, then: [delete]}
reports:
  newest: {query: "SELECT max(at) AS newest FROM app.served"}
jobs:
  nightly: {schedule: "17 3 * * *", run: [notes, served, newest]}
`

// deltas say what a change of the file changes: a line an object, "file: sign kind name", and of a policy the words.
var deltas = map[string]struct {
	change func(string) string
	want   []string
}{
	"nothing":               {replaced(), nil},
	"comments and blanks":   {replaced("policies:", "# why\n\npolicies:  # here\n", "    then: [delete]", "\n    then: [delete] # gone"), nil},
	"another indentation":   {replaced("    table: app.note\n", "        table:    app.note\n", "    where", "        where", "    due: {age: {column: made_at", "        due: {age: {column: made_at", "    keep", "        keep", "    then", "        then"), nil},
	"block instead of flow": {replaced("due: {age: {column: made_at, older_than: 7 days}}", "due:\n      age:\n        older_than: 7 days\n        column: made_at"), nil},
	"order of keys": {replaced("{schedule: \"17 3 * * *\", run: [notes, served, newest]}", "{run: [notes, served, newest], schedule: \"17 3 * * *\"}",
		"{table: app.served, due: {age: {column: at, older_than: 30 days}}, then: [delete]}", "{then: [delete], due: {age: {older_than: 30 days, column: at}}, table: app.served}"), nil},
	"order of policies":       {lastFirst, nil},
	"defaults spelled out":    {replaced("version: 1", "version: 1\ndefaults: {batch: {rows: 50000, time: 50ms, lock_timeout: 100ms}, budget: {time: 10m}, breaker: {rows: 5000000, fraction: 0.5}, throttle: {busy: 100%}}"), nil},
	"install spelled out":     {replaced("version: 1", "version: 1\ninstall: {schema: retention, search_path: [public], time_zone: UTC, scheduler: pg_cron}"), nil},
	"a default in the policy": {replaced("then: [delete]\n  served", "then: [delete]\n    batch: {rows: 50000, time: 50ms}\n  served"), nil},
	"an equal window":         {replaced("older_than: 7 days", "older_than: 7 day"), nil},
	"an anchor":               {replaced("older_than: 7 days", "older_than: &week 7 days"), nil},
	"defaults of all":         {replaced("version: 1", "version: 1\ndefaults: {batch: {rows: 100}}"), all("batch: sized for 50 ms, at most 50,000 rows -> 100 rows")},
	"a bound of one":          {replaced("then: [delete]\n  served", "then: [delete]\n    batch: {rows: 100}\n  served"), []string{"policies: ~ policy notes: batch: sized for 50 ms, at most 50,000 rows -> 100 rows"}},
	"description":             {replaced("    table: app.note", "    description: old\n    table: app.note"), []string{"policies: ~ policy notes: with about: old"}},
	"protect":                 {replaced("[app.rolled]", "[app.rolled, app.transfer]"), []string{"policies: ~ install install"}},
	"time zone":               {replaced("version: 1", "version: 1\ninstall: {time_zone: Europe/Berlin}"), append(all("due: ... days back -> ... days back (days of Europe/Berlin)"), "policies: ~ install install")},
	"order in a job":          {replaced("[notes, served, newest]", "[served, notes, newest]"), []string{"policies: ~ job nightly"}},
	"another schedule":        {replaced("17 3", "18 3"), []string{"policies: ~ cron retention.nightly", "policies: ~ job nightly"}},
	"one more schedule":       {replaced(`"17 3 * * *"`, `["17 3 * * *", "@reboot"]`), []string{"policies: + cron retention.nightly#2", "policies: ~ job nightly"}},
	"a job renamed":           {replaced("nightly:", "night:"), []string{"policies: - cron retention.nightly", "policies: + job night", "policies: + cron retention.night", "policies: - job nightly"}},
	"no jobs":                 {replaced("jobs:\n  nightly: {schedule: \"17 3 * * *\", run: [notes, served, newest]}\n", ""), []string{"policies: - cron retention.nightly", "policies: - job nightly"}},
	"no scheduler":            {replaced("version: 1", "version: 1\ninstall: {scheduler: none}"), []string{"policies: - cron retention.nightly", "policies: ~ install install"}},
	"a column's default":      {replaced("default: now()", "default: \"now() - interval '1 day'\""), []string{"tables: ~ column app.loan.created_at"}},
	"a report":                {replaced("max(at)", "min(at)"), []string{"policies: ~ policy newest: asks: SELECT max(at) AS newest ... -> SELECT min(at) AS newest ..."}},
	"a report gone":           {replaced("reports:\n  newest: {query: \"SELECT max(at) AS newest FROM app.served\"}\n", "", ", newest]", "]"), []string{"policies: ~ job nightly", "policies: - policy newest"}},
	"another window":          {replaced("older_than: 7 days", "older_than: 8 days"), []string{"policies: ~ policy notes: due: ... 7 days back -> ... 8 days back"}},
	"another index": {replaced("where: \"state = 'done'\"", "where: \"state = 'gone'\""), []string{"indexes: + index app.pgretain_note", "drop_indexes: - index app.pgretain_note",
		"policies: ~ policy notes: where: state = 'done' -> state = 'gone'"}},
	"a policy that reads more": {replaced("EXISTS (SELECT FROM app.review v", "EXISTS (SELECT FROM app.config) OR EXISTS (SELECT FROM app.review v"), []string{"tables: + privilege app.config",
		"policies: ~ policy notes: keeps: open: EXISTS (SELECT FROM app.review v ... -> open: EXISTS (SELECT FROM app.config) OR EXISTS (SELECT FROM app.review v ...; " +
			"takes: ... guards read: app.review; LOCKED ... -> ... guards read: app.config, app.review; LOCKED ..."}},
}

// all are the lines for a change of every policy of the file.
func all(words string) []string {
	return []string{"policies: ~ policy loans: " + words, "policies: ~ policy notes: " + words, "policies: ~ policy served: " + words}
}

func replaced(pairs ...string) func(string) string {
	return func(s string) string {
		for i := 0; i < len(pairs); i += 2 {
			if !strings.Contains(s, pairs[i]) {
				panic("not in the file: " + pairs[i])
			}
			s = strings.Replace(s, pairs[i], pairs[i+1], 1)
		}
		return s
	}
}

// lastFirst moves the last policy to the front.
func lastFirst(s string) string {
	start := strings.Index(s, "  loans:")
	end := strings.Index(s, "reports:")
	return s[:start][:strings.Index(s, "  notes:")] + s[start:end] + s[strings.Index(s, "  notes:"):start] + s[end:]
}

func TestDelta(t *testing.T) {
	t.Parallel()
	for name, c := range deltas {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := fstest.MapFS{}
			deltaStep(t, dir, deltaBefore)
			after := c.change(deltaBefore)
			files := deltaStep(t, dir, after)
			want := slices.Sorted(slices.Values(c.want))
			if diff := cmp.Diff(want, deltaLines(files)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if more := deltaStep(t, dir, after); len(more) > 0 {
				t.Errorf("a second step for the same file: %v", deltaLines(more))
			}
		})
	}
}

var (
	deltaName = regexp.MustCompile(`^[0-9]+_(?:pgretain|retention)_(.*)\.sql$`)
	headLine  = regexp.MustCompile(`(?m)^--   ([-+~]) ([a-z]+) "(.*?)(?:_[0-9a-f]{8})?"(: .*)?$`)
)

func deltaLines(files []File) []string {
	var lines []string
	for _, f := range files {
		for _, m := range headLine.FindAllStringSubmatch(f.Content(), -1) {
			lines = append(lines, deltaName.FindStringSubmatch(f.Name)[1]+": "+m[1]+" "+m[2]+" "+m[3]+m[4])
		}
	}
	slices.Sort(lines)
	return lines
}

// TestDeltaRefuses: what cannot be made by a step is said at its line, and nothing is written.
func TestDeltaRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(string) string
		want   string
		line   int
	}{
		"schema":          {replaced("version: 1", "version: 1\ninstall: {schema: keep}"), `schema "retention", the policy file says "keep"`, 3},
		"owner":           {replaced("version: 1", "version: 1\ninstall: {roles: {owner: o}}"), `owner "retention_owner", the policy file says owner "o"`, 3},
		"runner":          {replaced("version: 1", "version: 1\ninstall: {roles: {runner: r}}"), `runner "retention_runner", the policy file says runner "r"`, 3},
		"viewer":          {replaced("version: 1", "version: 1\ninstall: {roles: {viewer: v}}"), `let roles retention_worker, retention_runner, retention_operator, retention_viewer look, the policy file says retention_worker, retention_runner, retention_operator, v`, 3},
		"no roles":        {replaced("version: 1", "version: 1\ninstall: {roles: none}"), `owner "retention_owner", the policy file says roles: none`, 3},
		"a column's type": {replaced("type: timestamptz", "type: timestamp"), `column "created_at" of table "app.loan" was added with another type`, 12},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := fstest.MapFS{}
			deltaStep(t, dir, deltaBefore)
			files, list := tryDelta(t, dir, c.change(deltaBefore))
			if len(list) != 1 || !strings.Contains(list[0].Message, c.want) || list[0].Position.Line != c.line || list[0].Hint == "" || len(files) > 0 {
				t.Errorf("got %v %+v, want %q in line %d with a hint", deltaLines(files), list, c.want, c.line)
			}
		})
	}
}

func TestDeltaColumnTypeFollowsTheTable(t *testing.T) {
	t.Parallel()
	dir := fstest.MapFS{}
	deltaStep(t, dir, deltaBefore)
	file, _ := policy.Parse("retention.yaml", []byte(replaced("type: timestamptz", "type: timestamp")(deltaBefore)))
	snapshot := deltaSnapshot(t, file)
	loan := snapshot.Table("app.loan")
	loan.Columns = append(loan.Columns, catalog.Column{Name: "created_at", Type: "timestamp without time zone"})
	if _, list := Compile(file, snapshot, mustRead(t, dir)); list.HasErrors() {
		t.Errorf("the table has the type, and it is refused: %v", list)
	}
}

func deltaStep(t *testing.T, dir fstest.MapFS, yaml string) []File {
	t.Helper()
	files, list := tryDelta(t, dir, yaml)
	if len(list) > 0 {
		t.Fatalf("%v\n%s", list, yaml)
	}
	addFiles(t, dir, files)
	return files
}

// tryDelta is the next step for a file, or what is wrong.
func tryDelta(t *testing.T, dir fstest.MapFS, yaml string) ([]File, diag.List) {
	t.Helper()
	file, list := policy.Parse("retention.yaml", []byte(yaml))
	if list.HasErrors() {
		t.Fatalf("%v\n%s", list, yaml)
	}
	history := mustRead(t, dir)
	objects, list := Compile(file, deltaSnapshot(t, file), history)
	if list.HasErrors() {
		return nil, list
	}
	files, err := Next(history, objects, NextOptions{Roles: file.Install.Roles, SearchPath: []string{"pg_catalog", "public", "pg_temp"}})
	var refused *ObjectError
	if errors.As(err, &refused) {
		return nil, diag.List{refused.Diagnostic()}
	} else if err != nil {
		t.Fatal(err)
	}
	return files, nil
}

func deltaSnapshot(t *testing.T, file *policy.File) *catalog.Snapshot {
	t.Helper()
	snapshot := commonSnapshot(t)
	snapshot.SearchPath = file.Install.SearchPath
	return snapshot
}

func text(content string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(content)} }

func TestUpgradesGoByNumber(t *testing.T) {
	t.Parallel()
	kind := runtimeKind{"upgrades", KindUpgrade}
	install := policy.Install{Schema: "keep", Roles: policy.Roles{None: true}}
	got, err := kind.upgrades(fstest.MapFS{
		"upgrades/10/b.sql": text("ALTER TABLE retention.run ADD b int;\n"), "upgrades/10/b.down.sql": text("SELECT 10;\n"),
		"upgrades/9/z.sql": text("SELECT 9;\n"), "upgrades/9/z.down.sql": text("ALTER TABLE retention.run DROP z;\n"),
		"upgrades/10/a.sql": text("SELECT 10;\n"), "upgrades/10/a.down.sql": text("SELECT 10;\n"),
	}, install)
	want := []Object{
		{Kind: KindUpgrade, Name: "9/z", As: AsOwner, SQL: "SELECT 9;\n", Drop: "ALTER TABLE keep.run DROP z;\n"},
		{Kind: KindUpgrade, Name: "10/a", As: AsOwner, SQL: "SELECT 10;\n", Drop: "SELECT 10;\n"},
		{Kind: KindUpgrade, Name: "10/b", As: AsOwner, SQL: "ALTER TABLE keep.run ADD b int;\n", Drop: "SELECT 10;\n"},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	for name, files := range map[string]fstest.MapFS{
		"no way back": {"upgrades/2/a.sql": text("SELECT 1;\n")},
		"no version":  {"upgrades/next/a.sql": text("SELECT 1;\n"), "upgrades/next/a.down.sql": text("SELECT 1;\n")},
	} {
		if _, err := kind.upgrades(files, install); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestUpgradeComesAfterTablesAndBeforeFunctions, and goes before the functions that do not know it.
func TestUpgradeComesAfterTablesAndBeforeFunctions(t *testing.T) {
	t.Parallel()
	upgrade := Object{Kind: KindUpgrade, Name: "1/run_note", As: AsOwner,
		SQL:  "ALTER TABLE retention.run ADD COLUMN IF NOT EXISTS note text;\n",
		Drop: "ALTER TABLE retention.run DROP COLUMN IF EXISTS note;\n"}
	dir := fstest.MapFS{}
	addFiles(t, dir, mustNext(t, mustRead(t, dir), runtimeObjects("SELECT 1")))
	files := mustNext(t, mustRead(t, dir), append(runtimeObjects("SELECT 2"), upgrade))
	if len(files) != 1 {
		t.Fatalf("%d files", len(files))
	}
	want := []string{
		"put upgrade \"1/run_note\"", "put function \"retention.health()\"",
		"drop upgrade \"1/run_note\"", "put function \"retention.health()\"",
	}
	if diff := cmp.Diff(want, marks(files[0].Content())); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if n := strings.Count(files[0].Content(), "SET LOCAL lock_timeout = '10s';"); n != 2 {
		t.Errorf("the wait for a lock is bounded %d times, want up and down", n)
	}
	addFiles(t, dir, files)
	if _, err := Next(mustRead(t, dir), runtimeObjects("SELECT 2"), NextOptions{Roles: testRoles}); !errors.Is(err, ErrUpgrade) {
		t.Errorf("an upgrade that is not wanted any more: %v", err)
	}
}

// marks are those of a file.
func marks(content string) []string {
	var list []string
	for line := range strings.Lines(content) {
		if a, ok := readMark(strings.TrimSuffix(line, "\n")); ok {
			list = append(list, fmt.Sprintf("%s %s %q", a.verb, a.object.Kind, a.object.Name))
		}
	}
	return list
}

func TestReadRefusesANewerRuntime(t *testing.T) {
	t.Parallel()
	row := func(version string) Object {
		return Object{Kind: KindInstall, Name: "install", As: AsOwner, SQL: `SELECT '{"runtime_version": "` + version + "\"}';\n"}
	}
	for name, c := range map[string]struct {
		object  Object
		message string
	}{
		"registry":     {row("10"), "it installs version 10 of the runtime; this pgretain writes version 1"},
		"upgrade":      {Object{Kind: KindUpgrade, Name: "10/a", As: AsOwner, SQL: "SELECT 1;\n"}, "it installs version 10 of the runtime"},
		"unknown kind": {Object{Kind: "trigger", Name: "a", As: AsOwner, SQL: "SELECT 1;\n"}, "line 10: it holds an object of kind \"trigger\""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := fstest.MapFS{}
			h := mustRead(t, dir)
			p := part{middle: "retention_policies", what: "A newer one.", changes: []Change{{After: &c.object}}}
			files, err := writeStep(h, []part{p}, NextOptions{Roles: testRoles})
			if err != nil {
				t.Fatal(err)
			}
			addFiles(t, dir, files)
			_, err = Read(dir)
			var refused *HistoryError
			if !errors.Is(err, ErrNewer) || !errors.As(err, &refused) || refused.Hint == "" || !strings.HasPrefix(refused.Message, c.message) {
				t.Errorf("got %v", err)
			}
		})
	}
	dir := fstest.MapFS{}
	addFiles(t, dir, mustNext(t, mustRead(t, dir), []Object{row("1")}))
	mustRead(t, dir)
}
