package tests

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/catalog"
	"pgretain/internal/inspect"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
	"pgretain/verifier"
)

// reachSchema has five due items. Two of them have a part.
const reachSchema = `
CREATE SCHEMA app;
CREATE TABLE app.item (
    id bigint PRIMARY KEY, at timestamptz NOT NULL DEFAULT '2024-01-01', done boolean NOT NULL DEFAULT false
);
CREATE TABLE app.part (id bigint PRIMARY KEY, item_id bigint REFERENCES app.item ON DELETE CASCADE);
CREATE TABLE app.watch (item_id bigint);
CREATE VIEW app.watched AS SELECT item_id FROM app.watch;
INSERT INTO app.item (id) SELECT generate_series(1, 5);
INSERT INTO app.part VALUES (1, 1), (2, 2);
CREATE FUNCTION app.keep_row() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$ BEGIN
    RETURN NEW;
END $$;
CREATE FUNCTION app.write() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO watch VALUES (OLD.id);
    RETURN OLD;
END $$;`

const reachPolicy = `
policies:
  items:
    table: app.item
    where: NOT done
    due: {age: {column: at, older_than: 1 day}}
    keep: {watched: "EXISTS (SELECT FROM app.watch w WHERE w.item_id = t.id)"}
    then: [delete: {cascades: [app.part]}]
`

// reachCase is a change of a database, the findings of verify about it, and the result of a run
// afterwards. The run shows whether the findings are right.
type reachCase struct {
	tamper       string   // SQL that changes the database after the installation
	change       []string // pairs: a text of the policy file and its replacement
	codes        string   // codes of the groups reach and indexes, without severity info
	state        string   // state of the run
	sqlstate     string   // SQLSTATE of the run
	refused      int64    // rows that the run skipped because of an error
	items, parts int      // rows that are left after the run
}

