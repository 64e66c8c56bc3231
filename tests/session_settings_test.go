package tests

import (
	"testing"

	"pgretain/internal/quote"
	"pgretain/internal/sandbox"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
	"pgretain/verifier"
)

const sessionSchema = `
CREATE SCHEMA app;
CREATE TABLE app.note (id bigint PRIMARY KEY, created_at timestamptz NOT NULL);
CREATE TABLE app.file (note_id bigint REFERENCES app.note ON DELETE CASCADE);
CREATE INDEX ON app.file (note_id);
CREATE FUNCTION app.slow() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    PERFORM pg_sleep(0.05);
    RETURN NULL;
END $$;
CREATE TRIGGER slow AFTER DELETE ON app.note FOR EACH ROW EXECUTE FUNCTION app.slow();`

const sessionPolicy = `
policies:
  notes:
    table: app.note
    due: {age: {column: created_at, older_than: 7 days}}
    batch: {rows: 2}
    then:
      - delete: {cascades: [app.file]}
jobs:
  purge:
    schedule: "*/5 * * * *"
    run: [notes]
`

// TestSessionSettings holds against which settings of the runner's sessions runs defend themselves; verify
// tells of the others (V072, V059).
func TestSessionSettings(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, sessionSchema, sessionPolicy)
	place := "ALTER ROLE retention_runner IN DATABASE " + quote.Ident(in.Name)
	for setting, harmless := range map[string]bool{
		"default_transaction_read_only = on":             true,
		"default_transaction_isolation = 'serializable'": true,
		"default_transaction_deferrable = on":            true,
		"lock_timeout = '1ms'":                           true,
		"idle_in_transaction_session_timeout = '1ms'":    true,
		"row_security = off":                             true,
		"search_path = nowhere":                          true,
		"statement_timeout = '100ms'":                    false,
		"session_replication_role = replica":             false,
	} {
		in.Exec(t, "TRUNCATE app.note, app.file; INSERT INTO app.note SELECT i, now() - interval '30 days' FROM generate_series(1, 5) i; INSERT INTO app.file SELECT id FROM app.note")
		in.Exec(t, place+" SET "+setting)
		conn := in.Conn(t, "retention_runner")
		_, err := conn.Exec(t.Context(), "CALL retention.run_job('purge')")
		done := err == nil && pgtest.Value[int](t, in.DB, "SELECT count(*)::int FROM app.file") == 0
		if done != harmless {
			t.Errorf("%s: done %t (%v), want %t", setting, done, err, harmless)
		}
		in.Exec(t, place+" RESET ALL")
	}
}

// A setting of the whole server is found where no role or database has one of its own.
func TestServerFiresNoTriggers(t *testing.T) {
	t.Parallel()
	db := pgtest.Server(t, sandbox.Options{Settings: map[string]string{"session_replication_role": "replica"}})
	c := driftCase{name: db.Name, file: driftPolicy(t, ""), url: func(_, user string) string { return db.URL(user) }}
	c.install(t)
	expectCodes(t, c, c.verify(t, c.looker(), verifier.Options{}), "V044", "V059")
	c.exec(t, "ALTER DATABASE "+quote.Ident(db.Name)+" SET session_replication_role = origin")
	expectCodes(t, c, c.verify(t, c.looker(), verifier.Options{}), "V044")
}

// Only a superuser gets in to see it.
func testNoConnections(t *testing.T, server *driftServer) {
	c := installDrift(t, server, "no_connections")
	c.exec(t, "ALTER DATABASE no_connections CONNECTION LIMIT 0")
	expectCodes(t, c, c.verify(t, "", verifier.Options{}), "V072")
	c.exec(t, "ALTER DATABASE no_connections CONNECTION LIMIT -1; ALTER DATABASE no_connections SET statement_timeout = '30s'")
	report := c.selected(t, "", 0, []string{"V072"}, nil)
	if report.Verdict() != verifier.Conforms || report.Count(verifier.Info) != 1 {
		t.Error(c.text(t, report))
	}
}
