package tests

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/diag"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

const oddEach = `version: 1
install: {scheduler: none}
each: {each_t: {schemas: "t_*"}}
policies:
  old:
    table: each_t.m
    due: {age: {column: at, older_than: 7 days}}
    keep: {pinned: "EXISTS (SELECT FROM each_t.pin p WHERE p.id = t.id)"}
    then: [delete]
jobs: {daily: {schedule: "@daily", run: [old]}}
`

// oddSchemas are names of schemas for which no policy can be installed. plainSchemas match the same
// pattern and are supported.
var (
	oddSchemas = []string{
		`t_q"q`, `t_b\s`, `t_b\`, `t_"`, "t_n\nl", "t_n\n::error::x", "t_r\rx", "t_t\tb", "t_e\x1b[2J",
		"t_a@b", "t_@", "t_a%s", "t_a$b", "t_$$", "t_*", "t_a.m", "t_.", "t_s p", "t_s ", "t_é",
		"t_\u202etxt", "t_\u200b", "t_o'c", "t_CAP", "t_--x", "t_/*", "t_{{.}}", "t_<b>&", `t_each_t"`,
		"t_each_t.m", "t_\U0001f600", "t_" + strings.Repeat("x", 61), "t_" + strings.Repeat("é", 30),
	}
	plainSchemas = []string{"t_a", "t_", "t_each_t", "t_each_t_each_t", "t_n", "t_zz", "t_" + strings.Repeat("x", 48)}
)

// testOddSchemas creates schemas with names that pgretain does not support. Each command still
// works for the other schemas. For each unsupported schema, verify reports one finding, and a run
// fails with the message of that finding.
func testOddSchemas(t *testing.T, binary string) {
	in := kit.Prepare(t, "", oddEach)
	c := newCLI(t, binary, in.URL(kit.Migrator), t.TempDir())
	c.write("retention.yaml", oddEach)
	member := func(schema string) {
		t.Helper()
		in.Exec(t, strings.ReplaceAll(`
			SET ROLE `+kit.Migrator+`;
			CREATE SCHEMA each_t;
			CREATE TABLE each_t.m (id int PRIMARY KEY, at timestamptz NOT NULL);
			CREATE INDEX ON each_t.m (at, id);
			CREATE TABLE each_t.pin (id int PRIMARY KEY);
			INSERT INTO each_t.pin VALUES (1);
			INSERT INTO each_t.m SELECT n, '2024-01-01' FROM generate_series(1, 3) n;
			RESET ROLE`,
			"each_t", `"`+strings.ReplaceAll(schema, `"`, `""`)+`"`))
	}
	member(plainSchemas[0])
	c.must("snapshot")
	if r := c.finish(c.command("generate")); r.code != 0 {
		t.Fatal(r)
	}
	c.must("migrate", "up")
	for _, schema := range append(plainSchemas[1:], oddSchemas...) {
		member(schema)
	}
	// A schema without the policy's table has another finding.
	in.Exec(t, `SET ROLE `+kit.Migrator+`; CREATE SCHEMA "t_no\table"""; RESET ROLE; ALTER DATABASE `+
		in.Name+` SET quote_all_identifiers = on`)

	want := map[string]string{`old@t_no\table"`: `schema "t_no\table"" has no table "m", for policy "old"`}
	for _, schema := range oddSchemas {
		want["old@"+schema] = fmt.Sprintf(`schema "%s" cannot be an instance of policy "old"`, schema)
	}
	checkCommands := func() {
		t.Helper()
		c.url = in.URL(kit.Migrator)
		if r := c.run("plan"); r.code != 0 {
			t.Errorf("plan: exit code %d\n%s", r.code, r.stderr)
		}
		c.url = in.URL("")
		for _, args := range []string{"verify", "verify --format github", "report --output report.html", "status",
			"preview", "preview --job daily"} {
			r := c.run(strings.Fields(args)...)
			if r.code != 0 && !(r.code == 1 && !strings.HasPrefix(args, "preview")) {
				t.Errorf("%s: exit code %d\n%s", args, r.code, r.stderr)
			}
			if strings.ContainsFunc(r.stdout, func(c rune) bool { return c != '\n' && c != '\t' && diag.Hidden(c) }) {
				t.Errorf("%s writes control characters: %q", args, r.stdout)
			}
			if strings.Contains(r.stdout, "\n::error::x") {
				t.Errorf("%s writes a schema's name as a line of its own: %s", args, r.stdout)
			}
		}
		var report struct {
			Findings []struct{ Code, Object, Message string }
		}
		decode(t, c.run("verify", "--format", "json").stdout, &report)
		got := map[string]string{}
		for _, f := range report.Findings {
			if f.Code == "V019" && !strings.Contains(f.Message, "does not exist yet") {
				got[f.Object] = f.Message
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("findings differ:\n%s", diff)
		}
	}
	checkCommands()
	if r := c.run("run", "--job", "daily"); r.code != 1 {
		t.Errorf("run: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	checkCommands()
	ran, left := map[string]string{}, map[string]string{}
	for _, schema := range append(oddSchemas, plainSchemas...) {
		ran["old@"+schema], left[schema] = "failed 0 "+want["old@"+schema], "3"
		if want["old@"+schema] == "" {
			ran["old@"+schema], left[schema] = "done 2 ", "1"
		}
	}
	for what, got := range map[string]string{
		"runs": `SELECT json_object_agg(policy, concat(state, ' ', taken, ' ', message)) FROM retention.run`,
		"rows": `SELECT json_object_agg(n.nspname, (xpath('/row/n/text()',
				query_to_xml(format('SELECT count(*) AS n FROM %I.m', n.nspname), false, true, '')))[1]::text)
			FROM pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = 'm'`,
	} {
		answer := map[string]string{}
		decode(t, pgtest.Value[string](t, in, got), &answer)
		if diff := cmp.Diff(map[bool]map[string]string{true: ran, false: left}[what == "runs"], answer); diff != "" {
			t.Errorf("%s differ:\n%s", what, diff)
		}
	}
	if got := pgtest.Value[int](t, in, "SELECT count(*) FROM retention.policy"); got != len(plainSchemas) {
		t.Errorf("retention.policy has %d rows, want %d", got, len(plainSchemas))
	}
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Errorf("%v in %q", err, text)
	}
}
