package history_test

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"pgretain/generator"
	"pgretain/tests/fixture"
)

// TestFormatsShareTheStatesOfGoose checks that the same steps have the same states in all formats.
func TestFormatsShareTheStatesOfGoose(t *testing.T) {
	t.Parallel()
	chains := map[generator.Format][]string{}
	for _, format := range generator.Formats {
		chains[format] = chain(mustReadFormat(t, twoSteps(t, format), ""))
	}
	for _, format := range generator.Formats[1:] {
		if diff := cmp.Diff(chains[generator.Goose], chains[format]); diff != "" || len(chains[format]) == 0 {
			t.Errorf("%s has other states than goose (-want +got)\n%s", format, diff)
		}
	}
}

// chain returns the states before and after each file.
func chain(h *generator.History) []string {
	var states []string
	for _, m := range h.Files() {
		states = append(states, m.After+" -> "+m.State)
	}
	return states
}

// twoSteps returns a directory with a first installation and a later change.
func twoSteps(t *testing.T, format generator.Format) fstest.MapFS {
	t.Helper()
	dir := fstest.MapFS{}
	for _, wanted := range [][]generator.Object{firstInstallation(), laterChange()} {
		addFiles(t, dir, mustNext(t, mustReadFormat(t, dir, format), wanted))
	}
	return dir
}

// TestGoldenFormats compares the files of two steps with testdata/formats, in every format. The
// second step changes every file of a step.
func TestGoldenFormats(t *testing.T) {
	t.Parallel()
	for _, format := range generator.Formats {
		got := map[string]string{}
		for name, file := range twoSteps(t, format) {
			got[name] = string(file.Data)
		}
		fixture.Read(t, filepath.Join("testdata/formats", string(format)+".txtar")).CompareAll(t, "*", got)
	}
}

