package pgparse_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"pgretain/internal/pgparse"
)

func TestExpressionRefuses(t *testing.T) {
	t.Parallel()
	cases := []struct {
		sql     string
		offset  int
		message string
	}{
		{"", 0, "the text is empty"},
		{"  \n", 0, "the text is empty"},
		{"a); DELETE FROM x --", 18, "a comment is not allowed here"},
		{"a); DELETE FROM x; SELECT (1", 1, `syntax error at or near ")"`},
		{"a; DELETE FROM x", 1, "a semicolon is not allowed in one SQL expression"},
		{"a;", 1, "a semicolon is not allowed in one SQL expression"},
		{"1, 2", 3, "the text is not one SQL expression"},
		{"a AS b", 2, `syntax error at or near "AS"`},
		{"a b", 2, `syntax error at or near "b"`},
		{"a FROM t", 2, `syntax error at or near "FROM"`},
		{"a WHERE b", 2, `syntax error at or near "WHERE"`},
		{"DISTINCT a", 0, `syntax error at or near "DISTINCT"`},
		{"ALL a", 0, `syntax error at or near "ALL"`},
		{"a ORDER BY b", 2, `syntax error at or near "ORDER"`},
		{"a UNION SELECT b", 2, `syntax error at or near "UNION"`},
		{"a INTO b", 2, `syntax error at or near "INTO"`},
		{"a FOR UPDATE", 2, `syntax error at or near "FOR"`},
		{"*", 0, `syntax error at or near "*"`},
		{"t.*", 0, `"*" is not one SQL expression`},
		{"true) OR (true", 4, `syntax error at or near ")"`},
		{"a -- why", 2, "a comment is not allowed here"},
		{"a /* why */ = 1", 2, "a comment is not allowed here"},
		{"a + ", 4, "syntax error at end of input"},
		{"a IN (1", 7, "syntax error at end of input"},
		{"VALUES (1)", 0, "a query in an expression must be in parentheses"},
		{"(SELECT 1) LIMIT 1", 0, "a query in an expression must be in parentheses"},
		{"(SELECT 1) UNION (SELECT 2)", 0, "a query in an expression must be in parentheses"},
		{"SELECT 1", 0, "a query in an expression must be in parentheses"},
		{"é = = 1", 5, `syntax error at or near "="`},
		{"'abc", 0, `unterminated quoted string at or near "'abc"`},
		{"a\x00b", 1, "a NUL character is not allowed"},
		{"a = \xff", 0, "text is not valid UTF-8"},
		{"EXISTS (SELECT FROM a FOR UPDATE)", 0, "a locking clause (FOR UPDATE and the like) is not allowed here"},
		{"EXISTS (WITH d AS (DELETE FROM a RETURNING *) SELECT FROM d)", 0,
			"a statement that changes rows is not allowed here"},
	}
	for _, c := range cases {
		t.Run(c.sql, func(t *testing.T) {
			t.Parallel()
			_, err := pgparse.Expression(c.sql)
			want(t, err, c.offset, c.message)
		})
	}
}

func want(t *testing.T, err error, offset int, message string) {
	t.Helper()
	var e *pgparse.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want a *pgparse.Error", err)
	}
	if diff := cmp.Diff(&pgparse.Error{Message: message, Offset: offset}, e); diff != "" {
		t.Error(diff)
	}
}

