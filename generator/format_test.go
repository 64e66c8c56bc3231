package generator

import (
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/fixture"
)

// hostileText holds what one tool or another would take for its own.
const hostileText = "SELECT '{{ .x }} {{ \"{{\" }} {{ \"----\" }} }} ${x} +goose :x \\ $$', $a$ :y {{{ $$ ; \\echo `id` $a$;\n" +
	"SELECT '\n---- create above / drop below ----\n-- +goosey\n-- next\n\\q\n';\n"

// TestFormatsShareTheirStates writes the same random steps in every format: read back, objects and
// chains of states are the same.
func TestFormatsShareTheirStates(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		dirs := map[Format]fstest.MapFS{}
		chains := map[Format][]string{}
		for _, format := range Formats {
			random := rand.New(rand.NewPCG(seed, 2))
			dir := fstest.MapFS{}
			for range 4 {
				wanted := randomObjects(random)
				if format != Goose {
					wanted = append(wanted, Object{Kind: KindFunction, Name: "retention.hostile {{ ${x} \\", As: AsOwner, Policy: "p",
						SQL: hostileText, Drop: hostileText})
				}
				before := mustReadFormat(t, dir, format)
				addFiles(t, dir, mustNext(t, before, wanted))
				after := mustReadFormat(t, dir, "")
				if diff := cmp.Diff(byID(Pages(wanted, testRoles)), byID(after.Objects())); diff != "" {
					t.Fatalf("%s, seed %d: wanted and read back differ (-want +got)\n%s", format, seed, diff)
				}
				checkDownOf(t, dir, before, after)
			}
			dirs[format] = dir
			chains[format] = chain(mustReadFormat(t, dir, format))
		}
		for _, format := range Formats[2:] {
			if diff := cmp.Diff(chains[Tern], chains[format]); diff != "" {
				t.Fatalf("seed %d: %s has other states than tern (-want +got)\n%s", seed, format, diff)
			}
		}
	}
}

// TestFormatsShareTheStatesOfGoose is the same without what goose refuses.
func TestFormatsShareTheStatesOfGoose(t *testing.T) {
	t.Parallel()
	chains := map[Format][]string{}
	for _, format := range Formats {
		chains[format] = chain(mustReadFormat(t, twoSteps(t, format), ""))
	}
	for _, format := range Formats[1:] {
		if diff := cmp.Diff(chains[Goose], chains[format]); diff != "" || len(chains[format]) == 0 {
			t.Errorf("%s has other states than goose (-want +got)\n%s", format, diff)
		}
	}
}

func chain(h *History) []string {
	var states []string
	for _, m := range h.Files() {
		states = append(states, m.After+" -> "+m.State)
	}
	return states
}

