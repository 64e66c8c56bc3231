package behaviour

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// notes creates a table for conditions. notesData inserts all combinations of a few values. Rows of
// three of the five ages are due.
const (
	notes     = "CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL, kind text, score numeric, flag boolean)"
	notesData = `INSERT INTO m
		SELECT row_number() OVER (), :as_of - d, k, s, f
		FROM unnest(ARRAY['6 days', '7 days', '7 days 00:00:00.000001', '8 days', '30 days']::interval[]) d,
			unnest(ARRAY['a', 'b', NULL]) k, unnest(ARRAY[1, 2, NULL]) s, unnest(ARRAY[true, false, NULL]) f;`
	aged = "at < :as_of - interval '7 days'"
)

func TestWhere(t *testing.T) {
	rule := func(where, due string) string {
		return `{table: "@.m", where: ` + where + `, ` + due + `then: [delete]}`
	}
	const age = "due: {age: {column: at, older_than: 7 days}}, "
	suite{scenarios: []scenario{
		{name: "simple", schema: notes, data: notesData, rule: rule(`"kind = 'a'"`, age),
			goes: "SELECT * FROM m WHERE kind = 'a' AND " + aged},
		{name: "boolean column", schema: notes, data: notesData, rule: rule(`flag`, age),
			goes: "SELECT * FROM m WHERE flag AND " + aged},
		{name: "is null", schema: notes, data: notesData, rule: rule(`"kind IS NULL OR t.score > 1"`, age),
			goes: "SELECT * FROM m WHERE (kind IS NULL OR score > 1) AND " + aged},
		{name: "not", schema: notes, data: notesData, rule: rule(`"NOT (kind = 'a' AND flag)"`, age),
			goes: "SELECT * FROM m WHERE NOT (kind = 'a' AND flag) AND " + aged},
		{name: "a function", schema: notes, data: notesData,
			rule: rule(`"upper(kind) = 'A' AND length(kind || 'x') = 2"`,
				age), goes: "SELECT * FROM m WHERE kind = 'a' AND " + aged},
		{
			name:   "a function that may do anything",
			schema: notes + "; CREATE FUNCTION odd(int) RETURNS boolean LANGUAGE sql STABLE AS 'SELECT $1 % 2 = 1'",
			data:   notesData,
			rule:   rule(`"@.odd(id)"`, age),
			goes:   "SELECT * FROM m WHERE id % 2 = 1 AND " + aged,
		},
		{name: "as_of", schema: notes, data: notesData,
			rule: rule(`"at < as_of - interval '8 days' OR t.at >= as_of - interval '7 days'"`,
				""), goes: "SELECT * FROM m WHERE at < :as_of - interval '8 days' OR at >= :as_of - interval '7 days'"},
		{name: "without due", schema: notes, data: notesData, rule: rule(`"score >= 2"`, ""),
			goes: "SELECT * FROM m WHERE score >= 2"},
		{name: "everything", schema: notes, data: notesData, rule: rule("true", ""), goes: "SELECT * FROM m"},
		{name: "nothing", schema: notes, data: notesData, rule: rule("false", ""), goes: "SELECT * FROM m WHERE false"},
		{name: "neither", schema: notes, data: notesData, rule: rule("null", ""), goes: "SELECT * FROM m WHERE false"},
		{name: "another table", schema: notes + "; CREATE TABLE closed (kind text, id int)",
			data: notesData + "INSERT INTO closed VALUES ('b', 9), ('b', 8), ('z', 7)",
			rule: rule(`"EXISTS (SELECT FROM @.closed x WHERE x.kind = t.kind)"`,
				age), goes: "SELECT * FROM m WHERE kind = 'b' AND " + aged},
		{name: "not in, with a NULL", schema: notes + "; CREATE TABLE open (kind text)",
			data: notesData + "INSERT INTO open VALUES ('b'), (NULL)",
			rule: rule(`"kind NOT IN (SELECT kind FROM @.open)"`, age), goes: "SELECT * FROM m WHERE false"},
		{name: "its own table", unforeseen: "later batches may take other rows", schema: notes, data: notesData,
			rule: rule(`"score < (SELECT max(x.score) FROM @.m x WHERE x.kind = t.kind)"`,
				age), goes: "SELECT * FROM m WHERE score = 1 AND kind IS NOT NULL AND " + aged},
		{
			name:   "any of two clocks",
			schema: "CREATE TABLE m (id int PRIMARY KEY, a timestamptz, b date)",
			data: `INSERT INTO m SELECT i, CASE WHEN i % 4 > 0 THEN :as_of - (i % 11) * interval '1 day' END,
				CASE WHEN i % 5 > 0 THEN '2024-03-31'::date - i % 13 END FROM generate_series(1, 150) i`,
			rule: `{table: "@.m", where: "id % 2 = 0",
				due: {any: [{age: {column: a, older_than: 7 days}},
				{expires: {column: b, grace: 9 days, nulls: due}}]}, then: [delete]}`,
			goes: `SELECT * FROM m WHERE id % 2 = 0
				AND (a < :as_of - interval '7 days' OR b < '2024-03-22' OR b IS NULL)`,
		},
	}}.run(t)
}

