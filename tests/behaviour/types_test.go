package behaviour

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/pgparse"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
	"pgretain/verifier"
)

// typedTable creates table x with columns of all types for times and numbers, and of domains over
// them. The clocks of its rows are 5 hours apart, over 12 days around the cutoffs.
const typedTable = `
	CREATE DOMAIN day AS date;
	CREATE DOMAIN workday AS day CHECK (VALUE IS NULL OR VALUE > '2000-01-01');
	CREATE DOMAIN moment AS timestamptz(0);
	CREATE FUNCTION day_of(timestamptz) RETURNS date
		LANGUAGE sql IMMUTABLE AS $$ SELECT ($1 AT TIME ZONE 'UTC')::date $$;
	CREATE FUNCTION moment_of(date) RETURNS moment
		LANGUAGE sql IMMUTABLE AS $$ SELECT ($1 + time '06:00') AT TIME ZONE 'UTC' $$;
	CREATE TABLE x (id int PRIMARY KEY, made_at timestamptz, naive timestamp, rough timestamp(0), d date,
		due workday, seen moment,
		tm time, slack interval, slack_text text, days int, zone text, seconds bigint, during tstzrange, doc jsonb);
	INSERT INTO x SELECT n, at, at AT TIME ZONE 'UTC', at AT TIME ZONE 'UTC', (at AT TIME ZONE 'UTC')::date,
		(at AT TIME ZONE 'UTC')::date + n % 3,
		at + n % 2 * interval '1 day', (at AT TIME ZONE 'UTC')::time, n % 5 * interval '7 hours', n % 3 || ' days',
			n % 4,
		(ARRAY['UTC', 'Asia/Tokyo', 'America/New_York'])[1 + n % 3], extract(epoch FROM at),
			tstzrange(at, at + n % 2 * interval '1 day', '[]'),
		jsonb_build_object('at', at, 'days', n % 4)
	FROM generate_series(1, 60) n
	CROSS JOIN LATERAL (SELECT '` + noon + `'::timestamptz - interval '13 days' + n * interval '5 hours') a (at)`

// typedClocks has expressions for clocks. For most of them, the text does not show the type. They
// have no cast at the end, or the cast is not their last operation.
var typedClocks = []string{
	"made_at", "made_at + slack", "made_at + slack_text::interval", "made_at - interval '1 hour' * days",
	"made_at::date", "made_at::date + 1", "made_at::date + days", "date(made_at)",
	"greatest(made_at::date, d)", "greatest(made_at::date, due)", "greatest(made_at, d)", "least(naive, d)",
	"date_trunc('day', made_at)", "date_trunc('day', naive)", "d + tm", "d + time '06:00'",
	"naive + slack::interval", "d + 1::int", "d + slack", "due", "due + 1", "coalesce(due, d)", "seen",
	"seen::timestamp", "coalesce(seen, made_at)", "naive AT TIME ZONE zone", "naive AT TIME ZONE zone::text",
	"made_at AT TIME ZONE 'Asia/Tokyo'", "day_of(made_at)", "day_of(made_at) + 1", "moment_of(d)",
	"to_timestamp(seconds)", "upper(during)", "rough", "rough + interval '1 day'",
	"CASE WHEN days > 1 THEN made_at ELSE seen END", "CASE WHEN days > 1 THEN d ELSE naive END",
	"tm + d::date", "make_date(2024, 3, (10 + days)::int)", "(SELECT max(y.d) FROM x y WHERE y.id <= t.id)",
	"(doc ->> 'at')::timestamptz", "to_date(naive::text, 'YYYY-MM-DD')", "nullif(made_at, seen)", "j.at",
	"j.at::date + 1", "q.top", "q.top + days",
}

// typedJoins joins one row of table y and one aggregate to each row.
const typedJoins = `join: {j: {table: y, where: "j.id = t.id"},
	q: "SELECT max(y.day) AS top FROM y WHERE y.id <= t.id"},`

