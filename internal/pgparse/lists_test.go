package pgparse_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/pgparse"
)

func TestOrder(t *testing.T) {
	t.Parallel()
	items, err := pgparse.Order(`é DESC, coalesce(a, b) NULLS FIRST,c[1] asc, keep.x desc nulls last`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, item := range items {
		columns := ""
		for _, ref := range item.Expr.Columns {
			columns += " " + item.Expr.SQL[ref.Offset:ref.Offset+ref.Length]
		}
		got = append(got, fmt.Sprint(item.Expr.SQL, " at ", item.Offset, item.Descending, item.NullsFirst, columns))
	}
	wanted := []string{
		"é at 0 true true é",
		"coalesce(a, b) at 9 false true a b",
		"c[1] at 36 false false c",
		"keep.x at 46 true false keep.x",
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Error(diff)
	}
}

func TestOrderRefuses(t *testing.T) {
	t.Parallel()
	for sql, e := range map[string]pgparse.Error{
		"":                 {Message: "the text is empty"},
		"a USING <":        {Message: "ORDER BY ... USING is not allowed here"},
		"a, 1":             {Message: "a constant is not allowed in ORDER BY", Offset: 3},
		"a LIMIT 5":        {Message: `syntax error at or near "LIMIT"`, Offset: 2},
		"a FOR UPDATE":     {Message: `syntax error at or near "FOR"`, Offset: 2},
		"a) , (b":          {Message: `syntax error at or near ")"`, Offset: 1},
		"a,":               {Message: "syntax error at end of input", Offset: 2},
		"a; DROP TABLE b":  {Message: "a semicolon is not allowed in an ORDER BY list", Offset: 1},
		"a DESC -- newest": {Message: "a comment is not allowed here", Offset: 7},
	} {
		t.Run(sql, func(t *testing.T) {
			t.Parallel()
			_, err := pgparse.Order(sql)
			want(t, err, e.Offset, e.Message)
		})
	}
}

func TestTypeName(t *testing.T) {
	t.Parallel()
	for _, sql := range []string{"text", "numeric(10, 2)[]", "timestamp with time zone", `app."Odd type"`,
		"double precision"} {
		if err := pgparse.TypeName(sql); err != nil {
			t.Errorf("%q: %v", sql, err)
		}
	}
	for _, sql := range []string{
		"", "int) + CAST(NULL AS int", "int) IS NULL OR (true", "int, b", "int AS x", "int::text", "SETOF int",
		"int -- x", "int; DROP TABLE x", "int DEFAULT 1", "int NOT NULL",
	} {
		if err := pgparse.TypeName(sql); err == nil {
			t.Errorf("TypeName accepts %q", sql)
		}
	}
}

func TestName(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 63)
	for sql, want := range map[string][]string{
		"A.b": {"a", "b"}, `"A b"."c.d"`: {"A b", "c.d"}, "public.order": {"public", "order"}, `"é""x"`: {`é"x`},
		long: {long}, `"` + long + `"`: {long}, "a.b.c": {"a", "b", "c"},
	} {
		got, err := pgparse.Name(sql)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", sql, err, diff)
		}
	}
	for _, sql := range []string{
		"", "a b", "(a)", "a.*", "a[1]", "a::text", "1", "'a'", "order", "a; b", "a -- b", long + "x",
		`"` + long + `x"`, "f()", "a = b",
	} {
		if got, err := pgparse.Name(sql); err == nil {
			t.Errorf("Name accepts %q as %q", sql, got)
		}
	}
}

func TestStatements(t *testing.T) {
	t.Parallel()
	got, err := pgparse.Statements("SELECT 'é;' ; \n-- why\nDO $$ BEGIN; END $$;\nCREATE TABLE a ()")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"SELECT 'é;'", "-- why\nDO $$ BEGIN; END $$", "CREATE TABLE a ()"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestStatementOffset(t *testing.T) {
	t.Parallel()
	const sql = ";/* ; */ SELECT ';--' ;; -- ;\n/* one; */\n  UPDATE a SET b = $$;$$;"
	for n, want := range []string{"SELECT ", "UPDATE ", ";/* "} {
		if got := sql[pgparse.StatementOffset(sql, n):]; !strings.HasPrefix(got, want) {
			t.Errorf("statement %d begins at %q, want %q", n, got, want)
		}
	}
	if at := pgparse.StatementOffset("SELECT 1; SELEC", 1); at != 0 {
		t.Errorf("a text that is no SQL has a statement at %d", at)
	}
}

func TestSplice(t *testing.T) {
	t.Parallel()
	got := pgparse.Splice("a = b", []pgparse.Edit{{Offset: 4, Length: 1, Text: "t.b"}, {Offset: 0, Text: "t."},
		{Offset: 0, Text: "x."}})
	if got != "t.x.a = t.b" {
		t.Errorf("got %q, want \"t.x.a = t.b\"", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("Splice accepts overlapping edits")
		}
	}()
	pgparse.Splice("abc", []pgparse.Edit{{Offset: 0, Length: 2}, {Offset: 1, Length: 1}})
}
