package behaviour

import (
	"regexp"
	"strings"
	"testing"

	sqlfiles "pgretain/sql"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// TestCloneSeesNoRunOfTheOriginal clones a database with CREATE DATABASE ... TEMPLATE. The tables
// of the clone have the same OIDs as those of the original. A lock that a session holds in the
// original must not count as a run in the clone.
func TestCloneSeesNoRunOfTheOriginal(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, tableM+minutely(100), `policies: {p: {table: m,
		due: {age: {column: at, older_than: 1 hour}}, then: [delete]}}`)
	in.Done("p", noon)
	clone := in.Copy(t)
	original := in.Reopen(t)
	session := original.Conn(t)
	pgtest.Exec(t, session, "BEGIN; LOCK TABLE retention.run IN ROW EXCLUSIVE MODE")
	for db, want := range map[*pgtest.DB]bool{original: true, clone: false} {
		db.Exec(t, "UPDATE retention.run SET state = 'running', ended_at = NULL, pid = $1", session.PgConn().PID())
		if got := pgtest.Value[bool](t, db, "SELECT retention._is_running(max(id)) FROM retention.run"); got != want {
			t.Errorf("_is_running in %s is %v, want %v", db.Name, got, want)
		}
	}
}

// TestLocksAreThoseOfThisDatabase checks that each query on pg_locks in the runtime names the
// database or the session. OIDs of relations are unique only within a database.
func TestLocksAreThoseOfThisDatabase(t *testing.T) {
	t.Parallel()
	reads := regexp.MustCompile(`\bpg_locks l\b`)
	ours := regexp.MustCompile(`l\.database\b|l\.pid = pg_backend_pid\(\)` +
		`|p\.(?:datname|database) = current_database\(\)`)
	seen := 0
	for _, file := range sqlfiles.Files() {
		text, _ := sqlfiles.Runtime.ReadFile(strings.Join([]string{file.Chapter, file.Name + ".sql"}, "/"))
		if n := len(reads.FindAll(text, -1)); n > 0 {
			seen += n
			if len(ours.FindAll(text, -1)) < n {
				t.Errorf("%s/%s reads locks of all databases", file.Chapter, file.Name)
			}
		}
	}
	if seen == 0 {
		t.Error("no file reads pg_locks")
	}
}