// checkDownOf replays the ways back of the files that after has and before has not.
func checkDownOf(t *testing.T, dir fs.FS, before, after *History) {
	t.Helper()
	whole, err := openDir(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	names, err := whole.list()
	if err != nil {
		t.Fatal(err)
	}
	files, err := whole.ours(names)
	if err != nil {
		t.Fatal(err)
	}
	got := after.clone()
	for _, file := range slices.Backward(files[len(before.files):]) {
		got.replay(migrationFile{up: file.down})
	}
	if diff := cmp.Diff(texts(before), texts(got)); diff != "" {
		t.Fatalf("the way back does not restore what was there (-want +got)\n%s", diff)
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

// twoSteps is the directory of a first installation and a change of it.
func twoSteps(t *testing.T, format Format) fstest.MapFS {
	t.Helper()
	dir := fstest.MapFS{}
	for _, wanted := range [][]Object{firstInstallation(), laterChange()} {
		addFiles(t, dir, mustNext(t, mustReadFormat(t, dir, format), wanted))
	}
	return dir
}

// TestGoldenFormats writes a first installation and a change of it that touches every file of a step, and compares
// them with testdata/formats.
func TestGoldenFormats(t *testing.T) {
	t.Parallel()
	for _, format := range Formats {
		got := map[string]string{}
		for name, file := range twoSteps(t, format) {
			got[name] = string(file.Data)
		}
		fixture.Read(t, filepath.Join("testdata/formats", string(format)+".txtar")).CompareAll(t, "*", got)
	}
}

func TestReadRefusesHalfAMigration(t *testing.T) {
	t.Parallel()
	const flywayUp, flywayDown = "V3__retention_indexes.sql", "U3__retention_indexes.sql"
	const psqlUp, psqlDown = "00003_retention_indexes.up.sql", "00003_retention_indexes.down.sql"
	remove := func(name string) func(*testing.T, fstest.MapFS) {
		return func(t *testing.T, dir fstest.MapFS) {
			if dir[name] == nil {
				t.Fatalf("there is no %s in %v", name, slices.Sorted(maps.Keys(dir)))
			}
			delete(dir, name)
		}
	}
	for name, c := range map[string]struct {
		format Format
		damage func(*testing.T, fstest.MapFS)
		kind   error
		files  []string
	}{
		"undo file gone":     {Flyway, remove(flywayDown), ErrHalf, []string{flywayDown, flywayUp}},
		"undo file edited":   {Flyway, replaceIn(flywayDown, "DROP INDEX", "DROP TABLE"), ErrEdited, []string{flywayDown}},
		"configuration gone": {Flyway, remove(flywayUp + ".conf"), ErrHalf, []string{flywayUp + ".conf", flywayUp}},
		"configuration of the undo file gone": {Flyway, remove(flywayDown + ".conf"), ErrHalf,
			[]string{flywayDown + ".conf", flywayDown}},
		"configuration edited": {Flyway, replaceIn(flywayUp+".conf", "false", "true"), ErrEdited, []string{flywayUp + ".conf"}},
		"configuration too many": {Flyway, func(_ *testing.T, dir fstest.MapFS) {
			dir["V1__pgretain_runtime.sql.conf"] = &fstest.MapFile{Data: []byte(flywayNoTransaction)}
		}, ErrEdited, []string{"V1__pgretain_runtime.sql.conf"}},
		"last migration gone": {Flyway, remove("V8__retention_drop_indexes.sql"), ErrHalf, []string{"U8__retention_drop_indexes.sql"}},
		"up file edited":      {Flyway, replaceIn(flywayUp, "CREATE INDEX", "CREATE UNIQUE INDEX"), ErrEdited, []string{flywayUp}},
		"down script gone":    {Psql, remove(psqlDown), ErrHalf, []string{psqlDown, psqlUp}},
		"down script edited":  {Psql, replaceIn(psqlDown, "DROP INDEX", "DROP TABLE"), ErrEdited, []string{psqlDown}},
		"transaction taken out": {Psql, replaceIn("00001_pgretain_runtime.up.sql", "BEGIN;\n", ""), ErrEdited,
			[]string{"00001_pgretain_runtime.up.sql"}},
		"down script of another step": {Psql, func(_ *testing.T, dir fstest.MapFS) {
			dir[psqlDown] = dir["00002_retention_tables.down.sql"]
		}, ErrEdited, []string{psqlDown}},
		"edited below the dashes": {Tern, replaceIn("003_retention_indexes.sql", "DROP INDEX", "DROP TABLE"), ErrEdited,
			[]string{"003_retention_indexes.sql"}},
		"gap": {Tern, remove("003_retention_indexes.sql"), ErrGap, []string{"002_retention_tables.sql", "004_retention_policies.sql"}},
		"another tool": {Tern, func(t *testing.T, dir fstest.MapFS) {
			maps.Copy(dir, twoSteps(t, Flyway))
		}, ErrFormat, []string{"008_retention_drop_indexes.sql", "U1__pgretain_runtime.sql"}},
		"a newer tool": {Tern, func(_ *testing.T, dir fstest.MapFS) {
			for _, file := range dir {
				file.Data = []byte(strings.Replace(string(file.Data), "format tern", "format atlas", 1))
			}
		}, ErrMalformed, []string{"008_retention_drop_indexes.sql"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := twoSteps(t, c.format)
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

func TestFormatIsNotChangedOnTheWay(t *testing.T) {
	t.Parallel()
	dir := twoSteps(t, Tern)
	if h := mustReadFormat(t, dir, ""); h.Format() != Tern {
		t.Errorf("recognised as %s", h.Format())
	}
	_, err := ReadFormat(dir, Goose)
	var refused *HistoryError
	if !errors.As(err, &refused) || !errors.Is(err, ErrFormat) || !strings.Contains(refused.Message, "tern, not for goose") {
		t.Errorf("got %v", err)
	}
	if _, err := ReadFormat(fstest.MapFS{}, "liquibase"); err == nil {
		t.Error("an unknown format is accepted")
	}
}

func TestFilesOfTheUserCountInEveryFormat(t *testing.T) {
	t.Parallel()
	user := &fstest.MapFile{Data: []byte("SELECT 1;\n")}
	for _, c := range []struct {
		format Format
		files  []string
		next   string
	}{
		{Goose, nil, "00001_retention_policies.sql"},
		{Tern, nil, "001_retention_policies.sql"},
		{Flyway, nil, "V1__retention_policies.sql"},
		{Psql, nil, "00001_retention_policies.up.sql"},
		{Tern, []string{"01_one.sql", "02_two.sql", "notes.sql"}, "03_retention_policies.sql"},
		{Flyway, []string{"V1__a.sql", "V2.1__b.sql", "V2_2__c.sql", "U9__b.sql", "R__views.sql", "beforeMigrate.sql"}, "V3__retention_policies.sql"},
		{Flyway, []string{"V20260101120000__a.sql"}, "V20260101120001__retention_policies.sql"},
		{Psql, []string{"07_a.sql", "08_b.up.sql", "08_b.down.sql"}, "09_retention_policies.up.sql"},
	} {
		dir := fstest.MapFS{}
		for _, name := range c.files {
			dir[name] = user
		}
		files := mustNext(t, mustReadFormat(t, dir, c.format), []Object{function("retention.a()", "SELECT 1;\n")})
		if files[0].Name != c.next {
			t.Errorf("%s after %v: %s, want %s", c.format, c.files, files[0].Name, c.next)
		}
	}
	for _, c := range []struct {
		format Format
		files  []string
		kind   error
	}{
		{Tern, []string{"001_a.sql", "003_b.sql"}, ErrGap},
		{Tern, []string{"001_a.sql", "1_b.sql"}, ErrDuplicate},
		{Flyway, []string{"V1.1__a.sql", "V1.2__b.sql", "V01_1__c.sql"}, ErrDuplicate},
	} {
		dir := fstest.MapFS{}
		for _, name := range c.files {
			dir[name] = user
		}
		if _, err := ReadFormat(dir, c.format); !errors.Is(err, c.kind) {
			t.Errorf("%s, %v: got %v, want %v", c.format, c.files, err, c.kind)
		}
	}
}

func TestNextRefusesWhatAToolWouldReadOtherwise(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		format Format
		kind   Kind
		sql    string
		ok     bool
	}{
		"leaves the transaction":           {Tern, KindFunction, "SELECT '\n---- tern: disable-tx ----\n';\n", false},
		"says so in a line":                {Tern, KindFunction, "SELECT ' ---- tern: disable-tx ----';\n", true},
		"dollar quote without transaction": {Tern, KindIndex, "SELECT $$;$$;\n", true},
		"dollar in a dollar quote":         {Tern, KindIndex, "SELECT $a$;$$$a$;\n", false},
		"dollar quote in a transaction":    {Tern, KindFunction, "SELECT $$;$$;\n", true},
		"quotes without transaction":       {Tern, KindIndex, "SELECT 'a;b''c\\', \"d;\\\", E'\\'';\n", true},
		"a word that ends with e":          {Tern, KindIndex, "SELECT date'\\', 1;\n", false},
		"backslash ends a comment":         {Tern, KindIndex, "-- c:\\\nSELECT 1;\n", false},
		"flyway: small e":                  {Flyway, KindFunction, "SELECT e'\\'';\n", false},
		"flyway: capital E":                {Flyway, KindFunction, "SELECT E'\\'';\n", true},
		"flyway: dollar in a name":         {Flyway, KindFunction, "SELECT a$b FROM c;\n", false},
		"flyway: dollar quote":             {Flyway, KindFunction, "SELECT $a$ $b$ $a$;\n", true},
		"psql: variable":                   {Psql, KindFunction, "SELECT a[1:n];\n", false},
		"psql: quoted variable":            {Psql, KindFunction, "SELECT a[b:\"n\"];\n", false},
		"psql: slice of numbers":           {Psql, KindFunction, "SELECT a[1:2], b[1:(n)], c[1: n], d::int, e[:];\n", true},
		"psql: in quotes":                  {Psql, KindFunction, "SELECT ':HOME', \":HOME\", $$ :HOME \\! $$; -- :HOME \\!\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			object := function("retention.a()", c.sql)
			if c.kind == KindIndex {
				object.Kind, object.As = KindIndex, AsMigrator
			}
			_, err := Next(mustReadFormat(t, fstest.MapFS{}, c.format), []Object{object}, NextOptions{Roles: testRoles})
			var got *ObjectError
			if c.ok != (err == nil) || (err != nil && (!errors.As(err, &got) || !errors.Is(err, ErrText) || got.Hint == "")) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func firstInstallation() []Object {
	return append(runtimeObjects("SELECT 1"), policyObjects("m_ttl", "7 days")...)
}

// laterChange replaces a runtime function, removes policy m_ttl and adds m_cap.
func laterChange() []Object {
	return append(runtimeObjects("SELECT 2"), policyObjects("m_cap", "30 days")...)
}

func runtimeObjects(body string) []Object {
	return []Object{
		{Kind: KindTable, Name: "retention.run", As: AsOwner,
			SQL:  "CREATE TABLE IF NOT EXISTS retention.run (\n    id bigint PRIMARY KEY\n);\n",
			Drop: "DROP TABLE IF EXISTS retention.run;\n"},
		{Kind: KindFunction, Name: "retention.health()", As: AsOwner,
			SQL: "CREATE OR REPLACE FUNCTION retention.health() RETURNS integer\n    LANGUAGE sql\n    AS $function$\n" +
				"-- a comment; with a semicolon\n" + body + "\n$function$;\nREVOKE ALL ON FUNCTION retention.health() FROM PUBLIC;\n",
			Drop: "DROP FUNCTION IF EXISTS retention.health();\n"},
	}
}

func policyObjects(name, window string) []Object {
	function := "retention." + name + "_batch(bigint)"
	index := `"public"."` + name + `_idx"`
	return []Object{
		{Kind: KindFunction, Name: function, As: AsOwner, Policy: name,
			SQL: "CREATE OR REPLACE FUNCTION retention." + name + "_batch(p_run bigint) RETURNS bigint\n    LANGUAGE plpgsql\n" +
				"    AS $function$\nBEGIN\n    RETURN count(*) FROM public.m WHERE at < now() - interval '" + window + "';\nEND;\n$function$;\n",
			Drop: "DROP FUNCTION IF EXISTS " + function + ";\n"},
		{Kind: KindColumn, Name: "public.m.at", As: AsMigrator, Policy: name,
			SQL:  "ALTER TABLE \"public\".\"m\" ADD COLUMN IF NOT EXISTS \"at\" timestamptz DEFAULT now();\n",
			Drop: "ALTER TABLE \"public\".\"m\" DROP COLUMN IF EXISTS \"at\";\n"},
		{Kind: KindPrivilege, Name: "public.m", As: AsMigrator, Policy: name,
			SQL:  "GRANT SELECT, DELETE, UPDATE ON \"public\".\"m\" TO \"retention_worker\";\n",
			Drop: "REVOKE SELECT, DELETE, UPDATE ON \"public\".\"m\" FROM \"retention_worker\";\n"},
		{Kind: KindIndex, Name: "public." + name + "_idx", As: AsMigrator, Policy: name,
			SQL:  "SELECT 1;\n-- next\nCREATE INDEX CONCURRENTLY IF NOT EXISTS \"" + name + "_idx\" ON \"public\".\"m\" (at);\n",
			Drop: "DROP INDEX CONCURRENTLY IF EXISTS " + index + ";\n"},
		{Kind: KindPolicy, Name: name, As: AsOwner, Policy: name,
			SQL:  "INSERT INTO retention.run (id) VALUES (1) ON CONFLICT DO NOTHING;\n",
			Drop: "DELETE FROM retention.run WHERE id = 1;\n"},
		{Kind: KindCron, Name: name, As: AsRunner,
			SQL:  "SELECT cron.schedule('" + name + "', '*/5 * * * *', 'CALL retention.run_job(''" + name + "'')');\n",
			Drop: "SELECT cron.unschedule(jobname) FROM cron.job WHERE jobname = '" + name + "';\n"},
	}
}
