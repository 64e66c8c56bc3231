package hostile

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

const changeSchema = baseSchema + `;
	ALTER TABLE item ADD mark int;
	ALTER TABLE part ADD mark int;
	ALTER TABLE cases ADD mark int;
	ALTER TABLE users ADD mark int;
	ALTER TABLE attic ADD mark int;
	CREATE TABLE other (id bigint PRIMARY KEY, item_id bigint, at date, note text, mark int);
	INSERT INTO item SELECT i, '2999-01-01' FROM generate_series(31, 40) i;
	UPDATE item SET state = 'open' WHERE id IN (7, 8);
	INSERT INTO part SELECT i, i FROM generate_series(31, 40) i;
	INSERT INTO cases VALUES (2, true), (9, false);
	INSERT INTO users VALUES (1, 3, true), (2, 10, false);
	INSERT INTO other SELECT i, i, '2024-01-01' FROM generate_series(1, 40) i;
	UPDATE item SET mark = id;
	UPDATE part SET mark = id;
	UPDATE cases SET mark = item_id;
	UPDATE users SET mark = id;
	UPDATE other SET mark = id`

// columnsOf has the columns of the tables that the policy uses, and of table other, which it does
// not use.
var columnsOf = map[string][]string{
	"item": {"id", "at", "state", "mood"}, "part": {"id", "item_id", "note"}, "cases": {"item_id",
		"open"}, "users": {"id", "item_id", "vip"},
	"attic": {"id", "at", "state", "mood", "run_id"}, "other": {"id", "item_id", "at", "note"},
}

// typesOf has the types of columns whose type is also among the types that the test tries.
var typesOf = map[string]string{"item.id": "bigint", "part.id": "bigint", "part.item_id": "bigint",
	"cases.item_id": "bigint", "cases.open": "boolean", "users.id": "bigint", "users.item_id": "bigint",
	"attic.id": "bigint", "attic.run_id": "bigint", "part.note": "text"}

// changesOfTheCatalog returns statements of the tables' owner that change every kind of catalog
// entry. A column is identified by its name and type, so re-creating the same column is no change.
func changesOfTheCatalog() []string {
	var list []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	for table, columns := range columnsOf {
		for _, column := range columns {
			for _, typ := range []string{"text", "numeric", "bigint", "int", "char(9)", "boolean", "timestamp",
				"timestamptz(0)", "date", `text COLLATE "und-x-icu"`} {
				add("ALTER TABLE %s ALTER %s DROP DEFAULT, ALTER %[2]s TYPE %s USING %[2]s::text::%s", table, column,
					typ, strings.Fields(typ)[0])
				if typ != typesOf[table+"."+column] {
					add("ALTER TABLE %s DROP %s CASCADE; ALTER TABLE %[1]s ADD %[2]s %s", table, column, typ)
				}
			}
			for _, change := range []string{"DROP %s", "DROP %s CASCADE", "RENAME %s TO z",
				"ALTER %s SET DEFAULT NULL",
				"ALTER %s DROP NOT NULL",
				"ALTER %s SET NOT NULL",
				"ALTER %s SET STATISTICS 0",
				"ADD UNIQUE (%s)",
				"ADD CHECK (%s IS NOT NULL) NOT VALID"} {
				add("ALTER TABLE %s "+change, table, column)
			}
			for to := range columnsOf {
				for _, action := range []string{"CASCADE", "SET NULL", "SET DEFAULT", "NO ACTION", "RESTRICT"} {
					add("ALTER TABLE %s ADD FOREIGN KEY (%s) REFERENCES %s (id) ON DELETE %s NOT VALID", table, column,
						to, action)
					add("ALTER TABLE %s ADD FOREIGN KEY (%s) REFERENCES %s (id) ON UPDATE %s NOT VALID", table, column,
						to, action)
				}
			}
		}
		for _, event := range []string{"INSERT", "UPDATE", "DELETE"} {
			for _, does := range []string{"ALSO DELETE FROM other", "INSTEAD NOTHING", "INSTEAD DELETE FROM other",
				"ALSO DELETE FROM item", "ALSO UPDATE item SET state = 'done'"} {
				add("CREATE RULE z AS ON %s TO %s DO %s", event, table, does)
			}
		}
		for _, change := range []string{
			"CREATE TABLE z () INHERITS (%s)",
			`
				CREATE TABLE z (LIKE %s INCLUDING ALL);
				INSERT INTO z SELECT * FROM %[1]s;
				ALTER TABLE z INHERIT %[1]s`,
			"ALTER TABLE %s RENAME TO z",
			"ALTER TABLE %s RENAME TO z; CREATE VIEW %[1]s AS SELECT * FROM z WHERE false",
			"ALTER TABLE %s RENAME TO z; CREATE VIEW %[1]s AS SELECT * FROM z",
			`
				ALTER TABLE %s RENAME TO z;
				CREATE MATERIALIZED VIEW %[1]s AS SELECT * FROM z`,
			`
					ALTER TABLE %s RENAME TO z;
					CREATE TABLE %[1]s (LIKE z) PARTITION BY LIST (id)`,
			"ALTER TABLE %s SET SCHEMA tools",
			"DROP TABLE %s CASCADE",
			"ALTER TABLE %s SET UNLOGGED",
			"ALTER TABLE %s ENABLE ROW LEVEL SECURITY",
			`
				ALTER TABLE %s FORCE ROW LEVEL SECURITY;
				ALTER TABLE %[1]s ENABLE ROW LEVEL SECURITY;
				CREATE POLICY z ON %[1]s USING (false)`,
			"ALTER TABLE %s DROP CONSTRAINT %[1]s_pkey CASCADE",
			"ALTER TABLE %s ADD z int", "ALTER TABLE %s ADD z int NOT NULL DEFAULT 1",
			"ALTER TABLE %s ADD z int GENERATED ALWAYS AS (1) STORED",
			"REVOKE ALL ON %s FROM retention_owner",
			"ALTER TABLE %s SET (fillfactor = 50, autovacuum_enabled = off)",
			"ALTER TABLE %s REPLICA IDENTITY NOTHING",
			"ALTER TABLE %s OWNER TO retention_runner",
			"CREATE SCHEMA z; CREATE TABLE z.%s (LIKE public.%[1]s)",
			"CREATE INDEX ON %s USING hash (id)",
			"CREATE STATISTICS z ON id, item_id FROM %s",
			"COMMENT ON TABLE %s IS 'z'",
		} {
			if table != "other" || !removesObject.MatchString(strings.TrimPrefix(change, "ALTER TABLE %s ")) {
				add(change, table)
			}
		}
	}
	for _, change := range []string{"ALTER TYPE mood RENAME TO z", "ALTER TYPE mood ADD VALUE 'z'",
		"ALTER TYPE mood RENAME VALUE 'calm' TO 'z'",
		"ALTER TYPE mood SET SCHEMA tools",
		"DROP VIEW vips",
		"DROP VIEW vips; CREATE TABLE vips (id bigint, item_id bigint)",
		"ALTER VIEW vips RENAME TO z",
		"ALTER VIEW vips SET SCHEMA tools",
		"ALTER VIEW vips SET (security_invoker = on)",
		"DROP VIEW vips; CREATE VIEW vips AS SELECT id, item_id::int FROM users WHERE vip",
		"ALTER VIEW vips RENAME item_id TO z",
		"DROP FUNCTION tools.plain(numeric)",
		"ALTER FUNCTION tools.plain(numeric) RENAME TO z",
		"ALTER SCHEMA tools RENAME TO z"} {
		add("%s", change)
	}
	return list
}

