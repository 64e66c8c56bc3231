package races

import (
	"strings"
	"testing"

	"pgretain/tests/pgtest"
)

// triggers returns SQL for a trigger that executes "body" when row 15 is deleted.
func triggers(body string) string {
	return `CREATE FUNCTION object() RETURNS trigger LANGUAGE plpgsql SET search_path = public AS $$
		BEGIN ` + body + ` RETURN OLD; END $$;
		CREATE TRIGGER sacred BEFORE DELETE ON m FOR EACH ROW WHEN (OLD.id = 15) EXECUTE FUNCTION object();`
}

const noBreaker = "breaker: {fraction: 1}, budget: {rows: 1000}, batch: {lock_timeout: 100s}}"

// TestEveryRowErrorRefusesTheRow checks errors that one row causes in a condition, a step or a
// trigger. The run refuses that row and takes the others.
func TestEveryRowErrorRefusesTheRow(t *testing.T) {
	t.Parallel()
	age := func(rest string) string {
		return `{table: m, due: {age: {column: at, older_than: 7 days}}, ` + rest + ", " + noBreaker
	}
	const zero = "UPDATE m SET v = 1; UPDATE m SET v = 0 WHERE id = 15"
	for name, c := range map[string]struct{ schema, rule, data, code, related string }{
		"division by zero in where": {"", age(`where: "100 / v > 0", then: [delete]`), zero, "22012", ""},
		"a cast in where": {"ALTER TABLE m ADD x text;",
			age(`where: "x::date < '2024-02-01'", then: [delete]`),
			"UPDATE m SET x = '2024-01-01'; UPDATE m SET x = 'never' WHERE id = 15", "22007", ""},
		"where without a clock": {"", `{table: m, where: "sqrt(v) >= 0", then: [delete], ` + noBreaker,
			"UPDATE m SET v = -1 WHERE id = 15", "2201F", ""},
		"division by zero in a guard": {"", age(`keep: {small: "100 / v < 0"}, then: [delete]`), zero,
			"22012", ""},
		"in a guard of another table": {signals,
			age(`keep: {s: "EXISTS (SELECT FROM sig s WHERE s.m_id = t.id AND 1 / t.v > 5)"}, then: [delete]`),
			zero + "; INSERT INTO sig VALUES (15), (16)",
			"22012",
			""},
		"in what a step writes": {"CREATE TABLE n (id int, x int);",
			age(`then: [{insert: {into: n, set: {id: id, x: "100 / v"}}}, delete]`), zero, "22012", "public.n"},
		"in an update": {"",
			`{table: m, due: {age: {column: at, older_than: 7 days}}, where: "v >= 0",
				then: [{update: {set: {v: "-1 - 10 / v"}}}], ` + noBreaker, zero,
			"22012",
			""},
		"a check": {"CREATE TABLE o (id int CHECK (id <> 15));",
			age(`then: [{insert: {into: o, set: {id: id}}}, delete]`), "", "23514", "public.o"},
		"a trigger that divides by zero": {triggers("PERFORM 1 / (OLD.id - 15);"), age("then: [delete]"), "",
			"22012", ""},
		"a trigger that changes the row": {triggers("UPDATE m SET v = v + 1 WHERE id = OLD.id;"),
			age("then: [delete]"), "", "27000", ""},
		"a trigger with an SQLSTATE of its own": {triggers("RAISE EXCEPTION 'no' USING ERRCODE = 'AB001';"),
			age("then: [delete]"), "", "AB001", ""},
		"another one": {triggers("RAISE EXCEPTION 'no' USING ERRCODE = '45000';"),
			age("then: [delete]"), "", "45000", ""},
		"a trigger that asserts": {triggers("ASSERT OLD.id <> 15;"), age("then: [delete]"), "", "P0004",
			""},
		"a condition that asserts": {`CREATE FUNCTION sound(id int) RETURNS boolean LANGUAGE plpgsql AS $$
			BEGIN ASSERT id <> 15; RETURN true; END $$;`,
			age(`where: "sound(id)", then: [delete]`),
			"",
			"P0004",
			""},
		"a trigger that finds nothing": {triggers("RAISE no_data_found;"), age("then: [delete]"), "", "P0002",
			""},
		"syntax of a text search": {"ALTER TABLE m ADD x text DEFAULT 'a';",
			age(`where: "x::tsquery IS NOT NULL", then: [delete]`),
			"UPDATE m SET x = 'a &' WHERE id = 15",
			"42601",
			""},
		"syntax of a path in a step": {"ALTER TABLE m ADD x text DEFAULT '$.a'; CREATE TABLE n (id int, x jsonpath);",
			age(`then: [{insert: {into: n, set: {id: id, x: "x::jsonpath"}}}, delete]`),
			"UPDATE m SET x = '$.' WHERE id = 15",
			"42601",
			"public.n"},
		"a unit that there is not": {"ALTER TABLE m ADD x text DEFAULT 'day';",
			age(`where: "date_trunc(x, at) < '2024-02-01'", then: [delete]`),
			"UPDATE m SET x = 'timezone' WHERE id = 15", "0A000", ""},
		"a sub-select of two rows": {signals,
			age(`keep: {s: "coalesce((SELECT s.m_id FROM sig s WHERE s.m_id = t.id), 0) > 1000"}, then: [delete]`),
			"ALTER TABLE sig DROP CONSTRAINT IF EXISTS sig_pkey; INSERT INTO sig VALUES (15), (15), (16)",
			"21000",
			""},
		"a trigger that may not": {triggers("RAISE insufficient_privilege;"), age("then: [delete]"), "",
			"42501", ""},
		"a trigger that lacks a table": {triggers("PERFORM FROM nowhere;"), age("then: [delete]"), "", "42P01",
			""},
		"a trigger that is not in its state": {triggers("RAISE object_not_in_prerequisite_state;"),
			age("then: [delete]"), "", "55000", ""},
		"a trigger that cancels": {triggers("RAISE query_canceled;"), age("then: [delete]"), "", "P0001", ""},
		"a condition that cancels": {`CREATE FUNCTION sound(id int) RETURNS boolean LANGUAGE plpgsql AS $$
			BEGIN IF id = 15 THEN RAISE query_canceled; END IF; RETURN true; END $$;`,
			age(`where: "sound(id)", then: [delete]`),
			"",
			"P0001",
			""},
		"a trigger that shuts down": {triggers("RAISE admin_shutdown;"), age("then: [delete]"), "", "57P01", ""},
		"an internal error":         {triggers("RAISE internal_error;"), age("then: [delete]"), "", "XX000", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, c.schema, c.rule)
			s.refill(30)
			if c.data != "" {
				s.Exec(t, c.data)
			}
			s.run("p").mustSucceed()
			want := counts{State: "done", Taken: 29, Refused: 1}
			if c.related != "" {
				want.Related = map[string]int64{c.related: 29}
			}
			s.wantRun("p", want)
			if name != "in an update" {
				s.wantLeft(15)
			}
			if codes := pgtest.Column[string](t, s.watch,
				"SELECT DISTINCT sqlstate FROM retention.batch WHERE refused > 0"); len(codes) != 1 ||
				codes[0] != c.code {
				t.Errorf("the log has SQLSTATE %q, want %s", codes, c.code)
			}
			if err := s.run("p").wait(); err == nil || err.Code != c.code {
				t.Errorf("the run with one remaining row ended with %v, want %s", err, c.code)
			}
			s.wantRun("p", counts{State: "failed", Refused: 1})
		})
	}
}

