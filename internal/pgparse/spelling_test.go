package pgparse

import "testing"

func TestIndexLike(t *testing.T) {
	t.Parallel()
	const printed = "CREATE INDEX x ON app.note USING btree "
	for name, c := range map[string]struct {
		wanted, printed string
		want            Likeness
	}{
		"the same":             {`("made_at", "id")`, "(made_at, id)", Same},
		"another order":        {"(made_at, id)", "(id, made_at)", Different},
		"a column less":        {"(made_at, id)", "(made_at)", Different},
		"a column more":        {"(made_at, id)", "(made_at, id, state)", Different},
		"carried along":        {"(made_at, id)", "(made_at, id) INCLUDE (state)", Different},
		"backwards":            {"(made_at, id)", "(made_at DESC, id)", Different},
		"directions":           {"(kind, at DESC NULLS LAST, id DESC)", "(kind, at DESC NULLS LAST, id DESC)", Same},
		"NULLs elsewhere":      {"(made_at, id)", "(made_at NULLS FIRST, id)", Different},
		"storage":              {"(made_at, id)", "(made_at, id) WITH (fillfactor='70')", Same},
		"another collation":    {"(kind)", `(kind COLLATE "C")`, Different},
		"another class":        {"(kind)", "(kind text_pattern_ops)", Different},
		"an expression":        {"((coalesce(a, b)), id)", "(COALESCE(a, b), id)", Same},
		"another expression":   {"((coalesce(a, b)), id)", "(COALESCE(b, a), id)", Different},
		"greatest":             {"((greatest(a, b)), id)", "(GREATEST(a, b), id)", Same},
		"least":                {"((greatest(a, b)), id)", "(LEAST(a, b), id)", Different},
		"partial":              {`(id) WHERE (state = 'done')`, "(id) WHERE (state = 'done'::text)", Same},
		"total":                {`(id) WHERE (state = 'done')`, "(id)", Different},
		"partial by a hand":    {"(id)", "(id) WHERE (id > 5)", Different},
		"another value":        {`(id) WHERE (state = 'done')`, "(id) WHERE (state = 'open'::text)", Different},
		"another operator":     {`(id) WHERE (state = 'done')`, "(id) WHERE (state <> 'done'::text)", Different},
		"not equal":            {`(id) WHERE (state != 'done')`, "(id) WHERE (state <> 'done'::text)", Same},
		"another column":       {`(id) WHERE (state = 'done')`, "(id) WHERE (kind = 'done'::text)", Different},
		"varchar":              {`(id) WHERE (state = 'done')`, "(id) WHERE ((state)::text = 'done'::text)", Same},
		"IN":                   {`(id) WHERE (state IN ('a', 'b'))`, "(id) WHERE (state = ANY (ARRAY['a'::text, 'b'::text]))", Same},
		"IN of varchar":        {`(id) WHERE (state IN ('a', 'b'))`, "(id) WHERE ((state)::text = ANY ((ARRAY['a'::character varying, 'b'::character varying])::text[]))", Same},
		"IN of others":         {`(id) WHERE (state IN ('a', 'b'))`, "(id) WHERE (state = ANY (ARRAY['a'::text, 'c'::text]))", Different},
		"IN of one":            {`(id) WHERE (state IN ('a'))`, "(id) WHERE (state = 'a'::text)", Same},
		"NOT IN":               {`(id) WHERE (state NOT IN ('a', 'b'))`, "(id) WHERE (state <> ALL (ARRAY['a'::text, 'b'::text]))", Same},
		"AND in AND":           {"(id) WHERE (a AND (b AND c IS NULL))", "(id) WHERE (a AND b AND (c IS NULL))", Same},
		"OR":                   {"(id) WHERE (a OR NOT b)", "(id) WHERE (a OR (NOT b))", Same},
		"OR for AND":           {"(id) WHERE (a AND b)", "(id) WHERE (a OR b)", Different},
		"distinct":             {"(id) WHERE (a IS NOT DISTINCT FROM 1)", "(id) WHERE (NOT (a IS DISTINCT FROM 1))", Same},
		"distinct from NULL":   {"(id) WHERE (a IS DISTINCT FROM NULL)", "(id) WHERE (a IS NOT NULL)", Same},
		"IS NOT NULL":          {"(id) WHERE (a IS NULL)", "(id) WHERE (a IS NOT NULL)", Different},
		"IS TRUE":              {"(id) WHERE (a IS TRUE)", "(id) WHERE (a IS TRUE)", Same},
		"a number":             {"(id) WHERE (n > -1)", "(id) WHERE (n > '-1'::integer)", Same},
		"a decimal":            {"(id) WHERE (n >= 0.50)", "(id) WHERE ((n)::numeric >= 0.5)", Same},
		"a float":              {"(id) WHERE (n >= 0.5)", "(id) WHERE (n >= (0.5)::double precision)", Same},
		"a quoted number":      {"(id) WHERE (n = '05')", "(id) WHERE (n = 5)", Same},
		"another number":       {"(id) WHERE (n > 1)", "(id) WHERE (n > 10)", Different},
		"a number as text":     {"(id) WHERE (s = '05')", "(id) WHERE (s = '5'::text)", Different},
		"a boolean":            {"(id) WHERE (f = 't')", "(id) WHERE (f = true)", Same},
		"another boolean":      {"(id) WHERE (f = 't')", "(id) WHERE (f = false)", Different},
		"an instant":           {"(id) WHERE (at > '2020-01-01')", "(id) WHERE (at > '2020-01-01 00:00:00+00'::timestamp with time zone)", Unclear},
		"an enum":              {"(id) WHERE (s = 'done')", "(id) WHERE (s = 'done'::app.state)", Same},
		"a cast with a length": {"(id) WHERE (s = 'done')", "(id) WHERE ((s)::character varying(2) = 'done'::text)", Same},
		"a column cut off":     {"(id) WHERE (at > '2020-01-01')", "(id) WHERE ((at)::date > '2020-01-01'::date)", Same},
		"citext":               {"(id) WHERE (s = 'x')", "(id) WHERE (s OPERATOR(public.=) 'x'::public.citext)", Same},
		"IN of citext":         {"(id) WHERE (s IN ('x', 'y'))", "(id) WHERE (s OPERATOR(public.=) ANY (ARRAY['x'::public.citext, 'y'::public.citext]))", Same},
		"citext by another":    {"(id) WHERE (s = 'x')", "(id) WHERE (s OPERATOR(public.<>) 'x'::public.citext)", Different},
		"a schema's collation": {"(s COLLATE nd)", "(s COLLATE public.nd)", Same},
		"collated inside":      {"(id) WHERE ((s COLLATE nd) = 'x')", "(id) WHERE ((s COLLATE public.nd) = 'x'::text)", Same},
		"bits":                 {"(id) WHERE (s = B'101')", "(id) WHERE (s = '101'::\"bit\")", Same},
		"hexadecimal bits":     {"(id) WHERE (s = X'5')", "(id) WHERE (s = '0101'::\"bit\")", Unclear},
		"a function":           {"(id) WHERE (s = 'done')", "(id) WHERE (lower(s) = 'done'::text)", Different},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := LikeIndex("CREATE INDEX CONCURRENTLY IF NOT EXISTS y ON app.note "+c.wanted, printed+c.printed); got != c.want {
				t.Errorf("likeness %d, want %d", got, c.want)
			}
		})
	}
	for _, other := range []string{
		"CREATE INDEX x ON app.other USING btree (id)", "CREATE INDEX x ON public.note USING btree (id)",
		"CREATE INDEX x ON app.note USING hash (id)", "CREATE UNIQUE INDEX x ON app.note USING btree (id)",
	} {
		if LikeIndex("CREATE INDEX ON app.note (id)", other) != Different {
			t.Errorf("taken for the wanted one: %s", other)
		}
	}
	if LikeIndex("CREATE INDEX ON app.note (id)", "CREATE INDEX x ON ONLY app.note USING btree (id)") != Same { // of a partitioned table
		t.Error("the index of a partitioned table is another one than wanted")
	}
	for _, sql := range []string{"SELECT 1", "CREATE INDEX"} {
		if LikeIndex(sql, "CREATE INDEX ON app.note (id)") != Unclear {
			t.Errorf("read as an index: %s", sql)
		}
	}
}
