package pgparse_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/pgparse"
)

// writesOf returns the tables that a statement writes, with i for INSERT, u for UPDATE and d for
// DELETE.
func writesOf(s *pgparse.Expr) map[string]string {
	names := map[string]string{}
	for _, w := range s.Writes {
		how := ""
		for _, did := range []struct {
			yes  bool
			name string
		}{{w.Insert, "i"}, {w.Update, "u"}, {w.Delete, "d"}} {
			if did.yes {
				how += did.name
			}
		}
		names[w.Table.Schema+"."+w.Table.Name] += how
	}
	return names
}

func TestParseStatement(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sql    string
		writes map[string]string
		tables []string
		with   string // text at the offset CTEs, where queries can be added to WITH
	}{
		{"SELECT app.refresh(b.id) FROM batch b", map[string]string{}, []string{"batch"}, ""},
		{"INSERT INTO app.log (id) SELECT id FROM batch", map[string]string{"app.log": "i"},
			[]string{"app.log", "batch"}, ""},
		{"INSERT INTO app.n AS n (id) SELECT id FROM batch ON CONFLICT (id) DO UPDATE SET x = n.x + 1",
			map[string]string{"app.n": "iu"}, []string{"app.n", "batch"}, ""},
		{"UPDATE app.n n SET x = b.x FROM batch b WHERE b.id = n.id", map[string]string{"app.n": "u"},
			[]string{"app.n", "batch"}, ""},
		{"DELETE FROM app.n USING batch b WHERE b.id = n.id", map[string]string{"app.n": "d"},
			[]string{"app.n", "batch"}, ""},
		{"MERGE INTO app.n n USING batch b ON b.id = n.id WHEN MATCHED AND b.x THEN DELETE WHEN MATCHED THEN UPDATE " +
			"SET x = 1 WHEN NOT MATCHED THEN INSERT (id) VALUES (b.id)",
			map[string]string{"app.n": "iud"}, []string{"app.n", "batch"}, ""},
		{"WITH gone AS (DELETE FROM app.n USING batch b WHERE b.id = n.id RETURNING n.id) INSERT INTO app.log " +
			"SELECT id FROM gone",
			map[string]string{"app.n": "d", "app.log": "i"}, []string{"app.n", "batch", "app.log"}, "gone AS"},
		{"with recursive r AS (SELECT id FROM batch UNION ALL SELECT n.id FROM app.n n JOIN r ON n.p = r.id) DELETE " +
			"FROM app.n WHERE id IN (SELECT id FROM r)",
			map[string]string{"app.n": "d"}, []string{"batch", "app.n", "app.n"}, "r AS"},
		{"INSERT INTO app.log WITH x AS (SELECT id FROM batch) SELECT id FROM x", map[string]string{"app.log": "i"},
			[]string{"app.log", "batch"}, ""},
	} {
		got, err := pgparse.Statement(c.sql)
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		var tables []string
		for _, ref := range got.Tables {
			name := ref.Name
			if ref.Schema != "" {
				name = ref.Schema + "." + name
			}
			tables = append(tables, name)
		}
		with := ""
		if got.CTEs > 0 {
			with = c.sql[got.CTEs : got.CTEs+len(c.with)]
		}
		if diff := cmp.Diff([]any{c.writes, c.tables, c.with, c.with != ""},
			[]any{writesOf(got), tables, with, len(got.With) > 0}); diff != "" {
			t.Errorf("%s\n%s", c.sql, diff)
		}
	}
}

func TestParseStatementRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sql, message string
		offset       int
	}{
		{"", "the text is empty", 0},
		{"TRUNCATE app.n", "the text is not one SELECT, INSERT, UPDATE, DELETE or MERGE", 0},
		{"DELETE FROM app.n;", "a semicolon is not allowed in one SELECT, INSERT, UPDATE, DELETE or MERGE", 17},
		{"DELETE FROM app.n -- all", "a comment is not allowed here", 18},
		{"(SELECT 1)", "a statement must not begin with a parenthesis", 0},
		{"SELECT 1 INTO app.n FROM batch", "SELECT INTO is not allowed here", 14},
		{"DELETE FRM app.n", `syntax error at or near "FRM"`, 7},
	} {
		_, err := pgparse.Statement(c.sql)
		var place *pgparse.Error
		if !errors.As(err, &place) || place.Message != c.message || place.Offset != c.offset {
			t.Errorf("%s: got %+v, want %q at offset %d", c.sql, err, c.message, c.offset)
		}
	}
}

func TestStatementNames(t *testing.T) {
	t.Parallel()
	got, err := pgparse.Statement("UPDATE app.n SET at = now(), x = $1 WHERE id IN (SELECT b.id FROM batch b)")
	if err != nil {
		t.Fatal(err)
	}
	if got.Clock.Text != "now" || got.Parameter.Text == "" {
		t.Errorf("got %+v", got)
	}
	if len(got.Columns) != 2 || got.Columns[0].Depth != 0 || got.Columns[1].Depth != 1 {
		t.Errorf("got %+v", got.Columns)
	}
}

func TestQueryResults(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]int{
		"SELECT 1":                              1,
		"SELECT a, b FROM x":                    2,
		"SELECT * FROM x":                       0,
		"SELECT a FROM x UNION SELECT b FROM y": 1,
		"VALUES (1, 2)":                         0,
	} {
		if got, err := pgparse.Query(sql); err != nil || got.Results != want {
			t.Errorf("%s: got %+v and error %v, want Results %d", sql, got, err, want)
		}
	}
}
