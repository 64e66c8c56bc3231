package interrupted

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgretain/internal/install"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// refusals are what a database may have against a migration in the middle of it. Cause and cure are
// run by the superuser; INDEX is an index of the migration, and after DATABASE comes its name.
var refusals = map[string]struct{ cause, cure, code, file string }{
	"a name is taken by a table": {
		cause: "CREATE TABLE app.INDEX ()", cure: "DROP TABLE app.INDEX", code: "42809", file: "indexes",
	},
	"a name is taken by a function": {
		cause: "CREATE FUNCTION retention.note_old_take(retention.batch_range) RETURNS void LANGUAGE sql AS ''",
		cure:  "DROP FUNCTION retention.note_old_take(retention.batch_range)", code: "42501", file: "policies",
	},
	"a table belongs to somebody else": {
		cause: "ALTER TABLE app.note OWNER TO postgres", cure: "ALTER TABLE app.note OWNER TO " + kit.Migrator,
		code: "42501", file: "tables",
	},
	"a right cannot be passed on": { // for PostgreSQL a GRANT of it is a warning
		cause: "ALTER TABLE app.visit OWNER TO postgres; GRANT ALL ON app.visit TO " + kit.Migrator,
		cure: "REVOKE ALL ON app.visit FROM " + kit.Migrator + ", retention_worker; " +
			"ALTER TABLE app.visit OWNER TO " + kit.Migrator, code: "42501", file: "tables",
	},
	"a key is there twice": {
		cause: "CREATE TABLE app.note_archive (id bigint, kind text, body text, made_at timestamptz, run_id bigint); " +
			"INSERT INTO app.note_archive VALUES (1), (1); ALTER TABLE app.note_archive OWNER TO " + kit.Migrator,
		cure: "DROP TABLE app.note_archive", code: "23505", file: "tables",
	},
	"the disk is full": {
		cause: "INSERT INTO app.visit_1 SELECT n, '2026-01-01', 'p' FROM generate_series(10000, 80000) n;" +
			"ALTER ROLE " + kit.Migrator + " IN DATABASE SET maintenance_work_mem = '1MB';" +
			"ALTER ROLE " + kit.Migrator + " IN DATABASE SET temp_file_limit = '64kB'",
		cure: "ALTER ROLE " + kit.Migrator + " IN DATABASE RESET temp_file_limit", code: "53400", file: "indexes",
	},
	"a table is gone": {
		cause: "ALTER TABLE app.note RENAME TO memo", cure: "ALTER TABLE app.memo RENAME TO note", code: "42P01", file: "tables",
	},
}

// TestRefusedInTheMiddle wants the database's own message, where in which file, and a way on; when
// the cause is gone, the same command finishes.
func TestRefusedInTheMiddle(t *testing.T) {
	t.Parallel()
	whole := newPlainStage(t)
	full := whole.must(t, whole.up)
	for name, c := range refusals {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newPlainStage(t)
			s.DB.Exec(t, s.fill(t, c.cause))
			s.refused(t, c.code, c.file)
			s.DB.Exec(t, s.fill(t, c.cure))
			same(t, full, s.must(t, s.up))
		})
	}
}

// fill puts the names of this database into a statement.
func (s stage) fill(t *testing.T, sql string) string {
	t.Helper()
	for name, file := range s.Migrations {
		if found := firstIndex.FindSubmatch(file.Data); strings.Contains(name, "indexes") && found != nil {
			return strings.NewReplacer("DATABASE", "DATABASE "+s.Name, "INDEX", string(found[1])).Replace(sql)
		}
	}
	t.Fatal("no index is built")
	return ""
}

var firstIndex = regexp.MustCompile(`_record_index\('app', '([a-z0-9_]+)'\)`)

// refused wants a migration to fail once, with everything that a person needs.
func (s stage) refused(t *testing.T, code, file string) {
	t.Helper()
	list := install.Diagnostics(s.up(t, s.URL(kit.Migrator)))
	if len(list) != 1 {
		t.Fatalf("got %+v, want one error", list)
	}
	d := list[0]
	if d.Code != code || !strings.Contains(d.Position.File, file) || d.Position.Line < 2 || d.Hint == "" {
		t.Errorf("got %+v, want %s in %s, a line and a hint", d, code, file)
	}
}

