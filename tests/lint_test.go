package tests

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/inspect"
	"pgretain/internal/lint"
	"pgretain/policy"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// every creates a table with a row for every combination of values that the random conditions can
// distinguish.
const every = `CREATE SCHEMA lint;
CREATE TABLE lint.every AS SELECT row_number() OVER () AS id, a, b, c, d, e
  FROM unnest(ARRAY[NULL, 'x', 'y', 'z']) a,
       unnest(ARRAY[NULL, 0.5, 1, 1.5, 2, 2.5, 3, 3.5]::numeric[]) b,
       unnest(ARRAY[true, false]) c,
       unnest(ARRAY[NULL, true, false]) d,
       unnest(ARRAY[NULL, '2025-12-01', '2026-01-01', '2026-01-15', '2026-02-01', '2026-03-01']::date[]) e;
ALTER TABLE lint.every ADD PRIMARY KEY (id), ALTER c SET NOT NULL;
ALTER TABLE lint.every ADD at timestamptz NOT NULL DEFAULT now();`

var lintTemplate = pgtest.Template("lint", func(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.PgConn().Exec(ctx, every).ReadAll()
	return err
})

// trial is one policy with random conditions.
type trial struct{ where, guard, tier, step string }

func (c trial) yaml(n int) string {
	return fmt.Sprintf(`  p%[1]d:
    table: lint.every
    where: "%[2]s"
    due:
      age:
        column: at
        older_than: [{when: "%[4]s", then: 1 day}, {when: "%[3]s", then: 2 days}, {else: 3 days}]
    keep: {g%[1]d: "%[3]s"}
    then: [{emit: {event: seen, where: "%[5]s"}}, delete]
`, n, c.where, c.guard, c.tier, c.step)
}

var atoms = []string{
	"a = 'x'", "a <> 'y'", "a IN ('x', 'z')", "a NOT IN ('x', 'y')",
	"a IS NULL", "a IS NOT NULL", "'y' = a", "a IN ('x', NULL)",
	"b = 1", "b > 1", "b >= 2", "b < 2", "b <= 1", "b <> 3",
	"b BETWEEN 1 AND 2", "b NOT BETWEEN 1 AND 3", "2 < b", "b IS DISTINCT FROM 2",
	"c", "c = false", "d", "d = true", "d IS TRUE", "d IS NOT FALSE", "d IS NULL", "d IS UNKNOWN",
	"b IS NOT DISTINCT FROM 3", "true", "false",
	"e = '2026-01-01'", "e < '2026-02-01'", "e > '2026-01-01'", "e BETWEEN '2026-01-01' AND '2026-02-01'",
	"NULL::boolean",
	"lower(a) = 'x'", "a LIKE 'x%'", "b + 1 > 2", "coalesce(d, c)", "EXISTS (SELECT FROM pg_class WHERE relname = t.a)",
}

// condition returns a random condition over the first atoms of the list. lint does not interpret
// the last five atoms.
func condition(random *rand.Rand, depth, of int) string {
	if depth == 0 || random.IntN(4) == 0 {
		return atoms[random.IntN(of)]
	}
	x, y := condition(random, depth-1, of), condition(random, depth-1, of)
	switch random.IntN(6) {
	case 0:
		return "NOT (" + x + ")"
	case 1:
		return "((" + x + ") OR (" + y + "))"
	case 2:
		return "((" + x + ") IS NOT TRUE AND (" + y + "))"
	case 3:
		return "((" + x + ") IS FALSE OR (" + y + "))"
	}
	return "((" + x + ") AND (" + y + "))"
}

