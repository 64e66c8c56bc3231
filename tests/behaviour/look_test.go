package behaviour

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// lookTables has 12 rows of m, and 5 of them are due at noon: 8 to 12. The table l has two rows for
// each row of m. Every third row of l is seen.
const lookTables = `
	CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL, v int NOT NULL);
	CREATE TABLE l (id int PRIMARY KEY, m_id int NOT NULL, seen boolean NOT NULL);
	CREATE TABLE store (id int PRIMARY KEY, at timestamptz, v int);
	CREATE TABLE log (m_id int);
	CREATE TABLE total (v int PRIMARY KEY, n bigint);
	INSERT INTO m SELECT i, '` + noon + `'::timestamptz - i * interval '1 day', i % 2 FROM generate_series(1, 12) i;
	INSERT INTO l SELECT i, i % 12 + 1, i % 3 = 0 FROM generate_series(1, 24) i;`

// TestLookAtEachStep checks each kind of step in small batches and in one batch. The counts of
// blast_radius are those of the case, which were counted by hand, and they equal the difference
// between the tables before and after a run. Before the run, looks leave nothing.
func TestLookAtEachStep(t *testing.T) {
	t.Parallel()
	const keys = `CREATE TABLE c (id int PRIMARY KEY, m_id int REFERENCES m ON DELETE CASCADE);
		CREATE TABLE g (id int PRIMARY KEY, c_id int REFERENCES c ON DELETE SET NULL);
		INSERT INTO c SELECT i, i / 2 + 1 FROM generate_series(1, 20) i;
		INSERT INTO g SELECT i, i FROM generate_series(1, 20) i;`
	const months = `CREATE TABLE pt (at date NOT NULL) PARTITION BY RANGE (at);
		CREATE TABLE pt_1 PARTITION OF pt FOR VALUES FROM ('2024-01-01') TO ('2024-02-01');
		CREATE TABLE pt_2 PARTITION OF pt FOR VALUES FROM ('2024-02-01') TO ('2024-03-01');
		CREATE TABLE pt_3 PARTITION OF pt FOR VALUES FROM ('2024-03-01') TO ('2030-01-01');
		INSERT INTO pt VALUES ('2024-01-02'), ('2024-02-02'), ('2024-03-02');`
	of := func(then string) string {
		return "{table: m, due: {age: {column: at, older_than: 7 days}}, then: [" + then + "]}"
	}
	for name, c := range map[string]struct {
		schema, rule, want string
		unknown            string // part of the note on a count that only the run knows
		gone               string // tables that the run drops or detaches
	}{
		"delete":      {rule: of("delete"), want: "1 delete public.m 5"},
		"delete some": {rule: of(`delete: {where: "t.v = 1"}`), want: "1 delete public.m 2"},
		"cascades": {schema: keys, rule: of("delete: {cascades: [c, g]}"),
			want: "1 delete public.m 5; 1 set null public.g 7; 1 cascade public.c 7"},
		"archive": {rule: of("archive: {into: store}, delete"), want: "1 archive public.store 5; 2 delete public.m 5"},
		"insert": {rule: of("insert: {into: log, set: {m_id: t.id}}, delete"),
			want: "1 insert public.log 5; 2 delete public.m 5"},
		"emit": {rule: of("emit: {event: gone, payload: {id: t.id}}, delete"),
			want: "1 insert retention.event 5; 2 delete public.m 5"},
		"sums": {rule: of(`insert: {into: total, key: {v: t.v}, add: {n: "count(*)"}}, delete`),
			want: "1 insert public.total ?; 2 delete public.m 5"},
		"update": {rule: `{table: m, where: "v < 5", due: {age: {column: at, older_than: 7 days}},
			then: [update: {set: {v: "5"}}]}`, want: "1 update public.m 5"},
		"update of another table": {
			rule: of(`update: {table: l, as: l, where: "l.m_id = t.id", set: {seen: "true"}}, delete`),
			want: "1 update public.l 8; 2 delete public.m 5"},
		"delete from another table": {rule: of(`delete: {table: l, as: l, where: "l.m_id = t.id"}, delete`),
			want: "1 delete public.l 10; 2 delete public.m 5"},
		"copy from another table": {
			rule: of(`insert: {table: l, as: l, where: "l.m_id = t.id", into: log, set: {m_id: l.id}}, delete`),
			want: "1 insert public.log 10; 2 delete public.m 5"},
		"a step reads what another deletes": {
			rule: of(`delete: {table: l, as: l, where: "l.m_id = t.id AND NOT l.seen"},
				delete: {where: "NOT EXISTS (SELECT FROM l r WHERE r.m_id = t.id)"}`),
			want: "1 delete public.l 8; 2 delete public.m 4"},
		"sql": {rule: of(`sql: "INSERT INTO public.log SELECT id FROM batch", delete`),
			want: "1 sql public.log ?; 2 delete public.m 5", unknown: "contains the SQL statement"},
		"drop_table": {schema: `CREATE TABLE old (name text PRIMARY KEY, until date NOT NULL);
			CREATE TABLE one (id int); CREATE TABLE two (id int);
			INSERT INTO old VALUES ('public.one', '2024-01-01'), ('public.two', '2030-01-01');`,
			rule: "{table: old, due: {expires: {column: until}}, then: [{drop_table: name}, delete]}",
			want: "1 drop table public.one ?; 2 delete public.old 1", unknown: "rows are not counted", gone: "one"},
		"detach": {schema: months, rule: "{partitions_of: pt, due: {age: {older_than: 7 days}}, then: [detach]}",
			want: "1 detach public.pt_1 ?; 1 detach public.pt_2 ?", unknown: "rows are not counted"},
		"drop": {schema: months, rule: "{partitions_of: pt, due: {age: {older_than: 7 days}}, then: [drop]}",
			want:    "1 drop public.pt_1 ?; 1 drop public.pt_2 ?",
			unknown: "rows are not counted", gone: "pt_1, pt_2"},
	} {
		for _, batch := range []int{1, 2, 1000} {
			t.Run(fmt.Sprintf("%s, batches of %d", name, batch), func(t *testing.T) {
				t.Parallel()
				in := kit.Install(t, lookTables+c.schema, "policies: {p: "+c.rule+
					"}\njobs: {j: {schedule: '@daily', run: [p]}}")
				in.SetBatch(batch)
				before := traces(t, in)
				got := strings.Join(blastRadius(t, in, "'p', '"+noon+"'"), "; ")
				if got != c.want {
					t.Errorf("blast_radius says %q, want %q", got, c.want)
				}
				if diff := cmp.Diff(before, traces(t, in)); diff != "" {
					t.Errorf("blast_radius left traces (-before +after):\n%s", diff)
				}
				foreseen := outcomeIn(t, in, "retention.preview_job('j', '"+noon+"')")
				if diff := cmp.Diff(withoutSequences(before), withoutSequences(traces(t, in))); diff != "" {
					t.Errorf("preview_job left traces (-before +after):\n%s", diff)
				}
				for _, note := range in.CheckPreview(t, "p", noon, nil, func() { in.Done("p", noon) }) {
					if c.unknown == "" || !strings.Contains(note, c.unknown) {
						t.Errorf("blast_radius has the note %q, want %q", note, c.unknown)
					}
				}
				if took := outcomeIn(t, in, "retention.run"); foreseen != took {
					t.Errorf("preview_job says %s, and the run did %s", foreseen, took)
				}
				for _, table := range []string{"one", "two", "pt_1", "pt_2", "pt_3"} {
					created := strings.Contains(c.schema, "TABLE "+table+" ")
					exists := pgtest.Value[bool](t, in, "SELECT to_regclass($1) IS NOT NULL", table)
					if dropped := created && !exists; dropped != strings.Contains(c.gone, table) {
						t.Errorf("the run dropped %s: %v, want %v", table, dropped, !dropped)
					}
				}
			})
		}
	}
}

