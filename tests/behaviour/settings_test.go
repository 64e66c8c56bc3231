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

// settingsFunction creates function prints, whose result depends on many settings. PL/pgSQL caches
// the plans of its statements in the session.
const settingsFunction = `CREATE EXTENSION pg_trgm;
	CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL, body text NOT NULL);
	CREATE VIEW words AS SELECT id, to_tsvector(body)::text AS found FROM m;
	CREATE FUNCTION prints(p_body text) RETURNS text LANGUAGE plpgsql STABLE AS $f$
	DECLARE v_null text; v_length int;
	BEGIN
	    EXECUTE 'SELECT length(''a\\b'')' INTO v_length;
	    RETURN concat_ws(' | ',
	        '10-11-12'::timestamptz::text, '2024-06-01 12:00 IST'::timestamptz::text, date '2024-01-02'::text,
	        timestamptz '2024-06-01 12:00+00'::text, to_jsonb(timestamptz '2024-06-01 12:00+00'),
	        '1 day -02:03'::interval::text, '\x61ff'::bytea::text, (1 / 3.0::float8)::text, 1e-7::float4::text,
	        ('{NULL}'::text[])[1] IS NULL, (v_null = NULL) IS NULL,
	        1234.5::numeric::money::text, to_char(1234.5, 'L9G999D9'), to_char(date '2024-03-01', 'TMMonth'),
	        quote_ident('x'), v_length,
	        xmlelement(name x, '\x61'::bytea)::text, xml_is_well_formed('a'),
	        'some word' % 'some words', 'so' <% 'some words', 'so' <<% 'some words',
	        to_tsvector(p_body)::text, plainto_tsquery('the runners')::text,
	        'xIx' ILIKE '%i%', E'it\'s', p_body ~ '\mrunners\M');
	END $f$;`

const settingsPolicy = `
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

// changeable returns the settings that a session may change, with other values than the present
// one: all values of an enumeration, the minimum and maximum of a number, and texts of many kinds.
// Planner costs are multiplied and divided by 1000, because catalog queries take minutes with costs
// of zero. Timeouts and exit_on_error are left out because they end the run. Messages of all levels
// take minutes, and local_preload_libraries has no effect in a session. The largest memory limits
// are more than a test may use.
func changeable(t *testing.T, conn *pgx.Conn) []setting {
	rows, err := conn.Query(t.Context(), `SELECT s.name, array_remove(array_remove(CASE
			WHEN s.vartype = 'bool' THEN ARRAY[CASE s.setting WHEN 'on' THEN 'off' ELSE 'on' END]
			WHEN s.vartype = 'enum' THEN s.enumvals
			WHEN s.vartype = 'string' THEN
			'{"German, DMY",Asia/Tokyo,India,pg_catalog.german,C,latin1,pg_temp,heap,pg_default,none}'
			WHEN s.category = 'Query Tuning / Planner Cost Constants'
			THEN ARRAY[(s.setting::numeric * 1000)::text, round(s.setting::numeric / 1000, 6)::text]
			ELSE ARRAY[s.min_val, CASE WHEN s.category <> 'Resource Usage / Memory' THEN s.max_val END] END,
			s.setting), NULL) AS values
		FROM pg_settings s WHERE s.context = 'user'
		AND s.name !~ 'timeout$|^local_preload_libraries$|^exit_on_error$|^client_min_messages$'
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

// execSimple executes SQL with the simple protocol, which works under all settings.
func execSimple(t *testing.T, conn *pgx.Conn, sql string) []*pgconn.Result {
	t.Helper()
	results, err := conn.PgConn().Exec(t.Context(), sql).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return results
}

// setStatements returns statements that change settings for the session.
func setStatements(changed map[string]string) string {
	sql := ""
	for name, value := range changed {
		sql += fmt.Sprintf("SELECT pg_catalog.set_config(%s, %s, false);", quote.Literal(name), quote.Literal(value))
	}
	return sql
}