func TestGuards(t *testing.T) {
	rule := func(keep string) string {
		return `{table: "@.m", due: {age: {column: at, older_than: 7 days}}, keep: {` + keep + `}, then: [delete]}`
	}
	const cases = "; CREATE TABLE open_case (m_id int, closed boolean)"
	const casesData = notesData + `INSERT INTO open_case SELECT i, CASE i % 3 WHEN 0 THEN true WHEN 1 THEN false END
		FROM generate_series(1, 200, 2) i`
	suite{scenarios: []scenario{
		{name: "true, false and NULL", schema: notes, data: notesData, rule: rule(`starred: flag`),
			goes: "SELECT * FROM m WHERE flag = false AND " + aged, kept: map[string]int64{"starred": 54}},
		{name: "two guards, counted under the first", schema: notes, data: notesData,
			rule: rule(`high: "score > 1", starred: flag`),
			goes: "SELECT * FROM m WHERE flag = false AND score = 1 AND " + aged, kept: map[string]int64{"high": 54,
				"starred": 18}},
		{name: "the other way round", schema: notes, data: notesData, rule: rule(`starred: flag, high: "score > 1"`),
			goes: "SELECT * FROM m WHERE flag = false AND score = 1 AND " + aged, kept: map[string]int64{"high": 18,
				"starred": 54}},
		{name: "exists", schema: notes + cases, data: casesData,
			rule: rule(`open: "EXISTS (SELECT FROM @.open_case c WHERE c.m_id = t.id AND NOT closed)"`),
			goes: "SELECT * FROM m WHERE NOT (id % 6 = 1) AND " + aged},
		{name: "a bare name of the row in a sub-select", schema: notes + cases, data: casesData,
			rule: rule(`open: "EXISTS (SELECT FROM @.open_case c WHERE c.m_id = id)"`),
			goes: "SELECT * FROM m WHERE id % 2 = 0 AND " + aged},
		{name: "no row is NULL and keeps", schema: notes + cases, data: casesData,
			rule: rule(`open: "(SELECT closed FROM @.open_case c WHERE c.m_id = t.id)"`),
			goes: "SELECT * FROM m WHERE id % 6 = 1 AND " + aged},
		{name: "constants", schema: notes, data: notesData, rule: rule(`never: false, always: null`),
			goes: "SELECT * FROM m WHERE false", kept: map[string]int64{"always": 81}},
		{name: "as_of", schema: notes, data: notesData, rule: rule(`ancient: "at < as_of - interval '8 days'"`),
			goes: "SELECT * FROM m WHERE at >= :as_of - interval '8 days' AND " + aged},
		{
			name:   "newest of its kind",
			schema: notes,
			data:   notesData,
			rule: rule(`newest: {first: 1, per: [kind], order: "at DESC, id DESC"},
				few: {first: 2, order: score DESC}`),
			goes: `SELECT * FROM m WHERE at < :as_of - interval '7 days'
				AND id <> (SELECT id FROM m x WHERE x.kind IS NOT DISTINCT FROM m.kind
					ORDER BY at DESC, id DESC LIMIT 1)
				AND id NOT IN (SELECT id FROM m WHERE score = 2 ORDER BY id DESC LIMIT 2)`,
		},
		{name: "among", schema: notes, data: notesData,
			rule: rule(`last_good: {first: 2, per: [kind, score], among: flag, order: "at"}`),
			goes: `SELECT * FROM m WHERE at < :as_of - interval '7 days' AND NOT (flag IS TRUE AND
				(SELECT count(*) FROM m x WHERE x.flag AND x.kind IS NOT DISTINCT FROM m.kind
					AND x.score IS NOT DISTINCT FROM m.score AND (x.at, x.id) < (m.at, m.id)) < 2)`},
		{name: "ties", schema: notes, data: notesData,
			rule: rule(`oldest: {first: 1, per: [kind], order: "at", with_ties: true}`),
			goes: `SELECT * FROM m WHERE at < :as_of - interval '7 days' AND at > (SELECT min(at) FROM m)`},
		{
			name:   "thinning",
			schema: "CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL, sensor int)",
			data: `INSERT INTO m SELECT i, :as_of - interval '6 days' - (i / 2) * interval '5 hours',
				nullif(i % 3, 0) FROM generate_series(1, 60) i`,
			rule: rule(`one_a_day: {first: 1, per: [sensor, "date_trunc('day', at)"], order: "at DESC"}`),
			goes: `SELECT * FROM m WHERE at < :as_of - interval '7 days'
				AND EXISTS (SELECT FROM m x WHERE x.sensor IS NOT DISTINCT FROM m.sensor
					AND to_char(x.at, 'YYYYMMDD') = to_char(m.at, 'YYYYMMDD')
					AND (x.at > m.at OR x.at = m.at AND x.id > m.id))`,
		},
		{name: "no place without a first item", schema: notes, data: notesData,
			rule: rule(`best: {first: 3, per: [kind], order: "score DESC NULLS LAST, at"}`),
			goes: `SELECT * FROM m WHERE at < :as_of - interval '7 days' AND (score IS NULL OR
				(SELECT count(*) FROM m x WHERE x.kind IS NOT DISTINCT FROM m.kind
					AND (x.score > m.score OR x.score = m.score AND (x.at, x.id) < (m.at, m.id))) >= 3)`},
		{name: "a rank reads a guard", schema: notes, data: notesData,
			rule: rule(`starred: flag, newest: {first: 2, per: [kind], among: "NOT keep.starred", order: "at, id"}`),
			goes: `SELECT * FROM m WHERE at < :as_of - interval '7 days' AND flag = false AND
				(SELECT count(*) FROM m x WHERE x.flag = false AND x.kind IS NOT DISTINCT FROM m.kind
					AND (x.at, x.id) < (m.at, m.id)) >= 2`},
		{name: "a rank reads a rank", schema: notes, data: notesData,
			rule: rule(`top: {first: 2, order: "id"}, next: {first: 2, among: "NOT keep.top", order: id}`),
			goes: `SELECT * FROM m WHERE at < :as_of - interval '7 days' AND id > 4`},
	}}.run(t)
}