// outcomeIn returns what the one row of a relation says that a run does.
func outcomeIn(t *testing.T, in *kit.Installed, relation string) string {
	t.Helper()
	return pgtest.Value[string](t, in,
		"SELECT concat_ws(' ', state, taken, kept, related, cascaded, message) FROM "+relation)
}

// traces returns what blast_radius may not change: the rows of all tables, values of sequences,
// relations and prepared statements.
func traces(t *testing.T, in *kit.Installed) []string {
	t.Helper()
	tables := pgtest.Column[string](t, in, `SELECT format('SELECT %L || md5(coalesce(string_agg(t::text, '','' ORDER BY
			t::text), '''')) FROM %s t', c.oid::regclass || ' ', c.oid::regclass) FROM pg_class c
		WHERE c.relkind = 'r' AND c.relnamespace IN ('public'::regnamespace, 'retention'::regnamespace) ORDER BY 1`)
	list := pgtest.Column[string](t, in, `SELECT 'sequence ' || s FROM pg_sequences s
		UNION ALL SELECT 'relations ' || count(*) FROM pg_class
		UNION ALL SELECT 'prepared by SQL ' || count(*) FROM pg_prepared_statements p WHERE p.from_sql ORDER BY 1`)
	for _, query := range tables {
		list = append(list, pgtest.Value[string](t, in, query))
	}
	return list
}

// withoutSequences returns what a dry run may not change. A rollback leaves values of sequences.
func withoutSequences(traces []string) []string {
	return slices.DeleteFunc(slices.Clone(traces), func(line string) bool {
		return strings.HasPrefix(line, "sequence ")
	})
}

