package tests

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"pgretain/internal/catalog"
	"pgretain/internal/inspect"
	"pgretain/tests/pgtest"
)

var snapshotTemplate = pgtest.Template("snapshot", func(ctx context.Context, conn *pgx.Conn) error {
	sql, err := os.ReadFile("testdata/snapshot_schema.sql")
	if err != nil {
		return err
	}
	_, err = conn.PgConn().Exec(ctx, string(sql)).ReadAll()
	return err
})

// snapshot takes a snapshot in a session whose settings change how PostgreSQL displays names and
// values.
func snapshot(t *testing.T, db *pgtest.DB, tables ...string) (*catalog.Snapshot, []string) {
	t.Helper()
	conn := db.Conn(t)
	pgtest.Exec(t, conn, "SET TimeZone = 'Asia/Kathmandu'; SET DateStyle = 'German'; SET search_path = app, public")
	request := inspect.Request{Tables: tables, SearchPath: []string{"app", "public"}, Runtime: "retention"}
	s, unknown, err := inspect.Snapshot(t.Context(), conn, request)
	if err != nil {
		t.Fatal(err)
	}
	return s, unknown
}

func tableNames(s *catalog.Snapshot) []string {
	var names []string
	for _, t := range s.Tables {
		names = append(names, t.Schema+"."+t.Name)
	}
	return names
}

func equal(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestSnapshotReach(t *testing.T) {
	t.Parallel()
	db := snapshotTemplate.Database(t)
	for _, c := range []struct {
		name   string
		tables []string
		want   []string
	}{
		{"every action, self-reference, not what it refers to", []string{"app.root"}, []string{
			"app.child_cascade", "app.child_default", "app.child_no_action", "app.child_restrict", "app.child_set_null",
			"app.grand_cascade", "app.grand_default", "app.grand_set_null", "app.root"}},
		{"partitions, referenced and referencing", []string{"app.event"}, []string{
			"app.detail", "app.detail_1", "app.event", "app.event_1", "app.event_2"}},
		{"one partition: its parent, but not its siblings", []string{"app.event_1"}, []string{
			"app.detail", "app.detail_1", "app.event", "app.event_1"}},
		{"inheritance child", []string{"app.base"}, []string{"app.base", "app.derived"}},
		{"inheritance parent", []string{"app.derived"}, []string{"app.base", "app.derived"}},
		{"view", []string{"app.seen"}, []string{"app.seen"}},
		{"a table of ours that is named", []string{"retention.note"}, []string{"retention.note"}},
		{"nothing", nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, unknown := snapshot(t, db, c.tables...)
			equal(t, "tables", c.want, tableNames(s))
			equal(t, "unknown", []string(nil), unknown)
		})
	}
}

func TestSnapshotNames(t *testing.T) {
	t.Parallel()
	db := snapshotTemplate.Database(t)
	hostile := `Hostile "Schema" ü.select "from" where; --`
	s, unknown := snapshot(t, db, "derived", "nowhere", "other.root", "root_age", hostile, "public.ROOT")
	equal(t, "unknown", []string{"nowhere", "other.root", "root_age", "public.ROOT"}, unknown)
	equal(t, "tables", []string{hostile, "app.base", "app.derived"}, tableNames(s))
	table := s.Table(hostile)
	equal(t, "columns", []catalog.Column{
		{Name: "Größe in m²", Type: "integer", NotNull: true},
		{Name: "a.b", Type: "timestamp with time zone"},
		{Name: "x23456789_123456789_123456789_123456789_123456789_123456789_123", Type: "text"},
	}, table.Columns)
	equal(t, "primary key", []string{"Größe in m²"}, table.PrimaryKey)
	equal(t, "index columns", []string{"a.b"}, table.Indexes[0].Columns)
}

// TestSnapshotOfPostgreSQLsOwn checks that a snapshot does not contain system tables. A name that
// looks like one but does not exist is unknown.
func TestSnapshotOfPostgreSQLsOwn(t *testing.T) {
	t.Parallel()
	db := snapshotTemplate.Database(t)
	db.Exec(t, "CREATE TABLE app.pg_own (id int PRIMARY KEY)")
	s, unknown := snapshot(t, db, "pg_class", "pg_catalog.pg_class", "information_schema.tables", "pg_own",
		"pg_classes", "pg_catalog.pg_classes", "tables")
	equal(t, "unknown", []string{"pg_classes", "pg_catalog.pg_classes", "tables"}, unknown)
	equal(t, "tables", []string{"app.pg_own"}, tableNames(s))
}