// TestLintAgainstPostgreSQL compares lint's findings on random conditions with the answers of the
// server. If lint reports that a condition is never true, no row may satisfy it. If no row
// satisfies a "where" that lint can interpret, lint must report it.
func TestLintAgainstPostgreSQL(t *testing.T) {
	t.Parallel()
	db := lintTemplate.Database(t)
	conn := db.Conn(t)
	snapshot, unknown, err := inspect.Snapshot(t.Context(), conn,
		inspect.Request{Tables: []string{"lint.every"}, SearchPath: []string{"public"}, Runtime: "retention"})
	if err != nil || len(unknown) > 0 {
		t.Fatalf("%v %v", unknown, err)
	}
	random := rand.New(rand.NewPCG(20, 26))
	var trials []trial
	var yaml strings.Builder
	yaml.WriteString("version: 1\npolicies:\n")
	understood := len(atoms) - 5
	for n := range 200 {
		of := len(atoms)
		if n%2 == 0 {
			of = understood
		}
		c := trial{
			where: condition(random, 3, of),
			guard: condition(random, 2, of),
			tier:  condition(random, 2, of),
			step:  condition(random, 2, of),
		}
		trials = append(trials, c)
		yaml.WriteString(c.yaml(n))
	}
	file, list := policy.Parse("policy.yaml", []byte(yaml.String()))
	if file == nil {
		t.Fatalf("%+v", list)
	}
	findings := map[string]int{}
	noRow := map[int]bool{}
	for _, d := range lint.Check(file, snapshot) {
		ask, n := claim(t, trials, d.Code.String(), d.Message)
		if ask == "" {
			continue
		}
		findings[d.Code.String()]++
		noRow[n] = noRow[n] || d.Code.String() == "L001"
		if pgtest.Value[bool](t, conn, "SELECT EXISTS ("+ask+")") {
			t.Errorf("%s %s\n%+v\n%s", d.Code, d.Message, trials[n], ask)
		}
	}
	for n, c := range trials {
		exists := "SELECT EXISTS (SELECT FROM lint.every t WHERE " + c.where + ")"
		if n%2 == 0 && !noRow[n] && !pgtest.Value[bool](t, conn, exists) && !strings.Contains(c.where, "NULL)") {
			t.Errorf("no row satisfies %s, but lint does not report it", c.where)
		}
	}
	for _, code := range []string{"L001", "L002", "L004", "L006", "L010"} {
		if findings[code] < 5 {
			t.Errorf("lint reports %s %d times, want at least 5: %v", code, findings[code], findings)
		}
	}
}

var named = map[string]*regexp.Regexp{
	"L001": regexp.MustCompile(`policy "p(\d+)"`),
	"L002": regexp.MustCompile(`of policy "p(\d+)"`),
	"L004": regexp.MustCompile(`tier (\d) of policy "p(\d+)"`),
	"L006": regexp.MustCompile(`policy "p(\d+)"`),
	"L010": regexp.MustCompile(`guard "g(\d+)" keeps every row in which "(\w+)"`),
	"L011": regexp.MustCompile(`policy "p(\d+)" skips every row in which "(\w+)"`),
}

// claim returns a query for rows that contradict a finding, and the number of its policy. The query
// is "" for findings of other codes.
func claim(t *testing.T, trials []trial, code, message string) (string, int) {
	t.Helper()
	if named[code] == nil {
		return "", 0
	}
	found := named[code].FindStringSubmatch(message)
	if found == nil {
		t.Fatalf("%s: %s", code, message)
	}
	number := found[1]
	if code == "L004" {
		number = found[2]
	}
	var n int
	fmt.Sscan(number, &n)
	c := trials[n]
	taken := "SELECT FROM lint.every t WHERE (" + c.where + ") AND (" + c.guard + ") IS FALSE"
	switch code {
	case "L001":
		return "SELECT FROM lint.every t WHERE " + c.where, n
	case "L002":
		return taken, n
	case "L004":
		if found[1] == "1" {
			return taken + " AND (" + c.tier + ")", n
		}
		return taken + " AND (" + c.tier + ") IS NOT TRUE AND (" + c.guard + ")", n
	case "L006":
		return taken + " AND (" + c.step + ")", n
	case "L010":
		return taken + " AND " + found[2] + " IS NULL", n
	}
	return "SELECT FROM lint.every t WHERE (" + c.where + ") AND " + found[2] + " IS NULL", n
}