// newPlainStage has one step written, the runtime installed, and no pg_cron: on the shared server.
func newPlainStage(t *testing.T) stage {
	t.Helper()
	yaml := strings.Replace(policies, "pg_cron", "none", 1)
	s := stage{kit.Prepare(t, schema, yaml), t}
	s.Generate(t, yaml)
	return s
}

// TestSettingsOfTheRoleDoNotEndAMigration: they are meant for applications.
func TestSettingsOfTheRoleDoNotEndAMigration(t *testing.T) {
	t.Parallel()
	s := newPlainStage(t)
	for _, setting := range []string{
		"statement_timeout = '500ms'", // less might not leave the time to switch it off
		"lock_timeout = '1ms'", "idle_in_transaction_session_timeout = '1ms'",
		"default_transaction_read_only = on", "default_transaction_isolation = serializable",
		"transaction_timeout = '500ms'",
	} {
		name, _, _ := strings.Cut(setting, " ")
		if pgtest.Value[bool](t, s, "SELECT EXISTS (SELECT FROM pg_settings WHERE name = $1)", name) {
			s.DB.Exec(t, fmt.Sprintf("ALTER ROLE %s IN DATABASE %s SET %s", kit.Migrator, s.Name, setting))
		}
	}
	s.must(t, s.beside)
	s.must(t, s.down)
}

// locksForChange says whether a migration has been trying for a while to lock a table that it
// alters.
const locksForChange = `SELECT EXISTS (SELECT FROM pg_stat_activity
	WHERE query LIKE '%._lock_for_change(%' AND pid <> pg_backend_pid() AND clock_timestamp() > query_start + interval '600 ms')`

// beside migrates while a reader has one statement wait for longer than any of the timeouts.
func (s stage) beside(t *testing.T, url string) error {
	t.Helper()
	reader := s.Conn(t)
	pgtest.Exec(t, reader, "BEGIN; SELECT FROM app.note LIMIT 1")
	done := make(chan error, 1)
	go func() { done <- s.up(t, url) }()
	pgtest.Until(t, s, locksForChange)
	pgtest.Exec(t, reader, "COMMIT")
	return <-done
}

// TestNoPlaceForASession: the server has as many sessions as it takes.
func TestNoPlaceForASession(t *testing.T) {
	t.Parallel()
	s := newPlainStage(t)
	s.DB.Exec(t, "ALTER DATABASE "+s.Name+" CONNECTION LIMIT 0")
	list := install.Diagnostics(s.up(t, s.URL(kit.Migrator)))
	if len(list) != 1 || !strings.Contains(list[0].Message, "[53300]") ||
		!strings.Contains(list[0].Hint, "max_connections") {
		t.Errorf("got %+v", list)
	}
	s.DB.Exec(t, "ALTER DATABASE "+s.Name+" CONNECTION LIMIT -1")
	s.must(t, s.up)
}

// TestALongReader holds that a migration which has to alter a table lets others read it while it
// waits for a transaction that reads. After ten seconds it gives up, and says why.
func TestALongReader(t *testing.T) {
	t.Parallel()
	s := newPlainStage(t)
	long := s.Conn(t)
	pgtest.Exec(t, long, "BEGIN; SELECT FROM app.note LIMIT 1")
	failed := make(chan error, 1)
	go func() { failed <- s.up(t, s.URL(kit.Migrator)) }()
	pgtest.Until(t, s, locksForChange)
	reader := s.Conn(t)
	pgtest.Exec(t, reader, "SET lock_timeout = '5s'") // the migration waits for 100 ms at a time
	for range 5 {
		if _, err := reader.Exec(t.Context(), "SELECT FROM app.note LIMIT 1"); err != nil {
			t.Errorf("a reader waits behind the migration: %v", err)
		}
	}
	list := install.Diagnostics(<-failed)
	if len(list) != 1 || list[0].Code != "55P03" || !strings.Contains(list[0].Hint, "Migrate again") ||
		list[0].Position.Line < 2 {
		t.Errorf("got %+v", list)
	}
	_ = long.Close(t.Context())
	s.must(t, s.up)
}