// TestTypesOfExpressions checks that the type of a clock expression comes from PostgreSQL. The
// cutoff has the same type: an instant, a local time or a date.
func TestTypesOfExpressions(t *testing.T) {
	t.Parallel()
	const zone = "Asia/Kolkata"
	schema := typedTable + "; CREATE TABLE y AS SELECT id, made_at AS at, d AS day FROM x;"
	yaml := "install: {scheduler: none, time_zone: " + zone + "}\npolicies:\n"
	for i, clock := range typedClocks {
		joins := ""
		if strings.HasPrefix(clock, "j.") || strings.HasPrefix(clock, "q.") {
			joins = typedJoins
		}
		schema += fmt.Sprintf("CREATE TABLE m%d AS SELECT * FROM x; ALTER TABLE m%[1]d ADD PRIMARY KEY (id);\n", i)
		yaml += fmt.Sprintf("  p%d: {table: m%[1]d, %s due: {age: {expression: %q, older_than: 7 days}}, then: "+
			"[delete]}\n", i, joins, clock)
	}
	in := kit.Install(t, schema, yaml)
	cutoffs := map[string]string{
		"timestamp with time zone":    "(%s AT TIME ZONE '%s' - interval '7 days') AT TIME ZONE '%[2]s'",
		"timestamp without time zone": "%s AT TIME ZONE '%s' - interval '7 days'",
		"date":                        "(%s AT TIME ZONE '%s' - interval '7 days')::date",
	}
	conn := in.Conn(t)
	pgtest.Exec(t, conn, "SET TimeZone = '"+zone+"'") // runs use this time zone
	for i, clock := range typedClocks {
		from := fmt.Sprintf("FROM m%d t JOIN y j USING (id) CROSS JOIN LATERAL (SELECT max(y.day) AS top FROM y "+
			"WHERE y.id <= t.id) q", i)
		bare := strings.NewReplacer("made_at", "t.made_at").Replace(clock)
		typ := pgtest.Value[string](t, conn,
			fmt.Sprintf("SELECT pg_typeof(coalesce(%s, NULL))::text %s LIMIT 1", bare, from))
		cutoff := fmt.Sprintf(cutoffs[typ], "timestamptz '"+noon+"'", zone)
		due := fmt.Sprintf("(%s) < %s", bare, cutoff)
		want := pgtest.Column[int](t, conn, fmt.Sprintf("SELECT t.id %s WHERE (%s) IS NOT TRUE ORDER BY 1", from, due))
		taken := 60 - len(want)
		in.Done(fmt.Sprintf("p%d", i), noon)
		got := pgtest.Column[int](t, conn, fmt.Sprintf("SELECT id FROM m%d ORDER BY 1", i))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s is a %s; rows that stay (-want +got):\n%s", clock, typ, diff)
		}
		if taken == 0 || taken == 60 && !strings.HasPrefix(clock, "make_date") {
			t.Errorf("%s: %d of 60 rows are taken, which tests nothing", clock, taken)
		}
	}
}

// TestTypesThatAreRefused checks that the generator refuses clocks that are no time and windows
// that are no interval.
func TestTypesThatAreRefused(t *testing.T) {
	t.Parallel()
	in := kit.Prepare(t, typedTable, "policies: {p: {table: x, where: id > 0, then: [delete]}}")
	age := func(clock, window string) string {
		return fmt.Sprintf("age: {expression: %q, older_than: %s}", clock, window)
	}
	for name, c := range map[string]struct{ due, says string }{
		"time of day": {age("tm + slack", "7 days"),
			`type "time without time zone" is not a date or a timestamp`},
		"days between dates": {age("d - due", "7 days"), `type "integer" is not a date or a timestamp`},
		"interval":           {age("made_at - seen", "7 days"), `type "interval" is not a date or a timestamp`},
		"text":               {age("doc ->> 'at'", "7 days"), `type "text" is not a date or a timestamp`},
		"an encoding of dates": {`age: {expression: "d + 1", encoding: epoch_s, older_than: 7 days}`,
			`encoding "epoch_s" cannot be used with type "date"`},
		"a number for a window": {age("made_at", `{interval: "d - due"}`),
			`the window has type "integer", not an interval`},
		"a time for a window": {age("made_at", `{interval: tm}`),
			`the window has type "time without time zone", not an interval`},
		"a sum of times": {age("made_at", `{interval: "tm + slack"}`),
			`the window has type "time without time zone", not an interval`},
		"an interval of days": {age("made_at", `{days: slack}`), `the window has type "interval", not a number`},
	} {
		t.Run(name, func(t *testing.T) {
			_, list := in.Compile(t, "policies: {p: {table: x, due: {"+c.due+"}, then: [delete]}}")
			if len(list) != 1 || !strings.Contains(list[0].Message, c.says) {
				t.Errorf("wanted %q, got %+v", c.says, list)
			}
		})
	}
}

