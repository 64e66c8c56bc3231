package behaviour

import (
	"strings"
	"testing"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// A hold by an instant is on the same rows in every time zone of the install.
func TestHoldsAndZone(t *testing.T) {
	t.Parallel()
	const policies = "policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete]}}"
	const utc, berlin = "install: {scheduler: none, time_zone: UTC}\n" + policies, "install: {scheduler: none, time_zone: Europe/Berlin}\n" + policies
	in := kit.Install(t, "CREATE DOMAIN moment AS timestamptz; CREATE TABLE m (id int, at timestamptz NOT NULL, seen moment, PRIMARY KEY (id, at)); "+
		"INSERT INTO m SELECT i, '2024-01-01 00:00+00', '2024-01-01 00:00+00'::timestamptz + i * interval '1 hour' FROM generate_series(1, 3) i", utc)
	hold(t, in, "'m', '{\"id\": 2, \"at\": \"2024-01-01 01:00+01\"}', 'key'")
	hold(t, in, "'m', '{\"seen\": \"2024-01-01 03:00+00\"}', 'domain'")
	in.Migrate(t, berlin)
	if o := in.Done("p", noon); o.Taken != 1 || o.Kept["hold"] != 2 {
		t.Errorf("%+v", o)
	}
}

// A hold for a row that comes later is one that the row will meet, however it is written then, or is refused.
func TestHoldsForLater(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE m (id numeric PRIMARY KEY);
		CREATE TABLE n (id numeric(10, 2) PRIMARY KEY);
		CREATE TABLE v (id varchar(3) PRIMARY KEY)`,
		"policies: {m: {table: m, where: true, then: [delete]}, n: {table: n, where: true, then: [delete]}, v: {table: v, where: true, then: [delete]}}")
	for sql, says := range map[string]string{
		"'n', '2.555', 'case'": "no row",
		"'v', 'abcd', 'case'":  "no row",
	} {
		if err := in.Operator("SELECT retention.place_hold(" + sql + ")"); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("place_hold(%s): %v, want a word on %s", sql, err, says)
		}
	}
	hold(t, in, "'m', '2.50', 'later'")
	hold(t, in, "'n', '2.5', 'later'")
	hold(t, in, "'v', 'abc', 'later'")
	in.Exec(t, "INSERT INTO m VALUES (2.5), (3); INSERT INTO n VALUES (2.5), (3); INSERT INTO v VALUES ('abc'), ('abd')")
	for _, policy := range []string{"m", "n", "v"} {
		in.Done(policy, noon)
		if n := pgtest.Value[int](t, in, "SELECT count(*) FROM "+policy); n != 1 {
			t.Errorf("%s: %d rows left, want 1", policy, n)
		}
	}
}