// TestSettingsChangeNoRows changes every setting that any role may change to each of its values.
// The change is made in three ways: in a session that has executed the policy's function, for the
// role in this database, and between two batches. The run takes the same rows each time.
func TestSettingsChangeNoRows(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, settingsFunction+"CREATE TABLE wanted (prints text, words text)", settingsPolicy)
	oracle := in.Conn(t)
	pgtest.Exec(t, oracle, `SET datestyle = 'ISO, YMD';
		SET TimeZone = 'UTC';
		SET lc_monetary = 'C';
		SET lc_numeric = 'C';
		SET lc_time = 'C';
		INSERT INTO wanted SELECT prints('the runners ran'), to_tsvector('the runners ran')::text`)
	connect := func() *pgx.Conn {
		conn, err := in.Connect(t.Context(), "retention_runner")
		must(t, err)
		return conn
	}
	conn := connect()
	execSimple(t, conn, "SELECT prints('')") // loads pg_trgm, which defines settings
	settings := changeable(t, conn)
	if !slices.ContainsFunc(settings, func(s setting) bool { return s.Name == "default_text_search_config" }) ||
		len(settings) < 100 {
		t.Fatalf("only %d settings can be changed: %v", len(settings), settings)
	}
	// Each function of ways runs the policy while some settings are changed.
	ways := map[string]func(changed map[string]string){
		"before": func(changed map[string]string) {
			conn := connect()
			defer conn.Close(t.Context())
			// PL/pgSQL keeps the string syntax of its first parse for the whole session.
			execSimple(t, conn, setStatements(changed)+
				"SET search_path = pg_catalog, public, pg_temp; SET standard_conforming_strings = on")
			// The call fails with some settings.
			_, _ = conn.PgConn().Exec(t.Context(), "SELECT prints('the runners ran')").ReadAll()
			if value, ok := changed["standard_conforming_strings"]; ok {
				execSimple(t, conn, "SET standard_conforming_strings = "+value)
			}
			execSimple(t, conn, "CALL retention.run('p', '"+noon+"')")
		},
		"role": func(changed map[string]string) {
			var sql []string
			for name, value := range changed {
				sql = append(sql,
					fmt.Sprintf("ALTER ROLE retention_runner IN DATABASE %s SET %s = %s", quote.Ident(in.Name),
						quote.Ident(name), quote.Literal(value)))
			}
			in.Exec(t, strings.Join(sql, "; "))
			conn := connect()
			execSimple(t, conn, "CALL retention.run('p', '"+noon+"')")
			_ = conn.Close(t.Context())
			in.Exec(t, "ALTER ROLE retention_runner IN DATABASE "+quote.Ident(in.Name)+" RESET ALL")
		},
		"between": func(changed map[string]string) {
			conn := connect()
			defer conn.Close(t.Context())
			id := pgtest.Value[int64](t, conn, `SELECT s.run_id
				FROM retention._begin(('p', $1::timestamptz, NULL, NULL, NULL, NULL, false, NULL)) s`, noon)
			pgtest.Exec(t, conn, fmt.Sprintf("SELECT retention._step(%d)", id))
			// The driver sets these as well.
			execSimple(t, conn, setStatements(changed)+
				"SET default_transaction_read_only = off; SET default_transaction_isolation = 'read committed'")
			for going := true; going; {
				results := execSimple(t, conn, fmt.Sprintf("SELECT going FROM retention._step(%d)", id))
				going = string(results[0].Rows[0][0]) == "t"
			}
		},
	}
	left := func(way string, changed map[string]string) []int {
		in.Exec(t, "TRUNCATE m; INSERT INTO m SELECT i, '2024-01-01', 'the runners ran' FROM generate_series(1, 3) i")
		ways[way](changed)
		if o := in.Last("p"); o.State != "done" {
			t.Errorf("%s: the run ended %s (%s), want done", way, o.State, o.Message)
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
					t.Errorf("%s, with %s = %q: rows %v are left, want 1 and 2", way, name, value, got)
				}
			}
			t.Fatalf("%s, with all of %v: rows other than 1 and 2 are left", way, changed)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
