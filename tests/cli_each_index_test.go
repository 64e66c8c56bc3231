package tests

import (
	"regexp"
	"strings"
	"testing"

	"pgretain/tests/kit"
)

const eachOnExpressions = `version: 1
defaults: {breaker: {fraction: 1}}
install: {scheduler: none}
each: {each_t: {schemas: "t_*"}}
policies:
  ended: {table: each_t.m, due: {age: {expression: "coalesce(ended, at)", older_than: 7 days}}, then: [delete]}
  moved: {table: each_t.n, due: {age: {expression: "GREATEST(first, \"Last\")", older_than: 7 days}}, then: [delete]}
jobs: {daily: {schedule: "@daily", run: [ended, moved]}}
`

// testEachOnExpressions creates the indexes that lint asks for. Then lint and verify find them,
// although PostgreSQL prints their expressions in another form than the policy file.
func testEachOnExpressions(t *testing.T, binary string) {
	in := kit.Prepare(t, "", eachOnExpressions)
	c := newCLI(t, binary, in.URL(kit.Migrator), t.TempDir())
	c.write("retention.yaml", eachOnExpressions)
	in.Exec(t, `SET ROLE `+kit.Migrator+`;
		CREATE DOMAIN public.moment AS timestamptz;
		CREATE SCHEMA t_a;
		CREATE TABLE t_a.m (id int PRIMARY KEY, at timestamptz NOT NULL, ended timestamptz);
		CREATE TABLE t_a.n (id int PRIMARY KEY, first public.moment, "Last" public.moment);
		INSERT INTO t_a.m SELECT n, '2024-01-01', NULL FROM generate_series(1, 30000) n;
		INSERT INTO t_a.n SELECT n, '2024-01-01', '2024-01-02' FROM generate_series(1, 30000) n;
		RESET ROLE;
		ANALYZE`)
	c.must("snapshot")
	refused := c.finish(c.command("lint"))
	hints := regexp.MustCompile(`(CREATE INDEX ON .*\)) in the script`).FindAllStringSubmatch(refused.stderr, -1)
	if refused.code != 1 || len(hints) != 2 {
		t.Fatalf("lint: exit code %d, want 1 and two hints\n%s", refused.code, refused.stderr)
	}
	for _, hint := range hints {
		in.Exec(t, `SET ROLE `+kit.Migrator+`; `+strings.ReplaceAll(hint[1], "each_t", "t_a")+`; RESET ROLE`)
	}
	c.must("snapshot")
	if r := c.finish(c.command("lint")); r.code != 0 || r.stderr != "" {
		t.Errorf("lint: exit code %d\n%s", r.code, r.stderr)
	}
	if r := c.finish(c.command("generate")); r.code != 0 {
		t.Fatal(r)
	}
	c.must("migrate", "up")
	c.must("run", "--job", "daily")
	c.url = in.URL("")
	if r := c.must("verify"); r.stderr != "" {
		t.Errorf("verify reports:\n%s", r.stderr)
	}
}
