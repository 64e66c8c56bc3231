package behaviour

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/quote"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// prints creates function prints, whose result depends on many settings. PL/pgSQL caches the plans
// of its statements in the session.
const prints = `CREATE EXTENSION pg_trgm;
	CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL, body text NOT NULL);
	CREATE VIEW words AS SELECT id, to_tsvector(body)::text AS found FROM m;
	CREATE FUNCTION prints(p_body text) RETURNS text LANGUAGE plpgsql STABLE AS $f$
	DECLARE v_null text; v_length int;
	BEGIN
	    EXECUTE 'SELECT length(''a\\b'')' INTO v_length;
	    RETURN concat_ws(' | ', '10-11-12'::timestamptz::text, '2024-06-01 12:00 IST'::timestamptz::text, date '2024-01-02'::text,
	        timestamptz '2024-06-01 12:00+00'::text, to_jsonb(timestamptz '2024-06-01 12:00+00'), '1 day -02:03'::interval::text,
	        '\x61ff'::bytea::text, (1 / 3.0::float8)::text, 1e-7::float4::text, ('{NULL}'::text[])[1] IS NULL, (v_null = NULL) IS NULL,
	        1234.5::numeric::money::text, to_char(1234.5, 'L9G999D9'), to_char(date '2024-03-01', 'TMMonth'), quote_ident('x'), v_length,
	        xmlelement(name x, '\x61'::bytea)::text, xml_is_well_formed('a'), 'some word' % 'some words', 'so' <% 'some words', 'so' <<% 'some words',
	        to_tsvector(p_body)::text, plainto_tsquery('the runners')::text, 'xIx' ILIKE '%i%', E'it\'s', p_body ~ '\mrunners\M');
	END $f$;`

const printing = `
policies:
  p:
    table: m
    due: {age: {column: at, older_than: 7 days}}
    keep:
      prints: "t.id = 1 AND prints(t.body) = (SELECT wanted.prints FROM wanted)"
      words: "t.id = 2 AND EXISTS (SELECT FROM words w, wanted WHERE w.id = t.id AND w.found = wanted.words)"
    then: [delete]
`

// setting is a setting that any role may change, with other values that the server accepts.
type setting struct {
	Name   string
	Values []string
}

// changeable returns the settings that a session may change, with values other than the present
// one. An enumeration has all values, a number its minimum and maximum, a text values that other
// settings have. Planner costs are multiplied and divided by 1000: with costs of zero, catalog
// queries take minutes. Left out are: timeouts and exit_on_error, which end the run; messages of
// all levels, which take minutes; local_preload_libraries, which takes effect only when a session
// starts; and the largest memory limits.
func changeable(t *testing.T, conn *pgx.Conn) []setting {
	rows, err := conn.Query(t.Context(), `SELECT s.name, array_remove(array_remove(CASE
			WHEN s.vartype = 'bool' THEN ARRAY[CASE s.setting WHEN 'on' THEN 'off' ELSE 'on' END]
			WHEN s.vartype = 'enum' THEN s.enumvals
			WHEN s.vartype = 'string' THEN '{"German, DMY",Asia/Tokyo,India,pg_catalog.german,C,latin1,pg_temp,heap,pg_default,none}'
			WHEN s.category = 'Query Tuning / Planner Cost Constants'
			THEN ARRAY[(s.setting::numeric * 1000)::text, round(s.setting::numeric / 1000, 6)::text]
			ELSE ARRAY[s.min_val, CASE WHEN s.category <> 'Resource Usage / Memory' THEN s.max_val END] END, s.setting), NULL) AS values
		FROM pg_settings s WHERE s.context = 'user' AND s.name !~ 'timeout$|^local_preload_libraries$|^exit_on_error$|^client_min_messages$'
			AND s.category !~ '^Reporting and Logging' ORDER BY 1`)
	must(t, err)
	all, err := pgx.CollectRows(rows, pgx.RowToStructByName[setting])
	must(t, err)
	for i := range all {
		all[i].Values = slices.DeleteFunc(all[i].Values, func(value string) bool {
			_, err := conn.Exec(t.Context(), "SELECT set_config($1, $2, true)", all[i].Name, value)
			return value == "" || err != nil
		})
	}
	return slices.DeleteFunc(all, func(s setting) bool { return len(s.Values) == 0 })
}

// exec executes SQL with the simple protocol, which works under all settings.
func exec(t *testing.T, conn *pgx.Conn, sql string) []*pgconn.Result {
	t.Helper()
	results, err := conn.PgConn().Exec(t.Context(), sql).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return results
}

