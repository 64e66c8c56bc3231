package tests

import (
	"strings"
	"testing"

	"pgretain/tests/pgtest"
	"pgretain/verifier"
)

// testSnapshotNearMisses: what changes nothing that is generated is for information, and so is a schema
// that the viewer may not look into. Partitions that come and go are not worth a word.
func testSnapshotNearMisses(t *testing.T, server *driftServer) {
	c := installDrift(t, server, "snapshot_nearby")
	c.exec(t, `ALTER TABLE app.message ADD COLUMN note text, ALTER COLUMN body SET DEFAULT '-';
		CREATE INDEX message_note ON app.message (note);
		ALTER TABLE app.attachment ADD COLUMN note text;
		REVOKE USAGE ON SCHEMA app FROM `+c.looker())
	report := c.verify(t, c.looker(), verifier.Options{Counts: true})
	expectCodes(t, c, report)
	text := c.text(t, report)
	for _, want := range []string{
		`info: table "app.message" is not as the catalog snapshot has it [V033]`,
		`Another column body: wanted text NOT NULL, found text NOT NULL DEFAULT '-'::text. New column note: text. New index message_note: CREATE INDEX message_note ON app.message USING btree (note).`,
		`info: table "app.attachment" is not as the catalog snapshot has it: column note [V033]`,
		"Nothing that is generated depends on it.",
		`has no USAGE on schema app [V034]`, `hint: GRANT USAGE ON SCHEMA app TO retention_viewer;`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("nothing says %s:\n%s", want, text)
		}
	}
}

// testCoverageGrowth: how large a table is and what it got, as the server's own functions have it; a
// table that somebody has to himself does not hold the verifier up for long.
func testCoverageGrowth(t *testing.T, server *driftServer) {
	c := installDrift(t, server, "uncovered_table@growth")
	conn := c.connect(t, "")
	pgtest.Exec(t, conn, `CREATE TABLE app.fresh WITH (autovacuum_enabled = off) AS SELECT generate_series(1, 12345) AS id; ANALYZE app.fresh`)
	pgtest.Exec(t, conn, "SELECT pg_stat_force_next_flush()")
	pgtest.Exec(t, conn, "INSERT INTO app.fresh SELECT generate_series(1, 5)")
	pgtest.Exec(t, conn, "SELECT pg_stat_force_next_flush()")
	size := pgtest.Value[string](t, conn, "SELECT pg_size_pretty(pg_total_relation_size('app.fresh'))")
	inserted := pgtest.Value[string](t, conn, "SELECT n_tup_ins::text FROM pg_stat_user_tables WHERE relname = 'fresh'")
	want := "It takes " + size + ", about 12345 rows. " + inserted + " rows were inserted since its statistics began."
	if text := c.text(t, c.verify(t, c.looker(), verifier.Options{})); !strings.Contains(text, want) {
		t.Errorf("nothing says %s:\n%s", want, text)
	}
	pgtest.Exec(t, conn, "BEGIN; LOCK TABLE app.fresh")
	report := c.verify(t, c.looker(), verifier.Options{Timeout: waiting})
	if text := c.text(t, report); !strings.Contains(text, "Its size could not be read, for somebody has it to himself, about 12345 rows.") {
		t.Error(text)
	}
}