var reachCases = map[string]reachCase{
	"nothing": {state: "done"},

	"a key": {
		tamper: "CREATE TABLE app.bill (item_id bigint REFERENCES app.item); INSERT INTO app.bill VALUES (3)",
		codes:  "V053", state: "done", refused: 1, items: 1},
	"a restricting key to what goes as well": {
		tamper: "CREATE TABLE app.bill (part_id bigint REFERENCES app.part ON DELETE RESTRICT); INSERT INTO " +
			"app.bill VALUES (1)",
		codes: "V053", state: "done", refused: 1, items: 1, parts: 1},
	"a deferred key": {
		tamper: "CREATE TABLE app.bill (item_id bigint REFERENCES app.item DEFERRABLE INITIALLY DEFERRED); INSERT " +
			"INTO app.bill VALUES (3)",
		codes: "V053", state: "done", refused: 1, items: 1},
	"a key that a guard looks after": {
		tamper: "INSERT INTO app.watch VALUES (3); ALTER TABLE app.watch ADD FOREIGN KEY (item_id) REFERENCES app.item",
		state:  "done", items: 1},
	"a key that sets NULL where nothing may be": {
		tamper: "ALTER TABLE app.part ALTER item_id SET NOT NULL, DROP CONSTRAINT part_item_id_fkey, ADD FOREIGN " +
			"KEY (item_id) REFERENCES app.item ON DELETE SET NULL",
		codes: "V050 V053", state: "tripped", items: 5, parts: 2},
	"a key that sets a default where there is none": {
		tamper: "ALTER TABLE app.part ALTER item_id SET NOT NULL, DROP CONSTRAINT part_item_id_fkey, ADD FOREIGN " +
			"KEY (item_id) REFERENCES app.item ON DELETE SET DEFAULT",
		codes: "V050 V053", state: "tripped", items: 5, parts: 2},
	"a key that sets NULL where it may": {
		tamper: "ALTER TABLE app.part DROP CONSTRAINT part_item_id_fkey, ADD FOREIGN KEY (item_id) REFERENCES " +
			"app.item ON DELETE SET NULL",
		codes: "V050", state: "tripped", items: 5, parts: 2},
	"a key that sets NULL in another column": {
		tamper: `ALTER TABLE app.item ADD UNIQUE (id, done);
			ALTER TABLE app.part ALTER item_id SET NOT NULL, ADD done boolean, DROP CONSTRAINT part_item_id_fkey,
				ADD FOREIGN KEY (item_id, done) REFERENCES app.item (id, done) ON DELETE SET NULL (done);
			UPDATE app.part SET done = false`,
		codes: "V050", state: "tripped", items: 5, parts: 2},
	"a key between rows that all go": {
		tamper: "ALTER TABLE app.item ADD next bigint REFERENCES app.item; UPDATE app.item SET next = id + 1 WHERE " +
			"id < 5",
		state: "done"},
	"a deferred key whose rows a later step deletes": {
		tamper: "CREATE TABLE app.note (id bigint PRIMARY KEY, item_id bigint REFERENCES app.item DEFERRABLE " +
			"INITIALLY DEFERRED); INSERT INTO app.note VALUES (1, 3); GRANT SELECT, DELETE ON app.note TO " +
			"retention_worker",
		change: []string{"cascades: [app.part]}]", "cascades: [app.part]}, sql: \"DELETE FROM app.note n USING " +
			"batch b WHERE n.item_id = b.id\"]"},
		state: "done"},

	"a trigger that keeps rows": {
		tamper: "CREATE TRIGGER x BEFORE DELETE ON app.item FOR EACH ROW WHEN (OLD.id = 3) EXECUTE FUNCTION " +
			"app.keep_row()",
		codes: "V056", state: "done", items: 1},
	"a trigger that keeps what would go as well": {
		tamper: "CREATE TRIGGER x BEFORE DELETE ON app.part FOR EACH ROW EXECUTE FUNCTION app.keep_row()",
		codes:  "V056", state: "done", parts: 2},
	"a trigger that returns OLD": {
		tamper: `CREATE FUNCTION app.old() RETURNS trigger
			LANGUAGE plpgsql SECURITY DEFINER SET search_path = app AS $$ BEGIN
				INSERT INTO watch VALUES (0);
				RETURN OLD;
			END $$;
			CREATE TRIGGER x BEFORE DELETE ON app.item FOR EACH ROW EXECUTE FUNCTION app.old()`,
		state: "done"},
	"a trigger that runs as we": {
		tamper: "CREATE TRIGGER x AFTER DELETE ON app.item FOR EACH ROW EXECUTE FUNCTION app.write()",
		codes:  "V056", state: "failed", sqlstate: "42P01", refused: 5, items: 5, parts: 2},
	"a trigger that is accepted": {
		tamper: "CREATE TRIGGER x AFTER DELETE ON app.item FOR EACH ROW EXECUTE FUNCTION app.write()",
		change: []string{"    then:", "    triggers: [x]\n    then:"},
		state:  "failed", sqlstate: "42P01", refused: 5, items: 5, parts: 2},
	"a deferred trigger": {
		tamper: "CREATE CONSTRAINT TRIGGER x AFTER DELETE ON app.item DEFERRABLE INITIALLY DEFERRED FOR EACH ROW " +
			"EXECUTE FUNCTION app.write()",
		change: []string{"policies:", "install: {search_path: [app], scheduler: none}\npolicies:"},
		codes:  "V056", state: "failed", sqlstate: "42501", refused: 5, items: 5, parts: 2},

	"a rule instead": {
		tamper: "CREATE RULE x AS ON DELETE TO app.item DO INSTEAD NOTHING",
		codes:  "V050", state: "tripped", items: 5, parts: 2},
	"a rule instead of what would go as well": {
		tamper: "CREATE RULE x AS ON DELETE TO app.part DO INSTEAD NOTHING",
		codes:  "V050", state: "tripped", items: 5, parts: 2},
	"a rule without effect": {
		tamper: "CREATE RULE x AS ON DELETE TO app.item DO ALSO NOTHING",
		state:  "done"},

	"a published table": {
		tamper: "CREATE PUBLICATION x FOR TABLE app.item; ALTER TABLE app.item REPLICA IDENTITY NOTHING",
		codes:  "V058", state: "failed", sqlstate: "55000", items: 5, parts: 2},
	"a published schema, and what would go as well": {
		tamper: "CREATE PUBLICATION x FOR TABLES IN SCHEMA app; ALTER TABLE app.part DROP CONSTRAINT part_pkey",
		codes:  "V058", state: "failed", sqlstate: "55000", refused: 5, items: 5, parts: 2},
	"a published filter": {
		tamper: "CREATE PUBLICATION x FOR TABLE app.item WHERE (at > '2020-01-01')",
		codes:  "V058", state: "failed", sqlstate: "42P10", items: 5, parts: 2},
	"published columns": {
		tamper: "CREATE PUBLICATION x FOR TABLE app.item (id, done); CREATE PUBLICATION y FOR TABLE app.part (item_id)",
		codes:  "V058", state: "failed", sqlstate: "42P10", refused: 5, items: 5, parts: 2},
	"a published filter by the key": {
		tamper: "CREATE PUBLICATION x FOR TABLE app.item WHERE (id > 0)",
		state:  "done"},
	"published whole rows": {
		tamper: "CREATE PUBLICATION x FOR ALL TABLES; ALTER TABLE app.item REPLICA IDENTITY FULL",
		state:  "done"},
	"published by another index": {
		tamper: `CREATE PUBLICATION x FOR ALL TABLES;
			ALTER TABLE app.item ADD other bigint NOT NULL DEFAULT random() * 1e15;
			CREATE UNIQUE INDEX i ON app.item (other);
			ALTER TABLE app.item REPLICA IDENTITY USING INDEX i`,
		state: "done"},
	"an index that was the identity": {
		tamper: `CREATE PUBLICATION x FOR ALL TABLES;
			ALTER TABLE app.item ADD other bigint NOT NULL DEFAULT random() * 1e15;
			CREATE UNIQUE INDEX i ON app.item (other);
			ALTER TABLE app.item REPLICA IDENTITY USING INDEX i;
			DROP INDEX app.i`,
		codes: "V058", state: "failed", sqlstate: "55000", items: 5, parts: 2},
	"updates of a published table": {
		tamper: "CREATE PUBLICATION x FOR TABLE app.item WITH (publish = 'update'); ALTER TABLE app.item REPLICA " +
			"IDENTITY NOTHING",
		change: []string{"delete: {cascades: [app.part]}", "update: {set: {done: true}}"},
		codes:  "V058", state: "failed", sqlstate: "55000", items: 5, parts: 2},
	"deletes are not published": {
		tamper: "CREATE PUBLICATION x FOR TABLE app.item WITH (publish = 'update'); ALTER TABLE app.item REPLICA " +
			"IDENTITY NOTHING",
		state: "done"},

	"row security of a guard's table": {
		tamper: "ALTER TABLE app.watch ENABLE ROW LEVEL SECURITY",
		codes:  "V055", state: "failed", sqlstate: "42501", items: 5, parts: 2},
	"row security of what would go as well": {
		tamper: "ALTER TABLE app.part ENABLE ROW LEVEL SECURITY",
		codes:  "V055", state: "done"}, // a run reads it only while a hold is in force
	"row security behind a view": {
		tamper: "ALTER TABLE app.watch ENABLE ROW LEVEL SECURITY",
		change: []string{"FROM app.watch w", "FROM app.watched w"},
		state:  "done"}, // the view reads as the table's owner
	"row security forced behind a view": {
		tamper: "ALTER TABLE app.watch ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY",
		change: []string{"FROM app.watch w", "FROM app.watched w"},
		codes:  "V055", state: "failed", sqlstate: "42501", items: 5, parts: 2},
	"row security behind a view of the caller's": {
		tamper: "ALTER TABLE app.watch ENABLE ROW LEVEL SECURITY; ALTER VIEW app.watched SET (security_invoker); " +
			"GRANT SELECT ON app.watch TO retention_worker",
		change: []string{"FROM app.watch w", "FROM app.watched w"},
		codes:  "V055", state: "failed", sqlstate: "42501", items: 5, parts: 2},
	"row security of the owner's own": {
		tamper: "ALTER TABLE app.watch ENABLE ROW LEVEL SECURITY; ALTER TABLE app.item ENABLE ROW LEVEL SECURITY",
		change: []string{"policies:", "install: {roles: none, scheduler: none}\npolicies:"},
		state:  "done"},
	"row security forced on the owner": {
		tamper: "ALTER TABLE app.item ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY",
		change: []string{"policies:", "install: {roles: none, scheduler: none}\npolicies:"},
		codes:  "V055", state: "failed", sqlstate: "42501", items: 5, parts: 2},
	"row security past which a key looks": {
		tamper: `CREATE TABLE app.bill (item_id bigint REFERENCES app.item); INSERT INTO app.bill VALUES (3);
			ALTER TABLE app.bill ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY`,
		codes: "V053", state: "done", refused: 1, items: 1},

	"a key that is off": {
		tamper: "ALTER TABLE app.item DISABLE TRIGGER ALL",
		codes:  "V050 V059", state: "tripped", items: 5, parts: 2},
	"a key that refuses is off": {
		tamper: "CREATE TABLE app.bill (item_id bigint REFERENCES app.item); INSERT INTO app.bill VALUES (3); ALTER " +
			"TABLE app.item DISABLE TRIGGER ALL",
		codes: "V050 V059", state: "tripped", items: 5, parts: 2},
	"a key that is on again": {
		tamper: "ALTER TABLE app.item DISABLE TRIGGER ALL; ALTER TABLE app.item ENABLE TRIGGER ALL",
		state:  "done"},

	"a table that inherits": {
		tamper: "CREATE TABLE app.more () INHERITS (app.item); INSERT INTO app.more VALUES (3), (7)",
		codes:  "V050", state: "tripped", items: 7, parts: 2},
}

