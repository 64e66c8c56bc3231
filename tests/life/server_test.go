package life_test

import (
	"cmp"
	"testing"

	"pgretain/tests/fixture"
	"pgretain/tests/pgtest"
)

// TestServerChanges makes changes that concern a whole server: its roles, and the jobs of pg_cron.
// They follow each other in one database, each with its way back.
func TestServerChanges(t *testing.T) {
	t.Parallel()
	app := installApplication(t, pgtest.CronServer(t), t.TempDir())
	for _, own := range serverChanges(t) {
		c := readChange(t, own)
		app.migrator = cmp.Or(c.Migrator, app.migrator)
		app.apply(own, c)
		stopped := app.runAll()
		drift := app.found("verify")
		own.Compare(t, "outcome.txt", outcomeText(stopped, drift))
		if t.Failed() {
			t.Fatalf("%s: %s\n%s", own.Name, app.messages(), said(drift))
		}
		before := app.surroundings()
		for _, step := range c.Way {
			app.take(step, own, c)
		}
		app.wantSurroundings(before, c)
		if drift := app.found("verify"); len(drift) > 0 {
			t.Fatalf("%s: after what was typed, verify reports:\n%s", own.Name, said(drift))
		}
		if states := app.runAll(); len(states) > 0 {
			t.Fatalf("%s: after what was typed, runs end %v\n%s", own.Name, states, app.messages())
		}
		app.must("migrate", "up")
	}
	app.writeLaterRows()
	if states := app.runAll(); len(states) > 0 {
		t.Errorf("at the end, runs end %v\n%s", states, app.messages())
	}
	app.wantRows("at the end", nil)
}

func serverChanges(t *testing.T) []*fixture.Case {
	t.Helper()
	return fixture.Cases(t, "testdata/server", 7, "case.yaml", "change.sql", "outcome.txt")
}
