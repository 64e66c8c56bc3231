package generator

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// update rewrites golden files instead of comparing them.
var update = flag.Bool("update", false, "rewrite golden files")

// TestGoldenSteps writes a first installation and a change of it that touches every file of a
// step, and compares them with testdata/history.
func TestGoldenSteps(t *testing.T) {
	t.Parallel()
	dir := fstest.MapFS{}
	for _, wanted := range [][]Object{firstInstallation(), laterChange()} {
		addFiles(t, dir, mustNext(t, mustRead(t, dir), wanted))
	}
	golden := filepath.Join("testdata", "history")
	if *update {
		rewrite(t, golden, dir)
	}
	want := map[string]string{}
	paths, err := filepath.Glob(filepath.Join(golden, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want[filepath.Base(path)] = unixLines(string(content))
	}
	got := map[string]string{}
	for name, file := range dir {
		got[name] = string(file.Data)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("golden differs (-want +got)\n%s", diff)
	}
}

func rewrite(t *testing.T, golden string, dir fstest.MapFS) {
	t.Helper()
	if err := os.RemoveAll(golden); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(golden, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, file := range dir {
		if err := os.WriteFile(filepath.Join(golden, name), file.Data, 0o644); err != nil {
			t.Fatal(err)
		}
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