func TestExpressionNames(t *testing.T) {
	t.Parallel()
	sql := `é.x = now() AND EXISTS (WITH c AS (SELECT FROM "My".d) SELECT t.* FROM c, "S"."T" z ` +
		`WHERE z.id = t.id UNION SELECT b FROM e) AND $1 = "C".count(1)`
	got, err := pgparse.Expression(sql)
	if err != nil {
		t.Fatal(err)
	}
	z := pgparse.TableRef{Schema: "S", Name: "T", Alias: "z", Offset: strings.Index(sql, `"S"`), Length: len(`"S"."T"`)}
	e := pgparse.TableRef{Name: "e", Offset: strings.Index(sql, "e) AND"), Length: 1}
	wanted := &pgparse.Expr{
		SQL: sql,
		Columns: []pgparse.ColumnRef{
			{Fields: []string{"é", "x"}, Offset: 0, Length: len("é.x")},
			{Fields: []string{"t"}, Star: true, Offset: strings.Index(sql, "t.*"), Length: 3, Depth: 1,
				Beside: []pgparse.TableRef{z}, Derived: true},
			{Fields: []string{"z", "id"}, Offset: strings.Index(sql, "z.id"), Length: 4, Depth: 1,
				Beside: []pgparse.TableRef{z}, Derived: true},
			{Fields: []string{"t", "id"}, Offset: strings.Index(sql, "t.id"), Length: 4, Depth: 1,
				Beside: []pgparse.TableRef{z}, Derived: true},
			{Fields: []string{"b"}, Offset: strings.Index(sql, "b FROM"), Length: 1, Depth: 1,
				Beside: []pgparse.TableRef{e}},
		},
		Calls:   []pgparse.Call{{Name: "now"}, {Schema: "C", Name: "count", Arguments: 1}},
		Schemas: []string{"C"},
		Tables: []pgparse.TableRef{
			{Schema: "My", Name: "d", Offset: strings.Index(sql, `"My"`), Length: len(`"My".d`)},
			z, e,
		},
		Subquery: true, Clock: pgparse.Word{Text: "now", Offset: strings.Index(sql, "now")},
		Parameter: pgparse.Word{Text: "$", Offset: strings.Index(sql, "$1")},
	}
	if diff := cmp.Diff(wanted, got, cmpopts.IgnoreFields(pgparse.Expr{}, "Levels"),
		cmpopts.IgnoreUnexported(pgparse.Expr{})); diff != "" {
		t.Error(diff)
	}
}

func TestExpressionKinds(t *testing.T) {
	t.Parallel()
	cases := []struct {
		sql    string
		simple bool
		clock  string
	}{
		{sql: "status = 'done' AND NOT expired", simple: true},
		{sql: "a IN (1, 2) OR b IS NULL OR (t.c <> -1 AND c IS NOT TRUE)", simple: true},
		{sql: "a IS DISTINCT FROM 'x'::app.state", simple: true},
		{sql: "a < as_of", simple: true},
		{sql: "o.a = 1", simple: true},
		{sql: "a = 1 AND t.* IS NOT NULL"},
		{sql: "lower(a) = 'x'"},
		{sql: "a LIKE 'x%'"},
		{sql: "a IN (SELECT 1)"},
		{sql: "a::text = 'x'"},
		{sql: "a + 1 = 2"},
		{sql: "EXISTS (SELECT FROM x)"},
		{sql: "(EXISTS (SELECT FROM x))"},
		{sql: "NOT EXISTS (SELECT FROM x)"},
		{sql: "a < CURRENT_DATE", clock: "current_date"},
		{sql: "a < pg_catalog.clock_timestamp()", clock: "clock_timestamp"},
		{sql: "a < 'Now'::timestamptz", clock: "'now'"},
		{sql: "a < date 'today'", clock: "'today'"},
		{sql: "a < 'yesterday'", simple: true, clock: "'yesterday'"},
		{sql: "a BETWEEN coalesce(b, '12:00 today UTC') AND 'infinity'", clock: "'today'"},
		{sql: "a < date('tomorrow') OR a IN (SELECT max(x) FROM y HAVING max(x) > 'now')", clock: "'tomorrow'"},
		{sql: "a = ANY ('{now}'::timestamptz[])", clock: "'now'"},
		{sql: "a <@ '[yesterday, today)'::tstzrange", clock: "'yesterday'"},
		{sql: "a < 'now'::text::pg_catalog.timestamptz", clock: "'now'"},
		{sql: "a = 'now'::text OR b = 'today'::app.period OR c LIKE 'today is a day' OR c = 'nowhere' AND d < " +
			"'2024-01-01 12:00 PM'"},
		{sql: "age(a) > '1 day'", clock: "age"},
		{sql: "age(as_of, a) > '1 day'"},
		{sql: "LOCALTIMESTAMP > now()", clock: "localtimestamp"},
		{sql: "current_user = 'x'"},
	}
	for _, c := range cases {
		t.Run(c.sql, func(t *testing.T) {
			t.Parallel()
			got, err := pgparse.Expression(c.sql)
			if err != nil {
				t.Fatal(err)
			}
			if got.Simple != c.simple || got.Clock.Text != c.clock {
				t.Errorf("got simple %v and clock %q, want %v and %q", got.Simple, got.Clock.Text, c.simple, c.clock)
			}
		})
	}
}

