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

// refusals has reasons for which the database refuses a migration midway. The superuser executes
// cause and cure. INDEX stands for an index of the migration, and the test adds the database's name
// after DATABASE.
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
	"a right cannot be passed on": { // PostgreSQL only warns about such a GRANT
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
		cause: "ALTER TABLE app.note RENAME TO memo",
		cure:  "ALTER TABLE app.memo RENAME TO note",
		code:  "42P01",
		file:  "tables",
	},
}

// TestMigrationFailsMidway checks that a refused migration reports the database's error, the line
// in its file, and a hint. Once the cause is removed, the same command succeeds.
func TestMigrationFailsMidway(t *testing.T) {
	t.Parallel()
	whole := newPlainStage(t)
	full := whole.mustMigrate(t, whole.up)
	for name, c := range refusals {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newPlainStage(t)
			s.DB.Exec(t, s.fill(t, c.cause))
			s.mustFail(t, c.code, c.file)
			s.DB.Exec(t, s.fill(t, c.cure))
			wantSameCatalog(t, full, s.mustMigrate(t, s.up))
		})
	}
}

// fill inserts the names of this database and of an index into a statement.
func (s stage) fill(t *testing.T, sql string) string {
	t.Helper()
	for name, file := range s.Migrations {
		if found := firstIndex.FindSubmatch(file.Data); strings.Contains(name, "indexes") && found != nil {
			return strings.NewReplacer("DATABASE", "DATABASE "+s.Name, "INDEX", string(found[1])).Replace(sql)
		}
	}
	t.Fatal("no file of the migration builds an index")
	return ""
}

var firstIndex = regexp.MustCompile(`_record_index\('app', '([a-z0-9_]+)'\)`)

// mustFail checks that a migration fails with one error that has the code, the file, a line and a
// hint.
func (s stage) mustFail(t *testing.T, code, file string) {
	t.Helper()
	list := install.Diagnostics(s.up(t, s.URL(kit.Migrator)))
	if len(list) != 1 {
		t.Fatalf("the migration reported %+v, want one error", list)
	}
	d := list[0]
	if d.Code.String() != code || !strings.Contains(d.Position.File, file) || d.Position.Line < 2 || d.Hint == "" {
		t.Errorf("the migration reported %+v, want %s in %s, a line and a hint", d, code, file)
	}
}

// newPlainStage returns a stage with one generated step and the runtime installed, without pg_cron,
// on the shared server.
func newPlainStage(t *testing.T) stage {
	t.Helper()
	yaml := strings.Replace(policies, "pg_cron", "none", 1)
	s := stage{kit.Prepare(t, schema, yaml), t}
	s.Generate(t, yaml)
	return s
}

// TestRoleSettingsDoNotEndAMigration checks that timeouts and other settings of the migrating role
// do not end a migration. They are meant for applications.
func TestRoleSettingsDoNotEndAMigration(t *testing.T) {
	t.Parallel()
	s := newPlainStage(t)
	for _, setting := range []string{
		"statement_timeout = '500ms'", // a shorter timeout could end the session before it switches the timeout off
		"lock_timeout = '1ms'", "idle_in_transaction_session_timeout = '1ms'",
		"default_transaction_read_only = on", "default_transaction_isolation = serializable",
		"transaction_timeout = '500ms'",
	} {
		name, _, _ := strings.Cut(setting, " ")
		if pgtest.Value[bool](t, s, "SELECT EXISTS (SELECT FROM pg_settings WHERE name = $1)", name) {
			s.DB.Exec(t, fmt.Sprintf("ALTER ROLE %s IN DATABASE %s SET %s", kit.Migrator, s.Name, setting))
		}
	}
	s.mustMigrate(t, s.upBesideAReader)
	s.mustMigrate(t, s.down)
}

// locksForChange reports whether a migration has tried for at least 600 ms to lock a table that it
// alters.
const locksForChange = `SELECT EXISTS (SELECT FROM pg_stat_activity
	WHERE query LIKE '%._lock_for_change(%' AND pid <> pg_backend_pid()
		AND clock_timestamp() > query_start + interval '600 ms')`

// upBesideAReader migrates while a reader blocks one statement for longer than each of the
// timeouts.
func (s stage) upBesideAReader(t *testing.T, url string) error {
	t.Helper()
	reader := s.Conn(t)
	pgtest.Exec(t, reader, "BEGIN; SELECT FROM app.note LIMIT 1")
	done := make(chan error, 1)
	go func() { done <- s.up(t, url) }()
	pgtest.Until(t, s, locksForChange)
	pgtest.Exec(t, reader, "COMMIT")
	return <-done
}

// TestMigrationFindsNoFreeSession checks the error of a migration when the server accepts no more
// sessions.
func TestMigrationFindsNoFreeSession(t *testing.T) {
	t.Parallel()
	s := newPlainStage(t)
	s.DB.Exec(t, "ALTER DATABASE "+s.Name+" CONNECTION LIMIT 0")
	list := install.Diagnostics(s.up(t, s.URL(kit.Migrator)))
	if len(list) != 1 || !strings.Contains(list[0].Message, "[53300]") ||
		!strings.Contains(list[0].Hint, "ALTER DATABASE "+s.Name+" CONNECTION LIMIT N;") {
		t.Errorf("the migration reported %+v", list)
	}
	s.DB.Exec(t, "ALTER DATABASE "+s.Name+" CONNECTION LIMIT -1")
	s.mustMigrate(t, s.up)
}

// TestMigrationWaitsForALongReader checks a migration that must alter a table which a long
// transaction reads. Other sessions can read the table while the migration waits. After ten seconds
// the migration fails with a message about the lock.
func TestMigrationWaitsForALongReader(t *testing.T) {
	t.Parallel()
	s := newPlainStage(t)
	long := s.Conn(t)
	pgtest.Exec(t, long, "BEGIN; SELECT FROM app.note LIMIT 1")
	failed := make(chan error, 1)
	go func() { failed <- s.up(t, s.URL(kit.Migrator)) }()
	pgtest.Until(t, s, locksForChange)
	reader := s.Conn(t)
	pgtest.Exec(t, reader, "SET lock_timeout = '5s'") // the migration waits at most 100 ms at a time
	for range 5 {
		if _, err := reader.Exec(t.Context(), "SELECT FROM app.note LIMIT 1"); err != nil {
			t.Errorf("a reader could not read while the migration waits: %v", err)
		}
	}
	list := install.Diagnostics(<-failed)
	if len(list) != 1 || list[0].Code.String() != "55P03" || !strings.Contains(list[0].Hint, "Migrate again") ||
		list[0].Position.Line < 2 {
		t.Errorf("the migration reported %+v", list)
	}
	_ = long.Close(t.Context())
	s.mustMigrate(t, s.up)
}
