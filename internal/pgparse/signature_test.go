package pgparse_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/pgparse"
)

func TestParseRoutinePromises(t *testing.T) {
	t.Parallel()
	for options, want := range map[string]pgparse.Routine{
		"STRICT":                     {Strict: true, Parallel: "unsafe", Cost: 100},
		"RETURNS NULL ON NULL INPUT": {Strict: true, Parallel: "unsafe", Cost: 100},
		"CALLED ON NULL INPUT":       {Parallel: "unsafe", Cost: 100},
		"LEAKPROOF PARALLEL SAFE":    {Leakproof: true, Parallel: "safe", Cost: 100},
		"NOT LEAKPROOF COST 0.5":     {Parallel: "unsafe", Cost: 0.5},
		"COST 7 SUPPORT a.b":         {Parallel: "unsafe", Cost: 7, Support: "a.b"},
	} {
		got, err := pgparse.ParseRoutine("CREATE FUNCTION f() RETURNS int LANGUAGE sql " + options + " AS ''")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, pgparse.Routine{Strict: got.Strict, Leakproof: got.Leakproof, Parallel: got.Parallel, Cost: got.Cost,
			Rows: got.Rows, Support: got.Support}); diff != "" {
			t.Errorf("%s: %s", options, diff)
		}
	}
	for options, want := range map[string]float64{"": 1000, "ROWS 5": 5} {
		if got, err := pgparse.ParseRoutine("CREATE FUNCTION f() RETURNS SETOF int LANGUAGE sql " + options + " AS ''"); err != nil || got.Rows != want {
			t.Errorf("%q: %v %v", options, got, err)
		}
	}
}

// spelling of defaults is the server's own.
var spelling = cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Default" }, cmp.Ignore())

// What PostgreSQL 15 to 18 print of a signature is what was written.
func TestSignatureAsPrinted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ written, arguments, result string }{
		{"FUNCTION f() RETURNS void", "", "void"},
		{"FUNCTION f(a bigint, b timestamptz DEFAULT NULL) RETURNS retention.due_count", "a bigint, b timestamp with time zone DEFAULT NULL::timestamp with time zone", "retention.due_count"},
		{"FUNCTION f(a text DEFAULT '', b boolean = true, c bigint DEFAULT 0, d int DEFAULT -1) RETURNS SETOF text",
			"a text DEFAULT ''::text, b boolean DEFAULT true, c bigint DEFAULT 0, d integer DEFAULT '-1'::integer", "SETOF text"},
		{"FUNCTION f(a timestamptz DEFAULT clock_timestamp() + interval '30 days', OUT b bigint)",
			"a timestamp with time zone DEFAULT (clock_timestamp() + '30 days'::interval), OUT b bigint", "bigint"},
		{"FUNCTION f(a float8 DEFAULT pg_catalog.pi(), b int[] = pg_catalog.array_fill(1, ARRAY[2]))", "a double precision DEFAULT pi(), b integer[] DEFAULT array_fill(1, ARRAY[2])", "void"},
		{"FUNCTION f(a text, OUT b bigint, OUT c jsonb)", "a text, OUT b bigint, OUT c jsonb", "record"},
		{`FUNCTION f(a oid[]) RETURNS TABLE (n integer, "order" "char", "schema" text)`, "a oid[]", `TABLE(n integer, "order" "char", schema text)`},
		{`PROCEDURE f(a pg_catalog.text, INOUT b pg_catalog.text DEFAULT NULL, c pg_catalog.interval DEFAULT NULL -- no more
		  )`, "IN a text, INOUT b text DEFAULT NULL::text, IN c interval DEFAULT NULL::interval", ""},
		{"PROCEDURE f(a pg_catalog.int8[])", "IN a bigint[]", ""},
	} {
		routine, err := pgparse.ParseRoutine("CREATE OR REPLACE " + c.written + " LANGUAGE sql AS $function$x$function$")
		if err != nil {
			t.Fatal(err)
		}
		printed, err := pgparse.ParseSignature(c.arguments, c.result)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(routine.Signature, printed, spelling); diff != "" {
			t.Errorf("%s (-written +printed):\n%s", c.written, diff)
		}
	}
}

func TestDefaultsDiffer(t *testing.T) {
	t.Parallel()
	var all []pgparse.Parameter
	for _, text := range []string{"a int", "a int DEFAULT NULL", "a int DEFAULT 0", "a int DEFAULT 1", "a text DEFAULT ''", "a text DEFAULT 'null'",
		"a int DEFAULT f()", "a int DEFAULT x.f()", "a boolean DEFAULT true", "a boolean DEFAULT NOT true", "a interval DEFAULT '1 day'::interval + '1 day'::interval",
		"OUT a int", "b int", "INOUT a int", "VARIADIC a int[]"} {
		s, err := pgparse.ParseSignature(text, "int")
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range all {
			if s.Parameters[0].SameAs(other) {
				t.Errorf("%s is the same as %s", text, other)
			}
		}
		if !s.Parameters[0].SameAs(s.Parameters[0]) {
			t.Errorf("%s is not the same as itself", text)
		}
		all = append(all, s.Parameters[0])
	}
}