// TestZoneInWhere installs a policy whose "where" PostgreSQL does not allow as an index predicate.
// The policy's index has no predicate.
func TestZoneInWhere(t *testing.T) {
	t.Parallel()
	const schema = `
		CREATE SCHEMA app;
		CREATE TABLE app.visit (id bigint PRIMARY KEY, day date, at timestamptz NOT NULL);`
	const where = "at >= day"
	installed := kit.Install(t, schema, `
policies:
  visits: {table: app.visit, where: "`+where+`", due: {age: {column: at, older_than: 7 days}}, then: [delete]}
`)
	conn := installed.DB.Conn(t)
	if _, err := conn.Exec(t.Context(), "CREATE INDEX ON app.visit (at, id) WHERE "+where); err == nil ||
		!strings.Contains(err.Error(), "42P17") {
		t.Errorf("CREATE INDEX with this predicate: %v, want SQLSTATE 42P17", err)
	}
	if n := pgtest.Value[int](t, conn, `SELECT count(*)::int FROM pg_index
		WHERE indrelid = 'app.visit'::regclass AND indpred IS NULL`); n != 2 {
		t.Errorf("app.visit has %d indexes without a predicate, want 2: the key's and the policy's", n)
	}
}

// TestValuesAgainstPostgreSQL compares lint's findings on literal texts with the server. If lint
// says that a text is no label of an enum, the server must refuse to compare it. If lint says that
// a CHECK constraint excludes a text, the server must refuse a row with it. Where every constraint
// is a list, lint must report exactly these texts.
func TestValuesAgainstPostgreSQL(t *testing.T) {
	t.Parallel()
	db := pgtest.Database(t)
	db.Exec(t, `CREATE SCHEMA app;
		CREATE TYPE app.state AS ENUM ('open', 'done', 'it''s');
		CREATE DOMAIN app.over_state AS app.state;
		CREATE DOMAIN app.size AS varchar(9) CHECK (VALUE IN ('s', 'open'));
		CREATE TABLE app.task (
			id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at timestamptz NOT NULL DEFAULT now(),
			a app.state, b app.over_state, c app.size, d text CHECK (d IN ('done', 'it''s')),
			e varchar(9) CHECK (e = 'open' OR e = 's' OR e IS NULL), f text CHECK (f <> 'gone'))`)
	snapshot, unknown, err := inspect.Snapshot(t.Context(), db.Conn(t),
		inspect.Request{Tables: []string{"app.task"}, SearchPath: []string{"public"}, Runtime: "retention"})
	if err != nil || len(unknown) > 0 {
		t.Fatalf("%v %v", unknown, err)
	}
	conn, reported := db.Conn(t), map[string]int{}
	for _, column := range strings.Fields("a b c d e f") {
		for _, text := range []string{"'open'", "'done'", "'it''s'", "'s'", "'gone'", "'Open'", "''"} {
			for _, form := range []string{"%s = %s", "%s NOT IN (%s)", "%[2]s IS DISTINCT FROM %[1]s"} {
				where := fmt.Sprintf(form, column, text)
				yaml := fmt.Sprintf("version: 1\npolicies:\n  p: {table: app.task, where: %q, due: {age: {column: at, "+
					"older_than: 1 day}}, then: [delete]}\n", where)
				file, list := policy.Parse("policy.yaml", []byte(yaml))
				if file == nil {
					t.Fatal(list)
				}
				var codes []string
				for _, d := range lint.Check(file, snapshot) {
					if d.Code.String() == "L037" || d.Code.String() == "L038" {
						codes = append(codes, d.Code.String())
						reported[d.Code.String()]++
					}
				}
				var want []string
				_, err := conn.Exec(t.Context(), "EXPLAIN SELECT FROM app.task WHERE "+where)
				if refused := (*pgconn.PgError)(nil); errors.As(err, &refused) {
					if refused.Code == "22P02" { // not for b: a domain over an enum has no operator for a bare text
						want = append(want, "L037")
					}
				} else if _, err := conn.Exec(t.Context(), fmt.Sprintf("INSERT INTO app.task (%s) VALUES (%s)", column,
					text)); err != nil && column != "f" { // the constraint of f is no list
					want = append(want, "L038")
				}
				if !slices.Equal(codes, want) {
					t.Errorf("lint reports %v for %s, want %v: %v", codes, where, want, err)
				}
			}
		}
	}
	if reported["L037"] < 10 || reported["L038"] < 20 {
		t.Errorf("lint reports too little: %v", reported)
	}
}
