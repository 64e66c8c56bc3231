package pgparse_test

import (
	"testing"

	"pgretain/internal/pgparse"
)

// TestSame compares expressions with texts that PostgreSQL 15 printed for them.
func TestSame(t *testing.T) {
	t.Parallel()
	column := func(name []string) string {
		return map[string]string{"label": "character varying(20)", "at": "timestamp with time zone",
			"day": "timestamp with time zone", "Id": "bigint"}[name[len(name)-1]]
	}
	for _, c := range []struct {
		written, printed string
		want             bool
	}{
		{"coalesce(day, at)", "COALESCE(day, at)", true},
		{"coalesce(day, at)", "COALESCE(at, day)", false},
		{"coalesce(t.day, t.at)", "COALESCE(day, at)", true},
		{"greatest(day, at)", "LEAST(day, at)", false},
		{"greatest(moment, at)", "GREATEST((moment)::timestamp with time zone, at)", false},
		{"greatest(day, at)", "GREATEST((day)::timestamp with time zone, at)", true},
		{"greatest(day, at)", "GREATEST((day)::date, at)", false},
		{`"Id" + 1`, `("Id" + 1)`, true},
		{"id + 1", `("Id" + 1)`, false},
		{"label = 'a'", "((label)::text = 'a'::text)", true},
		{"label IN ('a', 'b')", "((label)::text = ANY ((ARRAY['a'::character varying, " +
			"'b'::character varying])::text[]))", true},
		{"label IN ('a', 'b')", "((label)::text = ANY ((ARRAY['b'::character varying, " +
			"'a'::character varying])::text[]))", false},
		{"label IN ('a')", "((label)::text = 'a'::text)", true},
		{"label NOT IN ('a', 'b')", "((label)::text <> ALL ((ARRAY['a'::character varying, " +
			"'b'::character varying])::text[]))", true},
		{"n > -1 AND n != 2 AND open", "((n > '-1'::integer) AND (n <> 2) AND open)", true},
		{"n > 1 AND (n < 5 AND open)", "((n > 1) AND (n < 5) AND open)", true},
		{"n > 1 AND (n < 5 OR open)", "((n > 1) AND (n < 5) AND open)", false},
		{"NOT (NOT open)", "(NOT open)", false},
		{"pg_catalog.lower(label)", "lower((label)::text)", true},
		{"app.lower(label)", "lower((label)::text)", false},
		{"at AT TIME ZONE 'UTC'", "(at AT TIME ZONE 'UTC'::text)", true},
		{"id IS NOT NULL", "(id IS NULL)", false},
		{"id::text", "(id)::text", true},
		{"id::text", "id", false},
	} {
		written, err := pgparse.Expression(c.written)
		printed, wrong := pgparse.Expression(c.printed)
		if err != nil || wrong != nil {
			t.Fatal(err, wrong)
		}
		if got := written.Same(printed, column); got != c.want {
			t.Errorf("%s, printed as %s: got %v, want %v", c.written, c.printed, got, c.want)
		}
		if got := printed.Same(written, column); got != c.want {
			t.Errorf("%s, printed as %s: got another result in the other order", c.written, c.printed)
		}
	}
}

func TestSameIndex(t *testing.T) {
	t.Parallel()
	const one = "CREATE INDEX a ON public.x USING btree (b, id)"
	for other, want := range map[string]bool{
		one: true,
		"CREATE INDEX a ON public.x USING btree (b, id) WITH (fillfactor='70')":    true,
		"CREATE INDEX a ON public.x USING btree (b DESC, id)":                      false,
		"CREATE INDEX a ON public.x USING btree (b, id) WHERE (b IS NOT NULL)":     false,
		"CREATE UNIQUE INDEX a ON public.x USING btree (b, id)":                    false,
		"CREATE INDEX a ON public.x USING btree (b, id) INCLUDE (c)":               false,
		"CREATE INDEX a ON public.x USING btree (b text_pattern_ops, id)":          false,
		"CREATE INDEX a ON ONLY public.x USING btree (b, id)":                      false,
		"CREATE INDEX a ON public.x USING btree (b, id) TABLESPACE elsewhere":      false,
		"CREATE INDEX a ON public.x USING brin (b, id) WITH (pages_per_range='9')": false,
	} {
		if got := pgparse.SameIndex(one, other); got != want {
			t.Errorf("%s: got %v, want %v", other, got, want)
		}
	}
}
