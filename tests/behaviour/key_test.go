package behaviour

import (
	"testing"

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
