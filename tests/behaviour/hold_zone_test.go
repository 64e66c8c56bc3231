package behaviour

import (
	"strings"
	"testing"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// Keys with an instant are text in the install's zone: another zone is refused while such holds are in force,
// and no other change is.
func TestHoldsAndZone(t *testing.T) {
	t.Parallel()
	const policies = "policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete]}}"
	const utc, berlin = "install: {scheduler: none, time_zone: UTC}\n" + policies, "install: {scheduler: none, time_zone: Europe/Berlin}\n" + policies
	schema := "CREATE DOMAIN moment AS timestamptz; CREATE TABLE m (id int, at timestamptz NOT NULL, seen moment, PRIMARY KEY (id, at)); CREATE TABLE n (id int PRIMARY KEY, d tstzrange); " +
		"INSERT INTO m SELECT i, '2024-01-01 00:00+00', '2024-01-01 00:00+00' FROM generate_series(1, 3) i"
	for name, c := range map[string]struct {
		hold    string
		refused bool
	}{
		"key":        {"'m', ARRAY['2', '2024-01-01 00:00+00'], 'case'", true},
		"by column":  {"'m', ARRAY['2024-01-01 00:00+00'], 'case', by => 'at'", true},
		"domain":     {"'m', ARRAY['2024-01-01 00:00+00'], 'case', by => 'seen'", true},
		"no instant": {"'m', '{2}', 'case', by => 'id'", false},
		"over":       {"'m', ARRAY['2', '2024-01-01 00:00+00'], 'case', '2024-02-01'", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, schema, utc)
			hold(t, in, c.hold)
			_, err := in.TryMigrate(t, berlin)
			if c.refused && (err == nil || !strings.Contains(err.Error(), "install.time_zone cannot change from UTC to Europe/Berlin: hold 1")) || !c.refused && err != nil {
				t.Fatalf("the migration ended %v", err)
			}
			if !c.refused {
				return
			}
			in.Done("p", noon)
			if n := pgtest.Value[int](t, in, "SELECT count(*) FROM m WHERE id = 2"); n != 1 {
				t.Errorf("%d held rows, want 1", n)
			}
			if err := in.Operator("SELECT retention.release_hold(1, 'to be placed again')"); err != nil {
				t.Fatal(err)
			}
			if _, err := in.TryMigrate(t, berlin); err != nil {
				t.Fatal(err)
			}
			hold(t, in, c.hold)
			in.Done("p", noon)
			if n := pgtest.Value[int](t, in, "SELECT count(*) FROM m WHERE id = 2"); n != 1 {
				t.Errorf("%d held rows in the other zone, want 1", n)
			}
		})
	}
}

// A hold for a row that comes later is one that the row will meet, or is refused.
func TestHoldsForLater(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE COLLATION nodet (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
		CREATE TABLE m (id numeric PRIMARY KEY); INSERT INTO m VALUES (1.50);
		CREATE TABLE n (id numeric(10, 2) PRIMARY KEY);
		CREATE TABLE v (id varchar(3) PRIMARY KEY);
		CREATE TABLE c (id text COLLATE nodet PRIMARY KEY);
		CREATE TABLE s (id interval PRIMARY KEY)`,
		"policies: {m: {table: m, where: true, then: [delete]}, n: {table: n, where: true, then: [delete]}, v: {table: v, where: true, then: [delete]}}")
	in.Exec(t, "GRANT SELECT ON c, s TO retention_owner")
	for sql, says := range map[string]string{
		"'m', '{2.50}', 'case'":  "several spellings",
		"'c', '{abc}', 'case'":   "several spellings",
		"'s', '{24:00}', 'case'": "several spellings",
		"'n', '{2.555}', 'case'": "no row",
		"'v', '{abcd}', 'case'":  "no row",
	} {
		if err := in.Operator("SELECT retention.place_hold(" + sql + ")"); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("place_hold(%s): %v, want a word on %s", sql, err, says)
		}
	}
	hold(t, in, "'m', '{1.5}', 'there'")
	hold(t, in, "'m', '{2.50}', 'by its value', by => 'id'")
	hold(t, in, "'n', '{2.5}', 'later'")
	hold(t, in, "'v', '{abc}', 'later'")
	in.Exec(t, "INSERT INTO m VALUES (2.5), (3); INSERT INTO n VALUES (2.5), (3); INSERT INTO v VALUES ('abc'), ('abd')")
	for policy, want := range map[string]int{"m": 2, "n": 1, "v": 1} {
		in.Done(policy, noon)
		if n := pgtest.Value[int](t, in, "SELECT count(*) FROM "+policy); n != want {
			t.Errorf("%s: %d rows left, want %d", policy, n, want)
		}
	}
}
