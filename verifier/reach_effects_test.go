package verifier

import "testing"

// What a function of a BEFORE DELETE trigger can do to a row, by its body.
func TestTriggerBodies(t *testing.T) {
	t.Parallel()
	cases := []struct {
		body               string
		mayKeep, mayRefuse bool
	}{
		{"BEGIN RETURN OLD; END", false, false},
		{"BEGIN IF OLD.x THEN RETURN NULL; END IF; return old; END", true, false},
		{"BEGIN RETURN NEW; END", true, false},
		{"BEGIN RAISE EXCEPTION 'never'; END", false, true},
		{"BEGIN IF OLD.x THEN raise 'never'; END IF; RETURN OLD; END", false, true},
		{"BEGIN RAISE division_by_zero; RETURN OLD; END", false, true},
		{"BEGIN RAISE NOTICE 'raise exception'; RETURN OLD; END", false, false},
		{"BEGIN -- raise it, then return NULL\n /* RAISE */ RETURN OLD; END", false, false},
		{"BEGIN PERFORM 1; END", false, true},
		{"BEGIN RETURN 'open; END", true, true},
	}
	for _, c := range cases {
		trigger := reachTrigger{Row: true, Before: true, Language: "plpgsql", Body: c.body}
		if keep, refuse := trigger.mayKeep(reachEffect{event: "DELETE"}), trigger.mayRefuse(); keep != c.mayKeep || refuse != c.mayRefuse {
			t.Errorf("%s: may keep %t, may refuse %t", c.body, keep, refuse)
		}
	}
}