// TestReadRefusesHalfAMigration checks that Read refuses a directory in which a file of a migration
// is missing, edited or written for another tool.
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
		format generator.Format
		damage func(*testing.T, fstest.MapFS)
		kind   error
		files  []string
	}{
		"undo file missing": {generator.Flyway, remove(flywayDown), generator.ErrHalf, []string{flywayDown, flywayUp}},
		"undo file edited": {generator.Flyway, replaceIn(flywayDown, "DROP INDEX", "DROP TABLE"),
			generator.ErrEdited, []string{flywayDown}},
		"up file edited": {generator.Flyway, replaceIn(flywayUp, "CREATE INDEX", "CREATE UNIQUE INDEX"),
			generator.ErrEdited, []string{flywayUp}},
		"down script missing": {generator.Psql, remove(psqlDown), generator.ErrHalf, []string{psqlDown, psqlUp}},
		"down script edited": {generator.Psql, replaceIn(psqlDown, "DROP INDEX", "DROP TABLE"), generator.ErrEdited,
			[]string{psqlDown}},
		"transaction taken out": {generator.Psql, replaceIn("00001_pgretain_runtime.up.sql", "BEGIN;\n", ""),
			generator.ErrEdited,
			[]string{"00001_pgretain_runtime.up.sql"}},
		"down script of another step": {generator.Psql, func(_ *testing.T, dir fstest.MapFS) {
			dir[psqlDown] = dir["00002_retention_tables.down.sql"]
		}, generator.ErrEdited, []string{psqlDown}},
		"edited below the dashes": {generator.Tern, replaceIn("003_retention_indexes.sql", "DROP INDEX", "DROP TABLE"),
			generator.ErrEdited,
			[]string{"003_retention_indexes.sql"}},
		"gap": {generator.Tern, remove("003_retention_indexes.sql"), generator.ErrGap,
			[]string{"002_retention_tables.sql", "004_retention_policies.sql"}},
		"another tool": {generator.Tern, func(t *testing.T, dir fstest.MapFS) {
			maps.Copy(dir, twoSteps(t, generator.Flyway))
		}, generator.ErrFormat, []string{"008_retention_drop_indexes.sql", "U1__pgretain_runtime.sql"}},
		"a newer tool": {generator.Tern, func(_ *testing.T, dir fstest.MapFS) {
			for _, file := range dir {
				file.Data = []byte(strings.Replace(string(file.Data), "format tern", "format atlas", 1))
			}
		}, generator.ErrMalformed, []string{"008_retention_drop_indexes.sql"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := twoSteps(t, c.format)
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

// TestFormatOfADirectoryStays checks that ReadFormat recognises the format of a directory, and
// refuses another format for it.
func TestFormatOfADirectoryStays(t *testing.T) {
	t.Parallel()
	dir := twoSteps(t, generator.Tern)
	if h := mustReadFormat(t, dir, ""); h.Format() != generator.Tern {
		t.Errorf("format: got %s, want tern", h.Format())
	}
	_, err := generator.ReadFormat(dir, generator.Goose)
	var refused *generator.HistoryError
	if !errors.As(err, &refused) || !errors.Is(err, generator.ErrFormat) ||
		!strings.Contains(refused.Message, "tern, not for goose") {
		t.Errorf("got %v", err)
	}
	if _, err := generator.ReadFormat(fstest.MapFS{}, "liquibase"); err == nil {
		t.Error("ReadFormat accepts an unknown format")
	}
}

// TestUserFilesReserveNumbersInEveryFormat checks that the next number follows the files of the
// user, and that gaps and duplicates are refused.
func TestUserFilesReserveNumbersInEveryFormat(t *testing.T) {
	t.Parallel()
	user := &fstest.MapFile{Data: []byte("SELECT 1;\n")}
	for _, c := range []struct {
		format generator.Format
		files  []string
		next   string
	}{
		{generator.Goose, nil, "00001_retention_policies.sql"},
		{generator.Tern, nil, "001_retention_policies.sql"},
		{generator.Flyway, nil, "V1__retention_policies.sql"},
		{generator.Psql, nil, "00001_retention_policies.up.sql"},
		{generator.Tern, []string{"01_one.sql", "02_two.sql", "notes.sql"}, "03_retention_policies.sql"},
		{generator.Flyway, []string{"V1__a.sql", "V2.1__b.sql", "V2_2__c.sql", "U9__b.sql", "R__views.sql",
			"beforeMigrate.sql"}, "V3__retention_policies.sql"},
		{generator.Flyway, []string{"V20260101120000__a.sql"}, "V20260101120001__retention_policies.sql"},
		{generator.Psql, []string{"07_a.sql", "08_b.up.sql", "08_b.down.sql"}, "09_retention_policies.up.sql"},
	} {
		dir := fstest.MapFS{}
		for _, name := range c.files {
			dir[name] = user
		}
		files := mustNext(t, mustReadFormat(t, dir, c.format),
			[]generator.Object{function("retention.a()", "SELECT 1;\n")})
		if files[0].Name != c.next {
			t.Errorf("next %s file after %v: got %s, want %s", c.format, c.files, files[0].Name, c.next)
		}
	}
	for _, c := range []struct {
		format generator.Format
		files  []string
		kind   error
	}{
		{generator.Tern, []string{"001_a.sql", "003_b.sql"}, generator.ErrGap},
		{generator.Tern, []string{"001_a.sql", "1_b.sql"}, generator.ErrDuplicate},
		{generator.Flyway, []string{"V1.1__a.sql", "V1.2__b.sql", "V01_1__c.sql"}, generator.ErrDuplicate},
	} {
		dir := fstest.MapFS{}
		for _, name := range c.files {
			dir[name] = user
		}
		if _, err := generator.ReadFormat(dir, c.format); !errors.Is(err, c.kind) {
			t.Errorf("%s, %v: got %v, want %v", c.format, c.files, err, c.kind)
		}
	}
}

// TestNextRefusesTextThatAToolMisreads checks that Next refuses SQL that a migration tool would
// execute differently, and accepts all other SQL.
func TestNextRefusesTextThatAToolMisreads(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		format generator.Format
		kind   generator.Kind
		sql    string
		ok     bool
	}{
		"leaves the transaction": {generator.Tern, generator.KindFunction,
			"SELECT '\n---- tern: disable-tx ----\n';\n", false},
		"contains the words within a line": {generator.Tern, generator.KindFunction,
			"SELECT ' ---- tern: disable-tx ----';\n", true},
		"dollar quote without transaction": {generator.Tern, generator.KindIndex, "SELECT $$;$$;\n", true},
		"dollar in a dollar quote":         {generator.Tern, generator.KindIndex, "SELECT $a$;$$$a$;\n", false},
		"dollar quote in a transaction":    {generator.Tern, generator.KindFunction, "SELECT $$;$$;\n", true},
		"quotes without transaction": {generator.Tern, generator.KindIndex,
			"SELECT 'a;b''c\\', \"d;\\\", E'\\'';\n", true},
		"a word that ends with e":  {generator.Tern, generator.KindIndex, "SELECT date'\\', 1;\n", false},
		"backslash ends a comment": {generator.Tern, generator.KindIndex, "-- c:\\\nSELECT 1;\n", false},
		"flyway: small e":          {generator.Flyway, generator.KindFunction, "SELECT e'\\'';\n", false},
		"flyway: capital E":        {generator.Flyway, generator.KindFunction, "SELECT E'\\'';\n", true},
		"flyway: dollar in a name": {generator.Flyway, generator.KindFunction, "SELECT a$b FROM c;\n", false},
		"flyway: dollar quote":     {generator.Flyway, generator.KindFunction, "SELECT $a$ $b$ $a$;\n", true},
		"psql: variable":           {generator.Psql, generator.KindFunction, "SELECT a[1:n];\n", false},
		"psql: quoted variable":    {generator.Psql, generator.KindFunction, "SELECT a[b:\"n\"];\n", false},
		"psql: slice of numbers": {generator.Psql, generator.KindFunction,
			"SELECT a[1:2], b[1:(n)], c[1: n], d::int, e[:];\n", true},
		"psql: in quotes": {generator.Psql, generator.KindFunction,
			"SELECT ':HOME', \":HOME\", $$ :HOME \\! $$; -- :HOME \\!\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			object := function("retention.a()", c.sql)
			if c.kind == generator.KindIndex {
				object.Kind, object.As = generator.KindIndex, generator.AsMigrator
			}
			_, err := generator.Next(mustReadFormat(t, fstest.MapFS{}, c.format), []generator.Object{object},
				generator.NextOptions{Roles: testRoles})
			var got *generator.ObjectError
			if c.ok != (err == nil) || (err != nil &&
				(!errors.As(err, &got) || !errors.Is(err, generator.ErrText) || got.Hint == "")) {
				t.Errorf("got %v, want accepted: %v", err, c.ok)
			}
		})
	}
}

// firstInstallation returns the objects of a runtime and of policy m_ttl.
func firstInstallation() []generator.Object {
	return append(runtimeObjects("SELECT 1"), policyObjects("m_ttl", "7 days")...)
}

// laterChange replaces a runtime function, removes policy m_ttl and adds m_cap.
func laterChange() []generator.Object {
	return append(runtimeObjects("SELECT 2"), policyObjects("m_cap", "30 days")...)
}

func runtimeObjects(body string) []generator.Object {
	return []generator.Object{
		{Kind: generator.KindTable, Name: "retention.run", As: generator.AsOwner,
			SQL:  "CREATE TABLE IF NOT EXISTS retention.run (\n    id bigint PRIMARY KEY\n);\n",
			Drop: "DROP TABLE IF EXISTS retention.run;\n"},
		{Kind: generator.KindFunction, Name: "retention.health()", As: generator.AsOwner,
			SQL: "CREATE OR REPLACE FUNCTION retention.health() RETURNS integer\n" +
				"    LANGUAGE sql\n" +
				"    AS $function$\n" +
				"-- a comment; with a semicolon\n" +
				body + "\n" +
				"$function$;\n" +
				"REVOKE ALL ON FUNCTION retention.health() FROM PUBLIC;\n",
			Drop: "DROP FUNCTION IF EXISTS retention.health();\n"},
	}
}

func policyObjects(name, window string) []generator.Object {
	function := "retention." + name + "_batch(bigint)"
	index := `"public"."` + name + `_idx"`
	return []generator.Object{
		{Kind: generator.KindFunction, Name: function, As: generator.AsOwner, Policy: name,
			SQL: "CREATE OR REPLACE FUNCTION retention." + name + "_batch(p_run bigint) RETURNS bigint\n" +
				"    LANGUAGE plpgsql\n" +
				"    AS $function$\n" +
				"BEGIN\n" +
				"    RETURN count(*) FROM public.m WHERE at < now() - interval '" + window + "';\n" +
				"END;\n" +
				"$function$;\n",
			Drop: "DROP FUNCTION IF EXISTS " + function + ";\n"},
		{Kind: generator.KindColumn, Name: "public.m.at", As: generator.AsMigrator, Policy: name,
			SQL:  "ALTER TABLE \"public\".\"m\" ADD COLUMN IF NOT EXISTS \"at\" timestamptz DEFAULT now();\n",
			Drop: "ALTER TABLE \"public\".\"m\" DROP COLUMN IF EXISTS \"at\";\n"},
		{Kind: generator.KindPrivilege, Name: "public.m", As: generator.AsMigrator, Policy: name,
			SQL:  "GRANT SELECT, DELETE, UPDATE ON \"public\".\"m\" TO \"retention_worker\";\n",
			Drop: "REVOKE SELECT, DELETE, UPDATE ON \"public\".\"m\" FROM \"retention_worker\";\n"},
		{Kind: generator.KindIndex, Name: "public." + name + "_idx", As: generator.AsMigrator, Policy: name,
			SQL: "SELECT 1;\n-- next\n" +
				"CREATE INDEX CONCURRENTLY IF NOT EXISTS \"" + name + "_idx\" ON \"public\".\"m\" (at);\n",
			Drop: "DROP INDEX CONCURRENTLY IF EXISTS " + index + ";\n"},
		{Kind: generator.KindPolicy, Name: name, As: generator.AsOwner, Policy: name,
			SQL:  "INSERT INTO retention.run (id) VALUES (1) ON CONFLICT DO NOTHING;\n",
			Drop: "DELETE FROM retention.run WHERE id = 1;\n"},
		{Kind: generator.KindCron, Name: name, As: generator.AsRunner,
			SQL:  "SELECT cron.schedule('" + name + "', '*/5 * * * *', 'CALL retention.run_job(''" + name + "'')');\n",
			Drop: "SELECT cron.unschedule(jobname) FROM cron.job WHERE jobname = '" + name + "';\n"},
	}
}
