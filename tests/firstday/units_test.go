package firstday

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgretain/tests/pgtest"
)

// TestInitReadsUnits creates tables whose column "created" counts the time in some unit, for the
// last 400 days. "pgretain init" must propose the encoding that fits, or say that none fits.
func TestInitReadsUnits(t *testing.T) {
	t.Parallel()
	const seconds = "extract(epoch FROM at)"
	units := []struct{ name, typ, value, encoding, says string }{
		{"s", "bigint", seconds, "epoch_s", ""},
		{"s_integer", "integer", seconds, "epoch_s", ""},
		{"s_float", "double precision", seconds, "epoch_s", ""},
		{"ms", "bigint", seconds + " * 1000", "epoch_ms", ""},
		{"ms_numeric", "numeric", seconds + " * 1000", "epoch_ms", ""},
		{"never", "bigint", "CASE WHEN n % 4 = 0 THEN 253402300799999 ELSE " + seconds + " * 1000 END", "epoch_ms", ""},
		{"snowflake", "bigint", "floor(" + seconds + " * 1000 - 1288834974657) * 4194304",
			"{snowflake: {shift: 22, epoch: 1288834974657}}", ""},
		{"us", "bigint", seconds + " * 1000000", "", "microseconds since 1970"},
		{"ns", "bigint", seconds + " * 1000000000", "", "nanoseconds since 1970"},
		{"days", "integer", "floor(" + seconds + " / 86400)", "", "days since 1970"},
		{"apple", "integer", seconds + " - 978307200", "", "seconds since 2001"},
		{"windows", "bigint", "(" + seconds + " + 11644473600) * 10000000", "", "units of 100 ns since 1601"},
		{"calendar", "integer", "to_char(at, 'YYYYMMDD')::integer", "", "numbers that count time in no known unit"},
		{"serial", "bigint", "n", "", "numbers that count time in no known unit"},
	}
	db := pgtest.Database(t)
	for _, u := range units {
		db.Exec(t, fmt.Sprintf(`CREATE TABLE u_%[1]s (id bigint PRIMARY KEY, created %s NOT NULL);
			INSERT INTO u_%[1]s SELECT n, %[3]s FROM (SELECT n, now() - n * interval '4 hours' AS at
				FROM generate_series(1, 2400) n) x;
			ANALYZE u_%[1]s`, u.name, u.typ, u.value))
	}
	p := newUser(t, db.URL(""))
	p.run(0, "init")
	text := p.read("retention.yaml")
	for _, u := range units {
		about := strings.Join(regexp.MustCompile(`(?m)^.*\bu_`+u.name+`(_old)?\b.*\n(#     .*\n)*`).FindAllString(text,
			-1), "")
		if u.encoding != "" && !strings.Contains(about, "    encoding: "+u.encoding+"\n") ||
			u.encoding == "" && (strings.Contains(about, "encoding:") ||
				!strings.Contains(about, "created holds "+u.says)) {
			t.Errorf("%s: want encoding %q, or %q:\n%s", u.name, u.encoding, u.says, about)
		}
	}
}

// TestLooksReadUnits checks what the commands that look say of a clock in another unit than the
// policy file says. Nothing may go, before and after the install.
func TestLooksReadUnits(t *testing.T) {
	t.Parallel()
	db := pgtest.CronServer(t)
	db.Exec(t, `CREATE ROLE meter LOGIN;
		CREATE TABLE reading (id bigint PRIMARY KEY, created bigint NOT NULL);
		INSERT INTO reading SELECT n, extract(epoch FROM now() - n * interval '1 hour')::bigint
		FROM generate_series(1, 9000) n;
		ANALYZE reading;
		ALTER TABLE reading OWNER TO meter;
		GRANT CREATE ON SCHEMA public TO meter`)
	p := newUser(t, db.URL("meter"))
	p.write("retention.yaml", `version: 1
policies:
  reading_old:
    table: reading
    due: {age: {column: created, encoding: epoch_ms, older_than: 30 days}}
    then: [delete]
`)
	const fault = `clock "created" of table "public.reading" does not hold epoch_ms`
	p.run(0, "snapshot")
	p.says("plan", "would not start: "+fault)
	p.run(0, "generate")
	p.run(0, "bootstrap --apply --migrator meter --database-url "+db.URL(""))
	// The role may not grant USAGE on schema public, which PUBLIC has.
	if output := p.run(0, "migrate up"); strings.Contains(output, "warning") {
		t.Errorf("migrate up warns:\n%s", output)
	}
	p.says("preview", "would not start: "+fault)
	for command, code := range map[string]int{"run reading_old": 1, "run reading_old --first --yes": 1, "verify": 1} {
		if output := p.run(code, command); !strings.Contains(output, fault) {
			t.Errorf("pgretain %s does not say %q:\n%s", command, fault, output)
		}
	}
	if left := pgtest.Value[int](t, db, "SELECT count(*) FROM reading"); left != 9000 {
		t.Errorf("%d rows are left of 9000", left)
	}
	// The rehearsal loads the rows of the schema file.
	p.write("schema.sql", `CREATE TABLE reading (id bigint PRIMARY KEY, created bigint NOT NULL);
		INSERT INTO reading SELECT n, extract(epoch FROM now() - n * interval '1 hour')::bigint
		FROM generate_series(1, 9000) n; ANALYZE reading;`)
	if output := p.run(1, "lint --sandbox --schema schema.sql"); !strings.Contains(output, fault) {
		t.Errorf("lint --sandbox does not say %q:\n%s", fault, output)
	}
}
