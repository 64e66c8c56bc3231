package behaviour

import (
	"fmt"
	"strings"
	"testing"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// missingNames has changes after which a name in a policy or report has no object any more. The
// field "proposed" says whether health() proposes accept_names. The field "accepted" says whether
// accept_names succeeds. accept_names checks the expressions in steps; health() does not.
var missingNames = map[string]struct {
	change             string
	proposed, accepted bool
}{
	"a function of the condition": {"ALTER FUNCTION app.pinned(text) RENAME TO is_pinned", false, false},
	"a function, and another takes text": {
		`DROP FUNCTION app.pinned(text);
			CREATE FUNCTION app.pinned(varchar) RETURNS boolean IMMUTABLE LANGUAGE sql RETURN false`,
		true, true,
	},
	"a second function, so none is best": {
		`CREATE FUNCTION app.label(varchar) RETURNS text IMMUTABLE LANGUAGE sql RETURN 'v';
			CREATE FUNCTION app.label(bpchar) RETURNS text IMMUTABLE LANGUAGE sql RETURN 'b';
			DROP FUNCTION app.label(text)`,
		true, false,
	},
	"a function that a step of it calls":  {"DROP FUNCTION app.label(text)", true, false},
	"a function of the query of a report": {"DROP FUNCTION app.counted(bigint)", false, false},
}

// TestAcceptNamesOfMissingObjects checks that accept_names accepts a name only if it now means
// another object. If it means none, accept_names fails with the server's error. health() proposes
// accept_names only if the conditions of the policy can still be evaluated.
func TestAcceptNamesOfMissingObjects(t *testing.T) {
	t.Parallel()
	for name, test := range missingNames {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, `
				CREATE SCHEMA app;
				CREATE FUNCTION app.pinned(text) RETURNS boolean IMMUTABLE LANGUAGE sql RETURN $1 = 'pinned';
				CREATE FUNCTION app.label(text) RETURNS text IMMUTABLE LANGUAGE sql RETURN 'x';
				CREATE FUNCTION app.counted(bigint) RETURNS bigint IMMUTABLE LANGUAGE sql RETURN $1;
				CREATE TABLE app.note (id bigint PRIMARY KEY, at timestamptz NOT NULL, state text NOT NULL,
					title text);
				INSERT INTO app.note VALUES (1, '2020-01-01', 'open'), (2, '2020-01-01', 'pinned')`,
				`install: {scheduler: none, search_path: [app]}
policies:
  p:
    table: app.note
    where: "NOT pinned(state) AND title IS DISTINCT FROM 'x'"
    due: {age: {column: at, older_than: 7 days}}
    then: [{update: {set: {title: "label(state)"}}}]
reports:
  r: {query: "SELECT counted(count(*)) AS n FROM app.note"}
`)
			in.Exec(t, test.change)
			for _, p := range []string{"p", "r"} {
				in.Call("CALL retention.run($1)", p)
				changed := pgtest.Value[bool](t, in, `SELECT count(*) > 0
					FROM retention.policy p CROSS JOIN LATERAL retention._changed_dependencies(ARRAY[p])
					WHERE p.name = $1`, p)
				if !changed {
					continue
				}
				hints := pgtest.Value[string](t, in,
					"SELECT coalesce(string_agg(hint, E'\\n'), '') FROM retention.health() WHERE policy = $1", p)
				if got := strings.Contains(hints, "accept_names"); got != test.proposed {
					t.Errorf("%s: accept_names is proposed: %v, want %v\n%s", p, got, test.proposed, hints)
				}
				err := in.Operator(fmt.Sprintf("SELECT retention.accept_names('%s', 'why')", p))
				if (err == nil) != test.accepted || err != nil &&
					!strings.Contains(err.Error(), "the server refuses an expression") {
					t.Errorf("accept_names('%s') returned the error %v, want success: %v", p, err, test.accepted)
				}
			}
		})
	}
}