func TestNeverNull(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]bool{
		"EXISTS (SELECT FROM x)":                            true,
		"NOT EXISTS (SELECT FROM x) OR (a > 1) IS NOT TRUE": true,
		"a IS NULL AND NOT (b IS NOT NULL)":                 true,
		"a":                                                 false,
		"NOT a":                                             false,
		"a IS NULL OR b":                                    false,
		"a = 1":                                             false,
		"a IN (SELECT y FROM x)":                            false,
		"(SELECT EXISTS (SELECT FROM x))":                   false,
		"a IS DISTINCT FROM b":                              false,
		"CASE WHEN a IS NULL THEN b END":                    false,
	} {
		if got, err := pgparse.Expression(sql); err != nil || got.NeverNull != want {
			t.Errorf("%s: got NeverNull %v and error %v, want %v", sql, got.NeverNull, err, want)
		}
	}
}

func TestQuery(t *testing.T) {
	t.Parallel()
	sql := "SELECT max(coalesce(o.d, g.d)) AS days FROM g LEFT JOIN app.o ON o.c = t.c WHERE g.id IN (SELECT x FROM y)"
	got, err := pgparse.Query(sql)
	if err != nil {
		t.Fatal(err)
	}
	last := got.Columns[len(got.Columns)-1]
	beside := []pgparse.TableRef{{Name: "g", Offset: strings.Index(sql, "g LEFT"), Length: 1},
		{Schema: "app", Name: "o", Offset: strings.Index(sql, "app.o"), Length: len("app.o")},
		{Name: "y", Offset: strings.Index(sql, "y)"), Length: 1}}
	if diff := cmp.Diff(pgparse.ColumnRef{Fields: []string{"x"}, Offset: strings.Index(sql, "x FROM"), Length: 1,
		Depth: 1, Beside: beside}, last); diff != "" {
		t.Error(diff)
	}
	if got.Columns[0].Depth != 0 || len(got.Tables) != 3 || !got.Subquery {
		t.Errorf("got %+v", got)
	}
}

func TestQueryRefuses(t *testing.T) {
	t.Parallel()
	for sql, e := range map[string]pgparse.Error{
		"":                          {Message: "the text is empty"},
		"DELETE FROM a":             {Message: "the text is not one SELECT"},
		"SELECT 1; SELECT 2":        {Message: "a semicolon is not allowed in one SELECT", Offset: 8},
		"SELECT 1;":                 {Message: "a semicolon is not allowed in one SELECT", Offset: 8},
		"SELECT 1 -- x":             {Message: "a comment is not allowed here", Offset: 9},
		"SELECT 1 INTO b":           {Message: "SELECT INTO is not allowed here", Offset: 14},
		"SELECT 1 FROM a FOR SHARE": {Message: "a locking clause (FOR UPDATE and the like) is not allowed here"},
		"WITH a AS (INSERT INTO b VALUES (1) RETURNING *) SELECT * FROM a": {
			Message: "a statement that changes rows is not allowed here"},
		"SELECT 1) x, (SELECT 2": {Message: `syntax error at or near ")"`, Offset: 8},
	} {
		t.Run(sql, func(t *testing.T) {
			t.Parallel()
			_, err := pgparse.Query(sql)
			want(t, err, e.Offset, e.Message)
		})
	}
}