// markedRows is a query for the existing rows. It identifies rows by column mark, which no
// statement changes. For table other, which no step changes, it returns whole rows.
const markedRows = `
	SELECT 'item ' || i.mark FROM public.item i UNION ALL SELECT 'part ' || p.mark FROM public.part p UNION ALL
		SELECT 'gone ' || a.mark FROM public.attic a
	UNION ALL SELECT 'case ' || c.mark FROM public.cases c UNION ALL SELECT x.note
		FROM (SELECT 'other ' || o::text AS note FROM public.other o) x`

// lostRows returns rows that had to stay and do not exist any more, and due rows that are neither
// in item nor in the archive.
func lostRows(before, after []string) []string {
	present, list := map[string]bool{}, []string{}
	for _, row := range after {
		present[row] = true
	}
	for _, row := range before {
		var mark int
		_, err := fmt.Sscanf(strings.NewReplacer("item ", "", "part ", "").Replace(row), "%d", &mark)
		goes := err == nil && mark <= 30 && !slices.Contains([]int{2, 3, 7, 8}, mark)
		if !present[row] && (!goes || strings.HasPrefix(row, "item ") && !present[fmt.Sprint("gone ", mark)]) {
			list = append(list, row)
		}
	}
	return list
}

// TestCatalogChangesBetweenBatches changes the catalog between two batches in many ways. The next
// batch takes only rows that were due before the change, or it raises an error and takes none.
func TestCatalogChangesBetweenBatches(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, changeSchema, strings.Replace(basePolicies, " AND tools.plain(t.id)",
		" AND tools.plain(t.id) AND t.mood = 'calm'", 1))
	conn, ctx := in.Conn(t), context.Background()
	vouch(t, in)
	pgtest.Exec(t, conn, "SET client_min_messages = error")
	made, went, tripped := 0, 0, map[string]int{}
	for _, change := range changesOfTheCatalog() {
		if _, err := conn.Exec(ctx, "ROLLBACK; BEGIN; SET LOCAL ROLE "+kit.Migrator+"; "+
			change+"; SET CONSTRAINTS ALL IMMEDIATE; RESET ROLE"); err != nil {
			continue
		}
		made++
		var before []string
		if pgtest.Value[bool](t, conn, `SELECT count(*) = 5 FROM pg_class c
			WHERE c.relnamespace = 'public'::regnamespace AND c.relname IN ('item', 'part', 'attic', 'cases',
			'other') AND c.relkind IN ('r', 'p')`) {
			before = pgtest.Column[string](t, conn, markedRows)
		}
		for _, locked := range []bool{false, true} {
			_, err := conn.Exec(ctx, fmt.Sprintf(`
				SAVEPOINT a;
				SET LOCAL ROLE retention_owner;
				SELECT retention._attempt_batch(p,
					jsonb_populate_record(retention._batch_range(a.at),
						jsonb_build_object('pass', 1, 'unheld', retention._unheld(p, a.at))), 50, false, %v, NULL)
				FROM retention.policy p, CAST('%s' AS timestamptz) a (at);
				RESET ROLE`, locked, noon))
			if err != nil {
				tripped[strings.Fields(change)[0]]++
			} else {
				went++
				if before == nil {
					t.Errorf("%s (row by row: %v): the batch succeeded, want an error", change, locked)
				} else if lost := lostRows(before, pgtest.Column[string](t, conn, markedRows)); len(lost) > 0 {
					t.Errorf("%s (row by row: %v): the batch lost %v", change, locked, lost)
				}
			}
			pgtest.Exec(t, conn, "ROLLBACK TO a")
		}
	}
	pgtest.Exec(t, conn, "ROLLBACK")
	if tripped["ALTER"] < 100 || tripped["CREATE"] < 10 || tripped["DROP"] < 3 || went < 100 {
		t.Errorf("%d changes, %d batches succeeded, batches with an error: %v", made, went, tripped)
	}
	if o := in.Run("p", noon); o.State != "done" || o.Taken != 26 {
		t.Errorf("without a change the run ended %s: %s, %d rows taken, want done with 26", o.State, o.Message, o.Taken)
	}
	t.Logf("%d changes, %d batches succeeded, batches with an error: %v", made, went, tripped)
}

