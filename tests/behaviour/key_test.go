package behaviour

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/diag"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// A run goes on from key to key, whatever type the key has: batches of one row take all that is due, and no other.
func TestKeysOfAnyType(t *testing.T) {
	const types = `CREATE TYPE pair AS (a int, b text); CREATE TYPE outer_pair AS (p pair, q text[]);
		CREATE DOMAIN odd AS pair; CREATE DOMAIN short AS varchar(12); CREATE TYPE mood AS ENUM ('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l');`
	for _, c := range []struct{ name, typ, key string }{
		{"composite", "pair", `ROW(i, 'x, "' || i)::pair`},
		{"composite of NULLs", "pair", "ROW(nullif(i, 12), NULL)::pair"},
		{"composite in a composite", "outer_pair", "ROW(ROW(i, NULL)::pair, ARRAY['', i::text])::outer_pair"},
		{"domain over a composite", "odd", "ROW(i, '')::pair::odd"},
		{"array of composites", "pair[]", "ARRAY[ROW(i, ' ')::pair]"},
		{"domain", "short", "'k' || i"},
		{"enum", "mood", "(enum_range(NULL::mood))[i]"},
		{"range", "int4range", "int4range(i, i + 1)"},
		{"multirange", "int4multirange", "int4multirange(int4range(i, i + 1))"},
		{"bpchar", "char(5)", "i::text"},
		{"bits", "bit(8)", "i::bit(8)"},
		{"jsonb", "jsonb", "jsonb_build_object('k', i)"},
		{"bytea", "bytea", `decode(lpad(i::text, 2, '0'), 'hex')`},
		{"char", `"char"`, "chr(64 + i)"},
		{"name", "name", "'n' || i"},
		{"timestamp(3)", "timestamp(3)", "'2024-01-01 00:00:00.0004'::timestamp + i * interval '1 ms'"},
		{"interval", "interval", "i * interval '1 day 25 hours'"},
		{"inet", "inet", "('10.0.0.' || i)::inet"},
		{"float8", "float8", "i / 3.0"},
		{"numeric", "numeric", "i::numeric / 7"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, types+`CREATE TABLE m (k `+c.typ+` PRIMARY KEY, n int, at timestamptz NOT NULL);
				CREATE TABLE g (n int); CREATE TABLE w (k `+c.typ+` PRIMARY KEY, n int);
				INSERT INTO m SELECT `+c.key+`, i, '2024-01-01'::timestamptz + i % 3 * interval '1 s' FROM generate_series(1, 12) i;
				INSERT INTO w SELECT k, n FROM m; INSERT INTO g VALUES (5)`, `policies:
  clock: {table: m, due: {age: {column: at, older_than: 7 days}}, keep: {g: "EXISTS (SELECT FROM g WHERE g.n = t.n)"}, then: [delete]}
  key: {table: w, where: "n <> 7", then: [delete]}
`)
			in.SetBatch(1)
			for policy, left := range map[string]string{"clock": "SELECT array_agg(n)::text FROM m", "key": "SELECT array_agg(n)::text FROM w"} {
				if _, err := in.Call("CALL retention.run('" + policy + "', '2024-06-01')"); err != nil {
					t.Errorf("%s: %v", policy, err)
				}
				want := map[string]string{"clock": "{5}", "key": "{7}"}[policy]
				if got := pgtest.Value[string](t, in.Conn(t), left); got != want {
					t.Errorf("%s leaves %s, want %s", policy, got, want)
				}
			}
		})
	}
}

// An index that tells more values apart than the columns do is no key: a batch would pass by the second of two that are
// equal, and a step find both by one of them. One that tells the same apart is.
func TestKeysThatEqualRowsShare(t *testing.T) {
	for _, c := range []struct {
		name, typ, index string
		key              bool
	}{
		{"another collation", "text COLLATE nocase", `k COLLATE "C"`, false},
		{"the column's collation", "text COLLATE nocase", "k", true},
		{"another collation of the same equality", "text", `k COLLATE "C"`, true},
		{"a coarser collation", "text", "k COLLATE nocase", false},
		{"another type's operators", "citext", "k text_ops", false},
		{"a domain's, too", "short", "k text_ops", false},
		{"the type's", "citext", "k", true},
		{"other operators of the same equality", "text", "k text_pattern_ops", true},
		{"bytes of a row", "pair", "k record_image_ops", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			in := kit.Prepare(t, `CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
				CREATE DOMAIN short AS citext; CREATE TYPE pair AS (a numeric, b text);
				CREATE TABLE m (k `+c.typ+` NOT NULL, at timestamptz NOT NULL); CREATE UNIQUE INDEX ON m (`+c.index+`)`,
				"policies: {p: {table: m, where: \"true\", then: [delete]}}", kit.Before("CREATE EXTENSION citext"))
			_, list := in.Compile(t, "policies: {p: {table: m, where: \"true\", then: [delete]}}")
			if got := !slices.ContainsFunc(list, func(d diag.Diagnostic) bool { return d.Code == "P052" }); got != c.key {
				t.Errorf("a key: %t, want %t: %v", got, c.key, list)
			}
		})
	}
}