// TestKeptBecauseOfNull checks two columns of preview. The column kept counts all rows that a guard
// keeps. The column kept_null counts those of them for which the guard is NULL.
func TestKeptBecauseOfNull(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE m (id int PRIMARY KEY, state text, vip boolean);
		INSERT INTO m SELECT i, CASE WHEN i % 3 > 0 THEN 'open' END, CASE WHEN i % 4 > 1 THEN i % 4 = 3 END
			FROM generate_series(1, 24) i`,
		`policies: {p: {table: m, where: "id > 2", keep: {open: "state <> 'open'", vip: vip, even: "id % 2 = 0"},
			then: [delete]}}`)
	got := pgtest.Value[string](t, in, "SELECT kept::text || ' ' || kept_null::text FROM retention.preview('p')")
	want := pgtest.Value[string](t, in, `
		SELECT jsonb_build_object(
				'open', count(*) FILTER (WHERE state IS NULL),
				'vip', count(*) FILTER (WHERE state IS NOT NULL AND vip IS NOT FALSE),
				'even', count(*) FILTER (WHERE state IS NOT NULL AND NOT vip AND id % 2 = 0))::text
			|| ' ' || jsonb_build_object(
				'open', count(*) FILTER (WHERE state IS NULL),
				'vip', count(*) FILTER (WHERE state IS NOT NULL AND vip IS NULL))::text
		FROM m WHERE id > 2`)
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Rows of one table refer to each other, with ON DELETE CASCADE. A guard that keeps referenced rows
// makes each run take the rows to which no row refers. A row above a kept row stays. Without that
// guard, a cascade could delete a kept row, so the generator refuses the policy.
func TestGuardsAndCascadesToTheOwnTable(t *testing.T) {
	t.Parallel()
	const policy = `policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}},
		then: [delete: {cascades: [public.m]}], keep: {pinned: pinned%s}}}`
	const guard = `, referred_to: "EXISTS (SELECT FROM m c WHERE c.parent = t.id)"`
	in := kit.Prepare(t, `CREATE TABLE m (id int PRIMARY KEY, parent int REFERENCES m ON DELETE CASCADE,
		pinned boolean NOT NULL, at timestamptz NOT NULL DEFAULT '2024-01-01')`, fmt.Sprintf(policy, guard))
	if _, list := in.Compile(t, fmt.Sprintf(policy, "")); len(list) != 1 || list[0].Code.String() != "P065" {
		t.Errorf("without a guard: %v", list)
	}
	in.Migrate(t, fmt.Sprintf(policy, guard))
	in.Exec(t, `INSERT INTO m VALUES (1, NULL, false), (2, 1, false), (3, 2, true), (4, 2, false), (5, NULL, false),
		(6, 5, false), (7, 6, false)`)
	for range 3 { // each run takes one level
		in.Done("p", noon)
	}
	if diff := cmp.Diff([]string{"(1)", "(2)", "(3)"}, in.Rows("SELECT id FROM m ORDER BY id")); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}

const protectedAsOf = "2025-06-01 12:00:00+00"

// protectedSchema creates the tables of protectedCases. All rows of item are due. child, loose and
// ledger have one row for each row of item.
const protectedSchema = `
	CREATE TABLE item (id int PRIMARY KEY, state text NOT NULL DEFAULT 'new',
		at timestamptz NOT NULL DEFAULT '2025-01-01 00:00:00+00');
	CREATE TABLE child (id int PRIMARY KEY, item_id int REFERENCES item ON DELETE CASCADE, note text);
	CREATE TABLE loose (id int PRIMARY KEY, item_id int, note text);
	CREATE TABLE ledger (id int PRIMARY KEY, item_id int DEFAULT 1, child_id int, loose_id int);
	CREATE TABLE kin (id int PRIMARY KEY, state text, at timestamptz);
	CREATE TABLE old (id int PRIMARY KEY, state text, at timestamptz);
	CREATE TABLE mark (id int NOT NULL);
	CREATE TABLE part (id int, at timestamptz NOT NULL, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
	CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM ('2025-01-01 00:00:00+00') TO ('2025-02-01 00:00:00+00');
	CREATE TABLE part_2 PARTITION OF part FOR VALUES FROM ('2025-02-01 00:00:00+00') TO ('2025-03-01 00:00:00+00');
	CREATE TABLE part_3 PARTITION OF part FOR VALUES FROM ('2025-03-01 00:00:00+00') TO ('2025-12-01 00:00:00+00');
	INSERT INTO item SELECT i FROM generate_series(1, 6) i;
	INSERT INTO child SELECT i, i FROM generate_series(1, 6) i;
	INSERT INTO loose SELECT i, i FROM generate_series(1, 6) i;
	INSERT INTO ledger SELECT i, i, i, i FROM generate_series(1, 6) i;
	INSERT INTO old SELECT i, 'old' FROM generate_series(1, 3) i;
	INSERT INTO mark VALUES (0);
	INSERT INTO part SELECT i, '2025-01-01 00:00:00+00'::timestamptz + i * interval '20 days'
		FROM generate_series(0, 5) i;`

var protectedTables = []string{"item", "child", "loose", "ledger", "kin", "old", "mark", "part", "part_1", "part_2"}

const (
	itemAge          = `table: item, due: {age: {column: at, older_than: 7 days}}, then: `
	deleteItems      = itemAge + `[delete: {cascades: [child]}]`
	deleteLooseBySQL = itemAge + `[{sql: "DELETE FROM public.loose l USING batch b WHERE l.item_id = b.id"},
		{delete: {cascades: [child]}}]`
	updateItems = itemAge + `[{update: {set: {state: "'s' || id", at: as_of}}}]`
	updateLoose = itemAge + `[{update: {table: loose, as: l, where: "l.item_id = t.id", set: {note: "'gone'"}}},
		{delete: {cascades: [child]}}]`
	updateLooseBySQL = itemAge + `[
		{sql: "UPDATE public.loose l SET note = 'gone' || l.id FROM batch b WHERE l.item_id = b.id"},
		{delete: {cascades: [child]}}]`
	addPairKey = `ALTER TABLE item ADD UNIQUE (id, state);
		ALTER TABLE ledger ADD st text;
		UPDATE ledger SET st = 'new';
		ALTER TABLE ledger ADD FOREIGN KEY (item_id, st) REFERENCES item (id, state) ON UPDATE `
	addNoteKey = `UPDATE loose SET note = id;
		ALTER TABLE loose ADD UNIQUE (note);
		ALTER TABLE ledger ADD st text;
		UPDATE ledger SET st = id;
		ALTER TABLE ledger ADD FOREIGN KEY (st) REFERENCES loose (note) ON UPDATE `
	protect = "UPDATE retention.install SET protect = ARRAY['public."
)

// protectedCases lists policies, and a change after the install. The change adds a foreign key to a
// protected table, or protects a table of the policy. The field "message" is a part of the run's
// message.
var protectedCases = map[string]struct{ rule, change, message string }{
	"cascade": {
		rule:    deleteItems,
		change:  "ALTER TABLE ledger ADD FOREIGN KEY (item_id) REFERENCES item ON DELETE CASCADE",
		message: "public.item -> public.ledger",
	},
	"set null": {
		rule:    deleteItems,
		change:  "ALTER TABLE ledger ADD FOREIGN KEY (item_id) REFERENCES item ON DELETE SET NULL",
		message: "public.item -> public.ledger",
	},
	"set default": {
		rule:    deleteItems,
		change:  "ALTER TABLE ledger ADD FOREIGN KEY (item_id) REFERENCES item ON DELETE SET DEFAULT",
		message: "public.item -> public.ledger",
	},
	"cascade two deep": {
		rule:    deleteItems,
		change:  "ALTER TABLE ledger ADD FOREIGN KEY (child_id) REFERENCES child ON DELETE CASCADE",
		message: "public.child -> public.ledger",
	},
	"set null two deep": {
		rule:    deleteItems,
		change:  "ALTER TABLE ledger ADD FOREIGN KEY (child_id) REFERENCES child ON DELETE SET NULL",
		message: "public.child -> public.ledger",
	},
	"cascade from a related one": {
		rule: itemAge + `[{delete: {table: loose, as: l, where: "l.item_id = t.id"}},
			{delete: {cascades: [child]}}]`,
		change:  "ALTER TABLE ledger ADD FOREIGN KEY (loose_id) REFERENCES loose ON DELETE CASCADE",
		message: "public.loose -> public.ledger",
	},
	"cascade from a statement's": {
		rule:    deleteLooseBySQL,
		change:  "ALTER TABLE ledger ADD FOREIGN KEY (loose_id) REFERENCES loose ON DELETE CASCADE",
		message: "public.loose -> public.ledger",
	},
	"set null from a statement's": {
		rule:    deleteLooseBySQL,
		change:  "ALTER TABLE ledger ADD FOREIGN KEY (loose_id) REFERENCES loose ON DELETE SET NULL",
		message: "public.loose -> public.ledger",
	},
	"update cascades":     {updateItems, addPairKey + "CASCADE", "public.item -> public.ledger"},
	"update sets null":    {updateItems, addPairKey + "SET NULL", "public.item -> public.ledger"},
	"update sets default": {updateItems, addPairKey + "SET DEFAULT", "public.item -> public.ledger"},
	"update cascades two deep": {
		rule: updateItems,
		change: `ALTER TABLE item ADD UNIQUE (id, state);
			ALTER TABLE kin ADD UNIQUE (state),
				ADD FOREIGN KEY (id, state) REFERENCES item (id, state) ON UPDATE CASCADE;
			ALTER TABLE ledger ADD st text REFERENCES kin (state) ON UPDATE CASCADE`,
		message: "public.item -> public.kin",
	},
	"related update cascades":     {updateLoose, addNoteKey + "CASCADE", "public.loose -> public.ledger"},
	"statement's update cascades": {updateLooseBySQL, addNoteKey + "CASCADE", "public.loose -> public.ledger"},
	"set null goes on": {
		rule: deleteItems,
		change: `ALTER TABLE child DROP CONSTRAINT child_item_id_fkey, ADD UNIQUE (item_id),
				ADD FOREIGN KEY (item_id) REFERENCES item ON DELETE SET NULL;
			ALTER TABLE ledger ADD FOREIGN KEY (item_id) REFERENCES child (item_id) ON UPDATE CASCADE`,
		message: "public.item -> public.child",
	},
	"delete":   {deleteItems, protect + "item']", `"public.item"`},
	"cascades": {deleteItems, protect + "child']", `"public.child"`},
	"update":   {itemAge + `[{update: {set: {at: as_of}}}]`, protect + "item']", `"public.item"`},
	"related delete": {
		rule: itemAge + `[{delete: {table: loose, as: l, where: "l.item_id = t.id"}},
			{delete: {cascades: [child]}}]`,
		change:  protect + "loose']",
		message: `"public.loose"`,
	},
	"related update": {
		rule: itemAge + `[{update: {table: loose, as: l, where: "l.item_id = t.id", set: {note: "'gone'"}}},
			{delete: {cascades: [child]}}]`,
		change:  protect + "loose']",
		message: `"public.loose"`,
	},
	"statement that deletes": {deleteLooseBySQL, protect + "loose']", `"public.loose"`},
	"statement that updates": {
		rule: itemAge + `[{sql: "UPDATE public.loose l SET note = 'gone' FROM batch b WHERE l.item_id = b.id"},
			{delete: {cascades: [child]}}]`,
		change:  protect + "loose']",
		message: `"public.loose"`,
	},
	"archive that replaces": {itemAge + `[{archive: {into: old, existing: replace}}, {delete: {cascades: [child]}}]`,
		protect + "old']", `"public.old"`},
	"watermark": {
		rule: `table: item, due: {position: {column: id, up_to: "SELECT 4",
			watermark: {table: mark, column: id}}}, then: [{insert: {into: kin, set: {id: id}}}]`,
		change:  protect + "mark']",
		message: `"public.mark"`,
	},
	"detach": {`partitions_of: part, due: {age: {older_than: 2 months}}, then: [detach]`,
		protect + "part']", `"public.part"`},
	"drop": {`partitions_of: part, due: {age: {older_than: 2 months}}, then: [drop]`,
		protect + "part']", `"public.part"`},
	"drop of a partition": {`partitions_of: part, due: {age: {older_than: 2 months}}, then: [drop]`,
		protect + "part_2']", `"public.part"`},
	"delete from above": {`table: part, due: {age: {column: at, older_than: 7 days}}, then: [delete]`,
		protect + "part_1']", `"public.part"`},
	"delete of an inheriting table's rows": {
		rule: itemAge + `[{delete: {table: kin, as: k, where: "k.id = t.id"}}, {delete: {cascades: [child]}}]`,
		change: `CREATE TABLE mother (id int);
			ALTER TABLE kin ALTER id SET NOT NULL;
			ALTER TABLE kin INHERIT mother;
			` + protect + "mother']",
		message: `"public.kin"`,
	},
}

// TestProtectedAfterInstall checks that a run trips before it changes a row if a table of the
// policy became protected. It also trips if a new foreign key reaches a protected table.
func TestProtectedAfterInstall(t *testing.T) {
	t.Parallel()
	for name, c := range protectedCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			yaml := "policies: {p: {" + c.rule + "}}"
			if !strings.Contains(c.change, "protect") {
				yaml = "protect: [ledger]\n" + yaml
			}
			in := kit.Install(t, protectedSchema, yaml)
			if due, _ := in.Count("p", protectedAsOf); due == 0 {
				t.Fatal("no row is due, so the test would show nothing")
			}
			in.Exec(t, c.change)
			before := protectedRows(in)
			o := in.Run("p", protectedAsOf)
			if o.State != "tripped" || !strings.Contains(o.Message, c.message) ||
				strings.Contains(c.change, "protect") && !strings.Contains(o.Message, "protected") {
				t.Errorf("the run ended %s: %q, want a message with %q", o.State, o.Message, c.message)
			}
			if diff := cmp.Diff(before, protectedRows(in)); diff != "" {
				t.Errorf("the run changed rows (-before +after):\n%s", diff)
			}
		})
	}
}

// TestUpdateReachesUnnamed adds a foreign key after the install. The run trips if ON UPDATE would
// change rows of a table that the policy does not name, or of its own table. It does not trip if no
// step sets the referenced column, or if the key has no such action.
func TestUpdateReachesUnnamed(t *testing.T) {
	t.Parallel()
	const more = `;
		CREATE TABLE doc (id int PRIMARY KEY, code text UNIQUE, mail text UNIQUE, up text,
			at timestamptz NOT NULL DEFAULT '2025-01-01');
		INSERT INTO doc SELECT i, 'c' || i, 'm' || i, NULL FROM generate_series(1, 5) i;
		CREATE TABLE copy (id int PRIMARY KEY, doc text)`
	for name, c := range map[string]struct{ change, state, docs string }{
		"cascade": {
			change: `INSERT INTO copy SELECT id, mail FROM doc;
				ALTER TABLE copy ADD FOREIGN KEY (doc) REFERENCES doc (mail) ON UPDATE CASCADE`,
			state: "tripped",
			docs:  "m1 m2 m3 m4 m5",
		},
		"set null": {
			change: `INSERT INTO copy SELECT id, mail FROM doc;
				ALTER TABLE copy ADD FOREIGN KEY (doc) REFERENCES doc (mail) ON UPDATE SET NULL`,
			state: "tripped",
			docs:  "m1 m2 m3 m4 m5",
		},
		"another column": {
			change: `INSERT INTO copy SELECT id, code FROM doc;
				ALTER TABLE copy ADD FOREIGN KEY (doc) REFERENCES doc (code) ON UPDATE CASCADE`,
			state: "done",
			docs:  "x1 x2 x3 x4 x5",
		},
		"a key that refuses": {
			change: `INSERT INTO copy SELECT id, mail FROM doc WHERE id = 3;
				ALTER TABLE copy ADD FOREIGN KEY (doc) REFERENCES doc (mail)`,
			state: "done",
			docs:  "m3 x1 x2 x4 x5",
		},
		"the policy's own table": {
			change: `UPDATE doc SET up = 'm1' WHERE id = 2;
				ALTER TABLE doc ADD FOREIGN KEY (up) REFERENCES doc (mail) ON UPDATE CASCADE`,
			state: "tripped",
			docs:  "m1 m2 m3 m4 m5",
		},
		"only what deletes reach": {
			change: `INSERT INTO copy SELECT id, mail FROM doc;
				ALTER TABLE copy ADD FOREIGN KEY (doc) REFERENCES doc (mail) ON DELETE CASCADE ON UPDATE RESTRICT`,
			state: "failed",
			docs:  "m1 m2 m3 m4 m5",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, protectedSchema+more,
				`policies: {p: {table: doc, due: {age: {column: at, older_than: 7 days}},
					then: [{update: {set: {mail: "'x' || id", at: as_of}}}]}}`)
			in.Exec(t, c.change)
			before := in.Rows("SELECT * FROM copy ORDER BY id")
			stopped := pgtest.Value[string](t, in, `SELECT coalesce(stopped_by, '')
				FROM retention.preview('p', '`+protectedAsOf+"')")
			o := in.Run("p", protectedAsOf)
			if o.State != c.state || (stopped != "") != (c.state == "tripped") {
				t.Errorf("the run ended %s: %q; the preview had stopped_by = %q", o.State, o.Message, stopped)
			}
			if diff := cmp.Diff(before, in.Rows("SELECT * FROM copy ORDER BY id")); diff != "" {
				t.Errorf("the run changed another table (-before +after):\n%s", diff)
			}
			if docs := pgtest.Value[string](t, in, `SELECT string_agg(mail, ' ' ORDER BY mail)
				FROM doc`); docs != c.docs {
				t.Errorf("column mail has %s, want %s", docs, c.docs)
			}
		})
	}
}