// vouch stores that nothing stops policy p, as the start of a run does.
func vouch(t *testing.T, in *kit.Installed) {
	t.Helper()
	if n := pgtest.Value[int](t, in, `WITH v AS (INSERT INTO retention.vouched
		SELECT (retention._vouchable(p)).* FROM retention.policy p WHERE p.name = 'p' RETURNING mark)
		SELECT count(mark) FROM v`); n != 1 {
		t.Fatal("policy p has no mark")
	}
}

// TestMarkChangesWithTheAnswers changes the catalog in many ways. If one of the full questions has
// another answer after the change, the mark must have changed.
func TestMarkChangesWithTheAnswers(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, changeSchema+"; CREATE TABLE unrelated (id int)", basePolicies)
	in.Exec(t, stranger)
	conn, ctx := in.Conn(t), context.Background()
	vouch(t, in)
	pgtest.Exec(t, conn, "SET client_min_messages = error")
	changes := changesOfTheCatalog()
	for _, a := range attacks {
		changes = append(changes, "RESET ROLE; "+strings.ReplaceAll(a.plant, ":db", in.Name)+"; RESET ROLE")
	}
	stopped, same, made := 0, 0, 0
	for _, change := range append(changes, "SELECT 1", "INSERT INTO unrelated VALUES (1)",
		"ALTER TABLE unrelated ADD x int", "CREATE TABLE unrelated2 (id int PRIMARY KEY, a text DEFAULT 'x')",
		"DROP TABLE unrelated") {
		if _, err := conn.Exec(ctx, "ROLLBACK; BEGIN; SET LOCAL ROLE "+kit.Migrator+"; "+
			change+"; RESET ROLE"); err != nil {
			continue
		}
		made++
		var answer *string
		var vouched bool
		if err := conn.QueryRow(ctx, `SELECT coalesce((SELECT f FROM retention._foreign_code(ARRAY[p]) f LIMIT 1),
				(SELECT c.why FROM retention._changed_dependencies(ARRAY[p], false) c LIMIT 1)),
				retention._is_vouched(p)
			FROM retention.policy p WHERE p.name = 'p'`).Scan(&answer, &vouched); err != nil {
			t.Errorf("%s: %v", change, err)
		}
		if vouched {
			same++
		}
		if answer != nil {
			stopped++
			if vouched {
				t.Errorf("after %s the mark is the same, but %s", change, *answer)
			}
		}
	}
	pgtest.Exec(t, conn, "ROLLBACK")
	if stopped < 100 || same < 5 {
		t.Errorf("of %d changes, %d stop the policy and %d leave the mark", made, stopped, same)
	}
	t.Logf("of %d changes, %d stop the policy and %d leave the mark", made, stopped, same)
}