// sets returns statements that change settings for the session.
func sets(changed map[string]string) string {
	sql := ""
	for name, value := range changed {
		sql += fmt.Sprintf("SELECT pg_catalog.set_config(%s, %s, false);", quote.Literal(name), quote.Literal(value))
	}
	return sql
}

// TestSettingsChangeNoRows gives every setting that any role may change each of its values: in the
// session before a run that has executed the policy's function, for the role in this database, and
// between two batches. The run takes the same rows each time.
func TestSettingsChangeNoRows(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, prints+"CREATE TABLE wanted (prints text, words text)", printing)
	oracle := in.Conn(t)
	pgtest.Exec(t, oracle, `SET datestyle = 'ISO, YMD'; SET TimeZone = 'UTC'; SET lc_monetary = 'C'; SET lc_numeric = 'C'; SET lc_time = 'C';
		INSERT INTO wanted SELECT prints('the runners ran'), to_tsvector('the runners ran')::text`)
	connect := func() *pgx.Conn {
		conn, err := in.Connect(t.Context(), "retention_runner")
		must(t, err)
		return conn
	}
	conn := connect()
	exec(t, conn, "SELECT prints('')") // loads pg_trgm, which defines settings
	settings := changeable(t, conn)
	if !slices.ContainsFunc(settings, func(s setting) bool { return s.Name == "default_text_search_config" }) ||
		len(settings) < 100 {
		t.Fatalf("%d settings can be changed: %v", len(settings), settings)
	}
	// Each function of ways runs the policy while some settings are changed.
	ways := map[string]func(changed map[string]string){
		"before": func(changed map[string]string) {
			conn := connect()
			defer conn.Close(t.Context())
			// PL/pgSQL keeps the string syntax of its first parse for the whole session.
			exec(t, conn, sets(changed)+"SET search_path = pg_catalog, public, pg_temp; SET "+
				"standard_conforming_strings = on")
			// The call fails with some settings.
			_, _ = conn.PgConn().Exec(t.Context(), "SELECT prints('the runners ran')").ReadAll()
			if value, ok := changed["standard_conforming_strings"]; ok {
				exec(t, conn, "SET standard_conforming_strings = "+value)
			}
			exec(t, conn, "CALL retention.run('p', '"+noon+"')")
		},
		"role": func(changed map[string]string) {
			var sql []string
			for name, value := range changed {
				sql = append(sql, fmt.Sprintf("ALTER ROLE retention_runner IN DATABASE %s SET %s = %s",
					quote.Ident(in.Name), quote.Ident(name), quote.Literal(value)))
			}
			in.Exec(t, strings.Join(sql, "; "))
			conn := connect()
			exec(t, conn, "CALL retention.run('p', '"+noon+"')")
			_ = conn.Close(t.Context())
			in.Exec(t, "ALTER ROLE retention_runner IN DATABASE "+quote.Ident(in.Name)+" RESET ALL")
		},
		"between": func(changed map[string]string) {
			conn := connect()
			defer conn.Close(t.Context())
			id := pgtest.Value[int64](t, conn, "SELECT s.run_id FROM retention._begin(('p', $1::timestamptz, NULL, "+
				"NULL, NULL, NULL, false, NULL)) s", noon)
			pgtest.Exec(t, conn, fmt.Sprintf("SELECT retention._step(%d)", id))
			// The driver sets these as well.
			exec(t, conn, sets(changed)+"SET default_transaction_read_only = off; SET default_transaction_isolation "+
				"= 'read committed'")
			for going := true; going; {
				results := exec(t, conn, fmt.Sprintf("SELECT going FROM retention._step(%d)", id))
				going = string(results[0].Rows[0][0]) == "t"
			}
		},
	}
	left := func(way string, changed map[string]string) []int {
		in.Exec(t, "TRUNCATE m; INSERT INTO m SELECT i, '2024-01-01', 'the runners ran' FROM generate_series(1, 3) i")
		ways[way](changed)
		if o := in.Last("p"); o.State != "done" {
			t.Errorf("%s: the run ended %s (%s)", way, o.State, o.Message)
			return nil
		}
		return pgtest.Column[int](t, in, "SELECT id FROM m ORDER BY 1")
	}
	for way := range ways {
		for i := 0; ; i++ {
			changed := map[string]string{}
			for _, s := range settings {
				if i < len(s.Values) {
					changed[s.Name] = s.Values[i]
				}
			}
			if len(changed) == 0 {
				break
			}
			if slices.Equal(left(way, changed), []int{1, 2}) {
				continue
			}
			for name, value := range changed {
				if got := left(way, map[string]string{name: value}); !slices.Equal(got, []int{1, 2}) {
					t.Errorf("%s, with %s = %q: the rows %v are left", way, name, value, got)
				}
			}
			t.Fatalf("%s, with %v: other rows went", way, changed)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
