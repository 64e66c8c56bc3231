package pgparse

import (
	"errors"
	"testing"
)

// TestRenameSchema checks that schema "a" is renamed where the grammar has a schema, and that
// constants, comments, aliases and columns with this name stay.
func TestRenameSchema(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ prefix, sql, want string }{
		{AsExpression, `note = 'a.x' OR note = $$a.x$$ OR note = $a$a.x$a$ OR note = E'\'a.x'`, ""},
		{AsExpression, `"a.x" = "b"."a.x" /* a.x */ -- a.x`, ""},
		{AsStatement, `SELECT a.x, a.*, a.f FROM b.t AS a WHERE (a.x).y = (a).x`, ""},
		{AsStatement, `SELECT b.a.x FROM b.a, ab.t, aa.a`, ""},
		{AsStatement, `UPDATE t SET a.x = a.x`, ""},
		{AsStatement, `INSERT INTO t (a.x) VALUES (1)`, ""},
		{AsExpression, `note = 'a.x'::text AND note = 'a.x'::region`, ""},
		{AsStatement, `SELECT a.t.x, A . "t".* FROM a.t JOIN "a".u a ON a.x = a.u.x`,
			`SELECT new.t.x, new . "t".* FROM new.t JOIN new.u a ON a.x = new.u.x`},
		{AsExpression, `A.f(x) + 'a.x'::a.kind OPERATOR(a.+) x COLLATE a."de"`,
			`new.f(x) + 'a.x'::new.kind OPERATOR(new.+) x COLLATE new."de"`},
		{AsExpression, `nextval('a."it''s"'::regclass) + CAST('a.f(a.t)' AS regprocedure)`,
			`nextval('new."it''s"'::regclass) + CAST('new.f(new.t)' AS regprocedure)`},
		{AsType, `a.kind[]`, `new.kind[]`},
		{AsType, `character varying(20)`, ""},
		{AsType, `"a.kind"`, ""},
		{AsCollation, `a."de"`, `new."de"`},
		{AsStatement, `CREATE TRIGGER g BEFORE UPDATE ON a.t WHEN (a.x <> 'a.x') EXECUTE FUNCTION a.g('a.x')`,
			`CREATE TRIGGER g BEFORE UPDATE ON new.t WHEN (a.x <> 'a.x') EXECUTE FUNCTION new.g('a.x')`},
	} {
		want := c.want
		if want == "" {
			want = c.sql
		}
		if got, err := RenameSchema(c.prefix, c.sql, "a", "new"); err != nil || got != want {
			t.Errorf("%s\nbecomes %s, %v\nwant    %s", c.sql, got, err, want)
		}
	}
	if _, err := RenameSchema(AsType, "a.", "a", "new"); !errors.As(err, new(*Error)) {
		t.Errorf("the error for a text that is no type is %v, want an *Error", err)
	}
}