// TestErrorOfTheStatement checks errors that do not depend on the rows. The run ends at once with
// that error and tries no row alone.
func TestErrorOfTheStatement(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		schema, after, code string
		taken               int
	}{
		"a right": {"", "REVOKE DELETE ON m FROM retention_worker", "42501", 0},
		"a trigger of the statement": {"",
			`
			CREATE FUNCTION sunday() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not on sundays';
				END $$;
			CREATE TRIGGER sunday BEFORE DELETE ON m EXECUTE FUNCTION sunday()`,
			"P0001",
			0},
		"resources":  {triggers("RAISE disk_full;"), "", "53100", 10},
		"the system": {triggers("RAISE io_error;"), "", "58030", 10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, c.schema, simple)
			s.refill(30)
			s.Exec(t, c.after)
			if err := s.run("p").wait(); err == nil || err.Code != c.code {
				t.Errorf("raised %v, want %s", err, c.code)
			}
			s.wantLeft(numbers(1+c.taken, 30)...)
			s.wantRun("p", counts{State: "failed", Taken: int64(c.taken)})
		})
	}
}

// TestRunTripsWhenTheBreakerCannotCount checks that a run trips before its first batch if the
// breaker must count rows and the condition fails for one row. The run's message contains the
// error.
func TestRunTripsWhenTheBreakerCannotCount(t *testing.T) {
	t.Parallel()
	s := newStage(t, "", strings.Replace(simple, "then:", `where: "100 / v > 0", breaker: {rows: 29}, then:`, 1))
	s.refill(30)
	s.Exec(t, "UPDATE m SET v = 1; UPDATE m SET v = 0 WHERE id = 15")
	if err := s.run("p").wait(); err == nil || !strings.Contains(err.Message,
		"cannot be counted for the breaker: division by zero") {
		t.Errorf("raised %v", err)
	}
	s.wantRun("p", counts{State: "tripped"})
	if err := s.Operator("SELECT retention.accept('p', 'one row')"); err != nil {
		t.Fatal(err)
	}
	s.run("p").mustSucceed()
	s.wantLeft(15)
	s.wantRun("p", counts{State: "done", Taken: 29, Refused: 1})
}

// TestRefusedRowsDoNotBlockOthers checks that a run takes newer rows although foreign keys refer to
// all of the oldest rows.
func TestRefusedRowsDoNotBlockOthers(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string]string{"one statement": simple, "row by row": guarded} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, signals+`CREATE TABLE child (m_id int PRIMARY KEY REFERENCES m);`,
				strings.Replace(rule, "batch:", "breaker: {fraction: 1}, batch:", 1))
			s.refill(1500)
			s.Exec(t, "INSERT INTO child SELECT i FROM generate_series(1, 400) i")
			s.SetBatch(500)
			s.run("p").mustSucceed()
			s.wantLeft(numbers(1, 400)...)
			s.wantRun("p", counts{State: "done", Taken: 1100, Refused: 400})
		})
	}
}

// TestRefusedOnceUnderAny checks that a run counts a refused row once if several entries of any
// find it due.
func TestRefusedOnceUnderAny(t *testing.T) {
	t.Parallel()
	s := newStage(t, `
		ALTER TABLE m ADD g int NOT NULL DEFAULT 1, ADD until timestamptz DEFAULT '2024-01-01';
		CREATE TABLE child (m_id int PRIMARY KEY REFERENCES m);`,
		`{table: m, due: {any: [
			{age: {column: at, older_than: 7 days}},
			{beyond: {first: 1, per: [g], order: "at DESC"}},
			{expires: {column: until}}]}, then: [delete], `+noBreaker)
	s.refill(60)
	s.Exec(t, "INSERT INTO child SELECT i FROM generate_series(1, 40) i")
	s.run("p").mustSucceed()
	s.wantLeft(numbers(1, 40)...)
	s.wantRun("p", counts{State: "done", Taken: 20, Refused: 40})
}
