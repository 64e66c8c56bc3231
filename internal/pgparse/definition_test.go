package pgparse

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const plainFunction = `CREATE OR REPLACE FUNCTION r.f(p_a integer, p_b text DEFAULT 'x') RETURNS bigint LANGUAGE sql AS 'SELECT 1';
REVOKE ALL ON FUNCTION r.f(integer, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION r.f(integer, text) TO a, b;`

func TestReplacedBy(t *testing.T) {
	t.Parallel()
	const head, tail = "CREATE OR REPLACE FUNCTION r.f(", " LANGUAGE sql AS 'SELECT 1'; GRANT EXECUTE ON FUNCTION r.f(integer, text) TO a, b"
	const args = "p_a integer, p_b text DEFAULT 'x'"
	for name, c := range map[string]struct {
		next string
		want bool
	}{
		"another body":       {"-- why\nCREATE FUNCTION r.f(p_a int, p_b text = 'y')\n  RETURNS bigint SECURITY DEFINER SET search_path = '' LANGUAGE plpgsql AS 'x'; GRANT EXECUTE ON FUNCTION r.f(integer, text) TO b, a, c", true},
		"another name":       {head + "p_c integer, p_b text DEFAULT 'x') RETURNS bigint" + tail, false},
		"a default gone":     {head + "p_a integer, p_b text) RETURNS bigint" + tail, false},
		"a default more":     {head + "p_a integer DEFAULT 1, p_b text DEFAULT 'x') RETURNS bigint" + tail, true},
		"another result":     {head + args + ") RETURNS integer" + tail, false},
		"a set":              {head + args + ") RETURNS SETOF bigint" + tail, false},
		"an OUT column":      {head + args + ", OUT n bigint)" + tail, false},
		"a result table":     {head + args + ") RETURNS TABLE (n bigint)" + tail, false},
		"a procedure":        {"CREATE PROCEDURE r.f(" + args + ")" + tail, false},
		"another mode":       {head + "INOUT p_a integer, p_b text DEFAULT 'x') RETURNS integer" + tail, false},
		"a role loses":       {head + args + ") RETURNS bigint LANGUAGE sql AS 'SELECT 1'; GRANT EXECUTE ON FUNCTION r.f(integer, text) TO a", false},
		"no role left":       {head + args + ") RETURNS bigint LANGUAGE sql AS 'SELECT 1'", false},
		"a grantor of grant": {head + args + ") RETURNS bigint LANGUAGE sql AS 'SELECT 1'; GRANT EXECUTE ON FUNCTION r.f(integer, text) TO a, b WITH GRANT OPTION", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := define(t, plainFunction).ReplacedBy(define(t, c.next)); got != c.want {
				t.Errorf("replaced: %v, want %v", got, c.want)
			}
		})
	}
}

func TestViewReplacedBy(t *testing.T) {
	t.Parallel()
	before := define(t, "CREATE OR REPLACE VIEW r.v AS SELECT a.x, f(a.y) AS y FROM r.t a WHERE a.x > 0")
	for next, want := range map[string]bool{
		"CREATE OR REPLACE VIEW r.v AS SELECT a.x, f(a.y) AS y FROM r.t AS a WHERE a.x > 1 ORDER BY 1":         true,
		"CREATE OR REPLACE VIEW r.v AS SELECT a.x, f(a.y) AS y, 3 AS z FROM r.t a":                             true,
		"CREATE OR REPLACE VIEW r.v AS SELECT f(a.y) AS y, a.x FROM r.t a":                                     false,
		"CREATE OR REPLACE VIEW r.v AS SELECT a.x FROM r.t a":                                                  false,
		"CREATE OR REPLACE VIEW r.v AS SELECT a.x, g(a.y) AS y FROM r.t a":                                     false,
		"CREATE OR REPLACE VIEW r.v AS SELECT a.x, f(a.y) AS y FROM r.u a":                                     false,
		"CREATE OR REPLACE VIEW r.v AS SELECT a.x, f(a.y) AS y FROM r.t a UNION ALL SELECT a.x, 1 FROM r.t a":  false,
		"CREATE OR REPLACE VIEW r.v WITH (security_barrier) AS SELECT a.x, f(a.y) AS y FROM r.t a WHERE a.x>0": false,
	} {
		if got := before.ReplacedBy(define(t, next)); got != want {
			t.Errorf("%s\nreplaced: %v, want %v", next, got, want)
		}
	}
}

func TestDefineUses(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string][]string{
		"CREATE VIEW r.v AS WITH c AS (SELECT r.g()) SELECT x::r.kind FROM r.t, LATERAL r.h(t.*) JOIN c ON true WHERE EXISTS (SELECT FROM r.u)": {
			"r.g", "r.h", "r.kind", "r.t", "r.u", ".c"},
		"CREATE FUNCTION r.f(p r.t[] DEFAULT r.d()) RETURNS SETOF r.v LANGUAGE sql AS 'SELECT r.unseen()'": {"r.d", "r.t", "r.v"},
		"CREATE FUNCTION r.f() RETURNS pg_catalog.int4 LANGUAGE sql BEGIN ATOMIC SELECT r.g(); END":        {"pg_catalog.int4", "r.g"},
	} {
		got := map[string]bool{}
		for _, name := range define(t, sql).Uses {
			got[name] = true
		}
		wanted := map[string]bool{}
		for _, name := range want {
			wanted[name] = true
		}
		if diff := cmp.Diff(wanted, got); diff != "" {
			t.Errorf("%s\n(-want +got)\n%s", sql, diff)
		}
	}
	if _, err := Define("SELECT 1"); err == nil {
		t.Error("a text that creates nothing is accepted")
	}
}

func define(t *testing.T, sql string) *Definition {
	t.Helper()
	d, err := Define(sql)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestTypeIdentity(t *testing.T) {
	t.Parallel()
	added, err := AddedType("ALTER TABLE a ADD COLUMN IF NOT EXISTS b timestamptz DEFAULT now(); ALTER TABLE a ALTER COLUMN b DROP DEFAULT;")
	if err != nil {
		t.Fatal(err)
	}
	for typ, want := range map[string]bool{
		"timestamptz": true, "timestamp with time zone": true, "pg_catalog.timestamptz": true,
		"timestamp": false, "timestamptz(3)": false, "timestamptz[]": false, "app.timestamptz": false,
	} {
		got, err := TypeIdentity(typ)
		if err != nil || (got == added) != want {
			t.Errorf("%s: %v, want %v (%v)", typ, got == added, want, err)
		}
	}
	if _, err := AddedType("ALTER TABLE a DROP COLUMN b"); err == nil {
		t.Error("a text that adds no column is accepted")
	}
}
