package behaviour

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
)

const ruled = rowsOfM + `
	CREATE TABLE r (id int PRIMARY KEY, m_id int REFERENCES m ON DELETE CASCADE);
	CREATE TABLE s (id int PRIMARY KEY, m_id int REFERENCES m ON DELETE SET NULL);
	CREATE TABLE n (id int PRIMARY KEY, x int);
	CREATE TABLE attic (id int, at timestamptz, run_id bigint);
	CREATE TABLE ledger (id int PRIMARY KEY);
	INSERT INTO r SELECT id, id FROM m; INSERT INTO s SELECT id, id FROM m; INSERT INTO n SELECT id FROM m; INSERT INTO ledger SELECT id FROM m`

const ruledPolicy = `
protect: [ledger]
policies:
  p:
    table: m
    due: {age: {column: at, older_than: 7 days}}
    then:
      - update: {table: n, as: n, where: "n.id = t.id", set: {x: "1"}}
      - archive: {into: attic, set: {run_id: run.id}}
      - delete: {cascades: [r, s]}
`

// A rule that does what the policy does not say trips runs, as it is a finding of verify; one on what runs do not
// do stops nothing.
func TestRules(t *testing.T) {
	t.Parallel()
	const ledger = " DO ALSO DELETE FROM ledger"
	for name, c := range map[string]struct {
		rule string
		trip bool
	}{
		"own delete":     {"ON DELETE TO m" + ledger, true},
		"instead":        {"ON DELETE TO m DO INSTEAD NOTHING", true},
		"cascade":        {"ON DELETE TO r" + ledger, true},
		"set null":       {"ON UPDATE TO s" + ledger, true},
		"related update": {"ON UPDATE TO n" + ledger, true},
		"archive":        {"ON INSERT TO attic DO INSTEAD NOTHING", true},
		"another event":  {"ON INSERT TO m" + ledger, false},
		"of no delete":   {"ON DELETE TO n" + ledger, false},
		"does nothing":   {"ON DELETE TO m DO ALSO NOTHING", false},
		"another table":  {"ON DELETE TO ledger DO INSTEAD NOTHING", false},
		"disabled":       {"ON DELETE TO m" + ledger + "; ALTER TABLE m DISABLE RULE a", false},
		"for replicas":   {"ON DELETE TO m" + ledger + "; ALTER TABLE m ENABLE REPLICA RULE a", false},
		"always":         {"ON DELETE TO m" + ledger + "; ALTER TABLE m ENABLE ALWAYS RULE a", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, ruled, ruledPolicy)
			in.Exec(t, "SET ROLE "+kit.Migrator+"; CREATE RULE a AS "+c.rule+"; RESET ROLE")
			want := []string{"(1)", "(2)", "(3)"}
			o := in.Run("p", noon)
			if c.trip && (o.State != "tripped" || !strings.Contains(o.Message, `rule "a" on table`)) || !c.trip && o.State != "done" {
				t.Errorf("the run ended %s: %q", o.State, o.Message)
			}
			if diff := cmp.Diff(want, in.Rows("SELECT * FROM ledger")); diff != "" {
				t.Errorf("protected rows (-want +got):\n%s", diff)
			}
			if !c.trip {
				want = nil
			}
			if diff := cmp.Diff(want, in.Rows("SELECT id FROM m")); len(want) != 0 && diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}

// A table that inherits since from one that steps take rows of or change trips runs.
func TestInheritsSince(t *testing.T) {
	t.Parallel()
	for table, trip := range map[string]bool{"m": true, "n": true, "r": false, "attic": false} {
		t.Run(table, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, ruled, ruledPolicy)
			in.Exec(t, "SET ROLE "+kit.Migrator+"; CREATE TABLE fresh () INHERITS ("+table+"); RESET ROLE")
			if table == "m" {
				in.Exec(t, "INSERT INTO fresh SELECT 100 + i, '2024-03-31 11:00+00' FROM generate_series(1, 5) i")
			}
			before := in.Rows("SELECT * FROM fresh")
			o := in.Run("p", noon)
			if trip && (o.State != "tripped" || !strings.Contains(o.Message, `table "public.fresh" inherits from "public.`+table)) || !trip && o.State != "done" {
				t.Errorf("the run ended %s: %q", o.State, o.Message)
			}
			if diff := cmp.Diff(before, in.Rows("SELECT * FROM fresh")); diff != "" {
				t.Errorf("rows of the child (-before +after):\n%s", diff)
			}
		})
	}
}

// Steps on related rows of a table from which others inherit are refused: its keys are not unique.
func TestRelatedInheritsRefused(t *testing.T) {
	t.Parallel()
	for _, step := range []string{`update: {table: n, as: n, where: "n.id = t.id", set: {x: "t.id"}}`, `delete: {table: n, as: n, where: "n.id = t.id"}`} {
		yaml := "policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [{" + step + "}, delete: {cascades: [r, s]}]}}"
		in := kit.Prepare(t, ruled+"; CREATE TABLE n_old () INHERITS (n)", yaml)
		_, list := in.Compile(t, yaml)
		if len(list) != 1 || list[0].Code != "P053" || !strings.Contains(list[0].Message, "public.n_old") {
			t.Errorf("%s: %v", step, list)
		}
	}
}