// TestStatementThroughView checks a sql step that updates a table through a view. The columns that
// it sets belong to the view, which must not make the run fail.
func TestStatementThroughView(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, protectedSchema+"; CREATE VIEW seen AS SELECT * FROM loose",
		"policies: {p: {"+itemAge+`[{sql: "UPDATE public.seen l SET note = 'gone' FROM batch b WHERE l.item_id = b.id"},
			{delete: {cascades: [child]}}]}}`)
	in.Exec(t, "GRANT SELECT, UPDATE ON seen TO retention_worker; GRANT SELECT, UPDATE ON loose TO PUBLIC")
	if o := in.Run("p", protectedAsOf); o.State != "done" || o.Taken != 6 {
		t.Errorf("the run ended %s and took %d rows, want done and 6: %+v", o.State, o.Taken, o)
	}
}

// TestProtectedTakesRows checks that steps can insert and archive into protected tables.
func TestProtectedTakesRows(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, protectedSchema, `
protect: [kin, old, ledger]
policies:
  p:
    `+"table: item\n    due: {age: {column: at, older_than: 7 days}}"+`
    then:
      - insert: {into: kin, key: {id: "id % 2"}, max: {at: "max(at)"}, set: {state: state}}
      - insert: {into: ledger, set: {id: "id + 100", item_id: id}}
      - archive: {into: old, existing: keep}
      - delete: {cascades: [child]}
`)
	if o := in.Done("p", protectedAsOf); o.Taken != 6 {
		t.Errorf("took %d rows, want 6: %+v", o.Taken, o)
	}
	for query, want := range map[string][]string{
		"SELECT id, state FROM kin": {"(0,new)", "(1,new)"},
		"SELECT id, state FROM old": {"(1,old)", "(2,old)", "(3,old)", "(4,new)",
			"(5,new)", "(6,new)"},
		"SELECT count(*), count(*) FILTER (WHERE id > 100) FROM ledger": {"(12,6)"},
		"SELECT count(*) FROM item":                                     {"(0)"},
	} {
		if diff := cmp.Diff(want, in.Rows(query)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
}

func protectedRows(in *kit.Installed) map[string][]string {
	rows := map[string][]string{}
	for _, table := range protectedTables {
		rows[table] = in.Rows("SELECT tableoid::regclass, x.* FROM " + table + " x")
	}
	return rows
}