func TestSnapshotAmbiguousName(t *testing.T) {
	t.Parallel()
	db := snapshotTemplate.Database(t)
	_, _, err := inspect.Snapshot(t.Context(), db.Conn(t), inspect.Request{Tables: []string{"a.b.c"}})
	if err == nil || !strings.Contains(err.Error(), `two tables have the name "a.b.c"`) {
		t.Errorf("snapshot of a.b.c: %v, want an error that two tables match", err)
	}
}

func TestSnapshotTable(t *testing.T) {
	t.Parallel()
	s, _ := snapshot(t, snapshotTemplate.Database(t), "root", "owner")
	self := catalog.ForeignKey{Name: "root_parent_id_fkey", Table: "app.root", Columns: []string{"parent_id"},
		RefTable: "app.root", RefColumns: []string{"id"}, OnDelete: "set null"}
	child := func(table, action string) catalog.ForeignKey {
		return catalog.ForeignKey{Name: table + "_root_id_fkey", Table: "app." + table, Columns: []string{"root_id"},
			RefTable: "app.root", RefColumns: []string{"id"}, OnDelete: action}
	}
	equal(t, "table", &catalog.Table{
		Schema: "app", Name: "root", Kind: "table", RowSecurity: true, PrimaryKey: []string{"id"},
		Columns: []catalog.Column{
			{Name: "id", Type: "bigint", NotNull: true, Identity: "always"},
			{Name: "parent_id", Type: "bigint"},
			{Name: "owner_id", Type: "bigint", NotNull: true},
			{Name: "region", Type: "text", NotNull: true, Default: "'eu'::text"},
			{Name: "label", Type: "public.citext", Operators: "public"},
			{Name: "amount", Type: "numeric(10,2)", Default: "0"},
			{Name: "created_at", Type: "timestamp with time zone", NotNull: true, Default: "now()"},
			{Name: "since", Type: "timestamp with time zone",
				Default: "'2026-01-01 00:00:00+00'::timestamp with time zone"},
			{Name: "doubled", Type: "numeric", Default: "(amount * (2)::numeric)", Generated: true},
			{Name: "tags", Type: "text[]"},
		},
		Indexes: []catalog.Index{
			{Name: "root_age", Method: "btree", Valid: true,
				Definition: "CREATE INDEX root_age ON app.root USING btree (created_at DESC, id) INCLUDE (label)",
				Columns:    []string{"created_at", "id"}, Descending: []bool{true, false}, NullsFirst: []bool{true,
					false}},
			{Name: "root_expression", Method: "btree", Valid: true,
				Definition: "CREATE INDEX root_expression ON app.root USING btree (lower(region), parent_id NULLS " +
					"FIRST) " +
					"WHERE ((label OPERATOR(public.=) 'x'::public.citext) AND (since > '2026-01-01 " +
					"00:00:00+00'::timestamp with time zone))",
				Columns: []string{"", "parent_id"}, Descending: []bool{false, false}, NullsFirst: []bool{false, true},
				Predicate: "((label OPERATOR(public.=) 'x'::public.citext) AND (since > '2026-01-01 " +
					"00:00:00+00'::timestamp with time zone))"},
			{Name: "root_pkey", Method: "btree", Valid: true, Unique: true, Primary: true,
				Definition: "CREATE UNIQUE INDEX root_pkey ON app.root USING btree (id)",
				Columns:    []string{"id"}, Descending: []bool{false}, NullsFirst: []bool{false}},
			{Name: "root_tags", Method: "gin", Valid: true,
				Definition: "CREATE INDEX root_tags ON app.root USING gin (tags)",
				Columns:    []string{"tags"}, Descending: []bool{false}, NullsFirst: []bool{false}},
		},
		Referenced: []catalog.ForeignKey{
			child("child_cascade", "cascade"), child("child_default", "set default"), child("child_no_action",
				"no action"),
			child("child_restrict", "restrict"), child("child_set_null", "set null"), self,
		},
		Triggers: []catalog.Trigger{{Name: "root_veto",
			Definition: "CREATE TRIGGER root_veto BEFORE DELETE OR UPDATE ON app.root FOR EACH ROW EXECUTE FUNCTION " +
				"app.veto()"}},
	}, s.Table("app.root"))
	equal(t, "a key of two columns", catalog.ForeignKey{Name: "root_owner", Table: "app.root",
		Columns:  []string{"owner_id", "region"},
		RefTable: "app.owner", RefColumns: []string{"id",
			"region"}, OnDelete: "restrict", Deferrable: true}, s.Table("app.owner").Referenced[1])
}