// TestNamesOfTypes compares the spelling of types with that of the server's function format_type.
// Columns in the catalog snapshot have this spelling.
func TestNamesOfTypes(t *testing.T) {
	t.Parallel()
	spellings := []string{
		"int", "int2", "INT8", "float4", "float", "decimal", "numeric(10)", "numeric(10,2)", "dec(4, 1)",
		"bool", "text", "varchar", "varchar(20)", "character varying(3)", "char", "char(4)", "bpchar",
		"timestamptz", "timestamptz(3)", "timestamp", "timestamp(0) without time zone",
		"timestamp with time zone", "time", "time(2)", "timetz", "timetz(1)", "date", "interval", "uuid",
		"json", "jsonb", "bytea", "int[]", "text[][]", "varchar(5)[]", "pg_catalog.int4",
		"pg_catalog.timestamptz",
	}
	in := kit.Prepare(t, "CREATE TABLE x (id int)", "policies: {p: {table: x, where: id > 0, then: [delete]}}")
	var got []string
	columns := "CREATE TABLE spelt (id int"
	for i, typ := range spellings {
		name, err := pgparse.FormatType(typ)
		if err != nil {
			t.Fatal(err)
		}
		got, columns = append(got, name), columns+fmt.Sprintf(", c%d %s", i, typ)
	}
	in.DB.Exec(t, columns+")")
	want := pgtest.Column[string](t, in, `SELECT format_type(atttypid, atttypmod) FROM pg_attribute
		WHERE attrelid = 'spelt'::regclass AND attnum > 1 ORDER BY attnum`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("names differ (-format_type +ours):\n%s", diff)
	}
}

// TestTypesCheckedByMigration checks that a migration fails if an expression has another type than
// in the catalog snapshot. If the type changes later, verify reports it.
func TestTypesCheckedByMigration(t *testing.T) {
	t.Parallel()
	const yaml = `policies: {p: {table: x, due: {age: {expression: "day_of(made_at)", older_than: 7 days}},
		then: [delete]}}`
	in := kit.Prepare(t, typedTable, yaml)
	returning := func(typ string) {
		in.DB.Exec(t, "DROP FUNCTION day_of; SET ROLE "+kit.Migrator+"; CREATE FUNCTION day_of(timestamptz) RETURNS "+
			typ+
			" LANGUAGE sql IMMUTABLE AS 'SELECT NULL::"+typ+"'; RESET ROLE")
	}
	in.Generate(t, yaml)
	returning("timestamptz")
	_, err := in.TryUp(t)
	if err == nil ||
		!strings.Contains(err.Error(),
			`policy "p" cannot run: an expression has type timestamp with time zone, not date`) {
		t.Errorf("the migration ended with %v, want an error about the type", err)
	}
	returning("workday") // a domain over date is accepted
	in.Up(t)
	wanted, _ := in.Compile(t, yaml)
	in.WantConforms(t, wanted)
	returning("timestamp")
	const says = "an expression of policy \"p\" has another type than in the catalog snapshot"
	if report := in.Verify(t, "", wanted); !slices.ContainsFunc(report.Findings, func(f verifier.Finding) bool {
		return f.Message == says && f.Want == "date" && f.Got == "timestamp without time zone"
	}) {
		t.Errorf("verify finds %+v, want %q", report.Findings, says)
	}
}

// TestTypesInEachSchema checks a policy for each schema. The types of its expressions are those in
// one of the schemas.
func TestTypesInEachSchema(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, tenants("tenant_a", "tenant_b"),
		strings.Replace(messages(7), "column: at,", `expression: "at::date + 1",`, 1))
	if _, err := in.Call("CALL retention.run_job('hourly', $1)", noon); err != nil {
		t.Error(err)
	}
	wantLeft(t, in, map[string]string{"tenant_a": rest, "tenant_b": rest}) // row 8 is pinned
}