// TestLookSaysAtLeast checks that a look that stops at max_rows counts no more than these rows, and
// says that there are more.
func TestLookSaysAtLeast(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, lookTables, `policies:
  p:
    table: m
    due: {age: {column: at, older_than: 7 days}}
    then: [archive: {into: store}, delete: {table: l, as: l, where: "l.m_id = t.id"}, delete]`)
	for rows, want := range map[int]string{
		3: "archive 3 at least, because only 3 due rows were looked at; " +
			"delete 3 at least, because only 3 due rows were looked at; " +
			"delete 6 at least, because only 3 due rows were looked at",
		6: "archive 5 ; delete 10 ; delete 5 ",
	} {
		got := pgtest.Value[string](t, in, `SELECT string_agg(x, '; ' ORDER BY x) FROM (
			SELECT concat(effect, ' ', rows, ' ', note) AS x FROM retention.blast_radius('p', $1, max_rows => $2)) b`,
			noon, rows)
		if got != want {
			t.Errorf("max_rows %d: got %q, want %q", rows, got, want)
		}
	}
}

// TestDryRunInATransaction checks that preview_job leaves nothing in the transaction of its caller,
// also after an error, and that the transaction can go on and commit.
func TestDryRunInATransaction(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, lookTables+"CREATE SEQUENCE s; CREATE TABLE own (id int);"+
		"GRANT INSERT ON own TO retention_operator", `policies:
  archives: {table: m, due: {age: {column: at, older_than: 7 days}},
    then: [archive: {into: store}, emit: {event: gone, payload: {id: t.id}}, delete]}
  fails: {table: l, where: "m_id / (m_id - 1) > 0", then: [delete]}
jobs: {j: {schedule: '@daily', run: [archives, fails]}}`)
	before := traces(t, in)
	conn := in.Conn(t)
	pgtest.Exec(t, conn, "SET ROLE retention_operator; BEGIN")
	got := pgtest.Column[string](t, conn, `SELECT concat_ws(' ', policy, state, taken)
		FROM retention.preview_job('j', $1)`, noon)
	if want := []string{"archives done 5", "fails done 22"}; !cmp.Equal(got, want) {
		t.Errorf("preview_job says %q, want %q", got, want)
	}
	if pgtest.Value[int](t, conn, `SELECT count(*) FROM pg_locks
		WHERE pid = pg_backend_pid() AND mode LIKE 'Row%Exclusive%'
			AND relation IN ('public.m'::regclass, 'public.l'::regclass, 'public.store'::regclass)`) != 0 {
		t.Error("the transaction still has locks of the dry run")
	}
	if diff := cmp.Diff(withoutSequences(before), withoutSequences(traces(t, in))); diff != "" {
		t.Errorf("the dry run left traces (-before +after):\n%s", diff)
	}
	pgtest.Exec(t, conn, "INSERT INTO own VALUES (1)")
	pgtest.Exec(t, conn, "COMMIT")
	in.Exec(t, "TRUNCATE own")
	if diff := cmp.Diff(withoutSequences(before), withoutSequences(traces(t, in))); diff != "" {
		t.Errorf("after COMMIT there are traces (-before +after):\n%s", diff)
	}
}

// TestLookAtAnInstance checks steps of a policy for each schema: blast_radius and holds on other
// tables use the functions of the instance.
func TestLookAtAnInstance(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, tenants("tenant_a", "tenant_b"), `
each: {each_tenant: {schemas: "tenant_*"}}
policies:
  messages:
    table: each_tenant.message
    due: {age: {column: at, older_than: 7 days}}
    then:
      - delete: {table: each_tenant.pin, as: pin, where: "pin.message_id = t.id"}
      - delete: {cascades: [each_tenant.reaction]}
jobs: {hourly: {schedule: "@hourly", run: [messages]}}`)
	in.Done("messages@tenant_a", noon)
	in.Exec(t, `INSERT INTO tenant_a.message SELECT n, '`+noon+`'::timestamptz - n * interval '1 day'
			FROM generate_series(8, 9) n;
		INSERT INTO tenant_a.pin VALUES (8), (9)`)
	hold(t, in, "'tenant_a.pin', '9', 'case 9'")
	const want = "1 delete tenant_a.pin 1; 2 delete tenant_a.message 1"
	if got := strings.Join(blastRadius(t, in, "'messages@tenant_a', '"+noon+"'"), "; "); got != want {
		t.Errorf("blast_radius says %q, want %q", got, want)
	}
	if o := in.Done("messages@tenant_a", noon); o.Taken != 1 || o.Kept["hold"] != 1 || o.Related["tenant_a.pin"] != 1 {
		t.Errorf("the run took %d rows and kept %v, and changed %v of other tables", o.Taken, o.Kept, o.Related)
	}
}