// TestReachSaysWhatHappens changes databases, verifies them, and then runs the policy. The findings
// of verify must agree with what the run does.
func TestReachSaysWhatHappens(t *testing.T) {
	t.Parallel()
	for name, c := range reachCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			yaml := reachPolicy
			for i := 0; i < len(c.change); i += 2 {
				yaml = strings.ReplaceAll(yaml, c.change[i], c.change[i+1])
			}
			schema := reachSchema
			if strings.Contains(yaml, "app.note") {
				schema, c.tamper = schema+"; "+c.tamper, ""
			}
			in := kit.Install(t, schema, yaml)
			snapshot := reachSnapshot(t, in)
			in.DB.Exec(t, c.tamper)
			if got := strings.Join(reachCodes(t, in, snapshot), " "); got != c.codes {
				t.Errorf("verify reports %q, want %q", got, c.codes)
			}
			run := in.Run("items", "2026-01-01")
			if run.State != c.state || run.SQLState != c.sqlstate || run.Refused != c.refused {
				t.Errorf("ended %s %s, refused %d (%s); want %s %s, %d", run.State, run.SQLState, run.Refused,
					run.Message, c.state, c.sqlstate, c.refused)
			}
			left := pgtest.Value[string](t, in, "SELECT (SELECT count(*) FROM app.item WHERE NOT done) || ' ' || "+
				"(SELECT count(*) FROM app.part)")
			if want := fmt.Sprint(c.items, " ", c.parts); left != want {
				t.Errorf("items and parts that are left: %s, want %s", left, want)
			}
		})
	}
}