// A unique index over NOT NULL columns serves as the key of a table that has no primary key, as long as it is there
// and the columns stay NOT NULL.
func TestUniqueKey(t *testing.T) {
	t.Parallel()
	const schema = `CREATE TABLE u (b text NOT NULL, a int NOT NULL, n int, at timestamptz NOT NULL, CONSTRAINT whole UNIQUE (a, b) INCLUDE (n));
		CREATE UNIQUE INDEX ON u (n); CREATE UNIQUE INDEX ON u (a) WHERE n > 99; CREATE UNIQUE INDEX ON u (lower(b));
		CREATE TABLE u_old (LIKE u, run_id bigint); CREATE TABLE pin (n int);
		INSERT INTO u SELECT 'k' || i, i % 4, i, '2024-01-01' FROM generate_series(1, 20) i; INSERT INTO pin VALUES (8)`
	const yaml = `policies:
  p: {table: u, where: "n <> 3", due: {age: {column: at, older_than: 7 days}}, keep: {pin: "EXISTS (SELECT FROM pin WHERE pin.n = t.n)"}, then: [archive: {into: u_old, set: {run_id: run.id}}, delete]}
  q: {table: u, due: {beyond: {first: 1, per: [a], order: "n DESC"}}, then: [delete]}
`
	install := func(t *testing.T) *kit.Installed {
		in := kit.Install(t, schema, yaml)
		in.SetBatch(3)
		return in
	}
	t.Run("rows", func(t *testing.T) {
		t.Parallel()
		in := install(t)
		in.Exec(t, `SELECT retention.place_hold('u', '{"a": 1, "b": "k5"}', 'case')`)
		before := in.Rows("SELECT * FROM u ORDER BY n")
		o := in.Done("p", "2024-06-01")
		if left := pgtest.Value[string](t, in, "SELECT array_agg(n ORDER BY n)::text FROM u"); left != "{3,5,8}" || o.Taken != 17 {
			t.Errorf("%d rows taken, %s left", o.Taken, left)
		}
		if n := pgtest.Value[int64](t, in, "SELECT count(*) FROM u_old WHERE run_id = "+fmt.Sprint(o.ID)); n != 17 {
			t.Errorf("%d rows in the archive", n)
		}
		if err := in.Operator("SELECT retention.restore('p', $1)", o.ID); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, in.Rows("SELECT * FROM u ORDER BY n")); diff != "" {
			t.Errorf("restored (-want +got):\n%s", diff)
		}
	})
	for name, c := range map[string]struct{ change, says string }{
		"the index goes":    {"ALTER TABLE u DROP CONSTRAINT whole", "is not unique any more"},
		"a column nullable": {"ALTER TABLE u ALTER b DROP NOT NULL", "is not unique any more"},
		"NULLs are there":   {"ALTER TABLE u ALTER b DROP NOT NULL; UPDATE u SET b = NULL WHERE n < 5", "is not unique any more"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := install(t)
			in.Exec(t, c.change)
			if found := in.Finding(t, yaml, "V050"); !strings.Contains(found, c.says) {
				t.Errorf("verify says %q", found)
			}
			for _, policy := range []string{"p", "q"} {
				if o := in.Run(policy, "2024-06-01"); o.State != "tripped" || !strings.Contains(o.Message, c.says) || o.Taken != 0 {
					t.Errorf("%s ended %s: %s", policy, o.State, o.Message)
				}
			}
		})
	}
	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		for _, unique := range []string{
			"CREATE UNIQUE INDEX ON v (n)", "CREATE UNIQUE INDEX ON v (a) WHERE a > 0", "CREATE UNIQUE INDEX ON v (abs(a))", "CREATE UNIQUE INDEX ON v (a, n)",
			"CREATE INDEX ON v (a)", "ALTER TABLE v ADD UNIQUE (a) DEFERRABLE",
			"DROP TABLE v; CREATE TABLE v (a int NOT NULL) PARTITION BY LIST (a); CREATE TABLE v_1 PARTITION OF v DEFAULT; CREATE UNIQUE INDEX ON ONLY v (a)", // invalid
		} {
			const yaml = "policies: {p: {table: v, where: 'a = 1', then: [delete]}}"
			in := kit.Prepare(t, "CREATE TABLE v (a int NOT NULL, n int); "+unique, yaml)
			if _, list := in.Compile(t, yaml); len(list) != 1 || list[0].Code != "P052" {
				t.Errorf("%s: %v", unique, list)
			}
		}
	})
}