// TestSnapshotPartitions checks that a snapshot lists only declared foreign keys. PostgreSQL copies
// a foreign key between partitioned tables to each partition, on both sides.
func TestSnapshotPartitions(t *testing.T) {
	t.Parallel()
	s, _ := snapshot(t, snapshotTemplate.Database(t), "app.event")
	event := s.Table("app.event")
	equal(t, "kind", "partitioned", event.Kind)
	equal(t, "children", []string{"app.event_1", "app.event_2"}, event.Children)
	equal(t, "parent", "app.event", s.Table("app.event_1").PartitionOf)
	type edge struct{ From, To string }
	edges := func(keys []catalog.ForeignKey) (list []edge) {
		for _, key := range keys {
			list = append(list, edge{key.Table, key.RefTable})
		}
		return list
	}
	equal(t, "references to the parent", []edge{{"app.detail", "app.event"}}, edges(event.Referenced))
	equal(t, "references to a partition", []edge(nil), edges(s.Table("app.event_1").Referenced))
	for _, table := range []*catalog.Table{event, s.Table("app.event_1")} {
		if len(table.Indexes) != 1 || !table.Indexes[0].Primary {
			t.Errorf("indexes of %s: %v, want the primary key only", table.Name, table.Indexes)
		}
	}
}

// TestSnapshotIsStable checks that a snapshot depends neither on the session's settings nor on
// privileges for schemas and tables.
func TestSnapshotIsStable(t *testing.T) {
	t.Parallel()
	db := snapshotTemplate.Database(t)
	db.Exec(t, pgtest.MakeRole("pgretain_test_nobody LOGIN"))
	request := inspect.Request{Tables: []string{"app.root", "app.event"}, SearchPath: []string{"public"},
		Runtime: "retention"}
	var files []string
	for _, settings := range []string{"SELECT 1", "SET search_path = app, retention; SET quote_all_identifiers = " +
		"on; SET IntervalStyle = iso_8601"} {
		conn := db.Conn(t, "pgretain_test_nobody")
		pgtest.Exec(t, conn, settings)
		s, _, err := inspect.Snapshot(t.Context(), conn, request)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, s.Text())
		back, err := catalog.Read(s.Text())
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "snapshot after writing and reading", s, back)
	}
	equal(t, "file", files[0], files[1])
	if !strings.HasSuffix(files[0], "}\n") {
		t.Error("the file does not end with a line break")
	}
}

// TestSnapshotValues checks that a snapshot has the labels of enums, and the texts that CHECK
// constraints allow. It leaves out constraints that some rows may violate, and columns in which
// different texts may be equal.
func TestSnapshotValues(t *testing.T) {
	t.Parallel()
	db := snapshotTemplate.Database(t)
	db.Exec(t, `
		CREATE COLLATION app.folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
		CREATE TYPE app.state AS ENUM ('open', 'done');
		ALTER TYPE app.state ADD VALUE 'it''s' BEFORE 'done';
		CREATE DOMAIN app.over_state AS app.state;
		CREATE DOMAIN app.size AS varchar(9) CHECK (VALUE IN ('s', 'l'));
		CREATE TABLE app.valued (
			a app.state, b app.over_state, c app.size,
			d text CHECK (d IN ('x', 'it''s')), e varchar(5) CHECK (e = 'x' OR e = 'y' OR e IS NULL),
			f text COLLATE "C" CHECK (f = 'x'), g text CHECK (g IN ('x', 'y')) CHECK (g IN ('y', 'z')),
			h text COLLATE app.folded CHECK (h = 'x'), i char(3) CHECK (i = 'x'), j citext CHECK (j = 'x'),
			k text CHECK (k IN ('x')) NO INHERIT, l text CHECK (l <> 'x'), m text CHECK (m = 'x' OR length(m) > 3),
			n text, o app.state[], p text, CHECK (n = 'x' OR d = 'x'));
		ALTER TABLE app.valued ADD CHECK (p = 'x') NOT VALID;`)
	s, _ := snapshot(t, db, "app.valued")
	want := map[string][]string{"a": {"open", "it's", "done"}, "b": {"open", "it's", "done"}, "c": {"s", "l"},
		"d": {"x", "it's"}, "e": {"x", "y"}, "f": {"x"}, "g": {"y"}}
	got := map[string][]string{}
	for _, c := range s.Table("app.valued").Columns {
		if list := append(c.Labels, c.Values...); list != nil {
			got[c.Name] = list
		}
	}
	equal(t, "labels and texts", want, got)
}