// TestTriggerBodies checks what verify reports about the function of a BEFORE DELETE trigger, by
// the function's body.
func TestTriggerBodies(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, reachSchema, reachPolicy)
	bodies := []struct{ body, does string }{
		{"BEGIN RETURN OLD; END", ""},
		{"BEGIN IF OLD.done THEN RETURN NULL; END IF; return old; END", "keeps"},
		{"BEGIN RETURN NEW; END", "keeps"},
		{"BEGIN RAISE EXCEPTION 'never'; END", "refuses"},
		{"BEGIN IF OLD.done THEN raise 'never'; END IF; RETURN OLD; END", "refuses"},
		{"BEGIN RAISE division_by_zero; RETURN OLD; END", "refuses"},
		{"BEGIN RAISE NOTICE 'raise exception'; RETURN OLD; END", ""},
		{"BEGIN -- raise it, then return NULL\n /* RAISE */ RETURN OLD; END", ""},
		{"BEGIN PERFORM 1; END", "refuses"},
		{"BEGIN RETURN NEW; RAISE 'never'; END", "keepsrefuses"},
	}
	for i, c := range bodies {
		in.Exec(t, fmt.Sprintf(`
			CREATE FUNCTION app.t%d() RETURNS trigger
			LANGUAGE plpgsql SECURITY DEFINER SET search_path = app AS $body$%s$body$;
			CREATE TRIGGER t%[1]d BEFORE DELETE ON app.item FOR EACH ROW EXECUTE FUNCTION app.t%[1]d()`, i, c.body))
	}
	findings := in.Verify(t, "", nil).Findings
	want, got := map[string]string{}, map[string]string{}
	for i, c := range bodies {
		want[c.body], got[c.body] = c.does, ""
		for _, f := range findings {
			if f.Code.String() == "V056" && strings.Contains(f.Message, fmt.Sprintf(`"t%d"`, i)) {
				if strings.Contains(f.Detail, "for which that returns NULL stays") {
					got[c.body] += "keeps"
				}
				if strings.Contains(f.Detail, "It may raise an error") {
					got[c.body] += "refuses"
				}
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reported effects by function body (-want +got):\n%s", diff)
	}
}

// partitionCases are foreign keys to partitions that a policy detaches or drops, with the findings
// of verify and the numbers of the run.
var partitionCases = map[string]struct {
	step, tamper, codes string
	taken, refused      int64
}{
	"detach": {step: "detach", taken: 2},
	"detach what a key refers to": {
		step: "detach",
		tamper: "SET ROLE kit_migrator; CREATE TABLE app.bill (id bigint, at date, FOREIGN KEY (id, at) REFERENCES " +
			"app.month ON DELETE CASCADE); INSERT INTO app.bill VALUES (1, '2024-01-10')",
		codes: "V053", taken: 1, refused: 1},
	"detach what a key to one partition refers to": {
		step: "detach",
		tamper: "SET ROLE kit_migrator; CREATE TABLE app.bill (id bigint, at date, FOREIGN KEY (id, at) REFERENCES " +
			"app.month_1); INSERT INTO app.bill VALUES (1, '2024-01-10')",
		taken: 2},
	"drop what a key to one partition refers to": {
		step: "drop",
		tamper: "SET ROLE kit_migrator; CREATE TABLE app.bill (id bigint, at date, FOREIGN KEY (id, at) REFERENCES " +
			"app.month_1)",
		codes: "V053", taken: 1, refused: 1},
	"drop what a key refers to that no row has": {
		step: "drop",
		tamper: "SET ROLE kit_migrator; CREATE TABLE app.bill (id bigint, at date, FOREIGN KEY (id, at) REFERENCES " +
			"app.month)",
		codes: "V053", taken: 2},
	"drop under row security": {
		step:   "drop",
		tamper: "ALTER TABLE app.month ENABLE ROW LEVEL SECURITY",
		codes:  "V055", taken: 2}, // a run reads it only while a hold is in force
	"drop without triggers, rules and identity": {
		step: "drop",
		tamper: `CREATE TRIGGER x BEFORE DELETE ON app.month FOR EACH ROW EXECUTE FUNCTION app.keep_row();
			CREATE RULE x AS ON DELETE TO app.month DO INSTEAD NOTHING;
			CREATE PUBLICATION x FOR ALL TABLES; ALTER TABLE app.month_1 REPLICA IDENTITY NOTHING`,
		taken: 2},
}

func TestReachOfPartitionsSaysWhatHappens(t *testing.T) {
	t.Parallel()
	for name, c := range partitionCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, reachSchema+`
				CREATE TABLE app.month (id bigint, at date NOT NULL, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
				CREATE TABLE app.month_1 PARTITION OF app.month FOR VALUES FROM ('2024-01-01') TO ('2024-02-01');
				CREATE TABLE app.month_2 PARTITION OF app.month FOR VALUES FROM ('2024-02-01') TO ('2024-03-01');
				CREATE TABLE app.month_3 PARTITION OF app.month FOR VALUES FROM ('2024-03-01') TO ('2024-04-01');
				INSERT INTO app.month VALUES (1, '2024-01-10'), (2, '2024-02-10')`, `
policies:
  months:
    partitions_of: app.month
    due: {age: {older_than: 1 day}}
    then: [`+c.step+`]
`)
			snapshot := reachSnapshot(t, in)
			in.DB.Exec(t, c.tamper)
			if got := strings.Join(reachCodes(t, in, snapshot), " "); got != c.codes {
				t.Errorf("verify reports %q, want %q", got, c.codes)
			}
			run := in.Run("months", "2026-01-01")
			if run.Taken != c.taken || run.Refused != c.refused {
				t.Errorf("ended %s %s %s: took %d, refused %d; want %d, %d", run.State, run.SQLState, run.Message,
					run.Taken, run.Refused, c.taken, c.refused)
			}
		})
	}
}

// reachSnapshot takes a catalog snapshot of all tables of schema app.
func reachSnapshot(t *testing.T, in *kit.Installed) *catalog.Snapshot {
	t.Helper()
	request := inspect.Request{
		SearchPath: in.File.Install.SearchPath,
		Runtime:    in.File.Install.Schema,
		Tables: pgtest.Column[string](t, in,
			"SELECT schemaname || '.' || tablename FROM pg_tables WHERE schemaname = 'app'"),
	}
	snapshot, _, err := inspect.Snapshot(t.Context(), in.Conn(t), request)
	if err != nil {
		t.Fatal(err)
	}
	return snapshot
}

// reachCodes returns the sorted codes of verify's findings in the groups reach and indexes, without
// those of severity info.
func reachCodes(t *testing.T, in *kit.Installed, snapshot *catalog.Snapshot) []string {
	t.Helper()
	report, err := verifier.Verify(t.Context(), in.Conn(t), in.File, nil, verifier.Options{Snapshot: snapshot})
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, f := range report.Findings {
		code := f.Code.String()
		ours := code == "V026" || strings.HasPrefix(code, "V05") || strings.HasPrefix(code, "V09")
		if ours && f.Severity != verifier.Info && !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	slices.Sort(codes)
	return codes
}
