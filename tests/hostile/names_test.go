package hostile

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// namedObjects has guards for each catalog whose objects have a name in a schema. A guard keeps a
// row because of the object that a name in it means. made creates that object in schema :s. other
// creates an object of the same name with another meaning.
var namedObjects = map[string][]namesake{
	"pg_proc": {
		{"CREATE FUNCTION :s.marked(text) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true'", "marked(t.body)",
			"CREATE FUNCTION :s.marked(text) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT false'",
			"function :s.marked(text)"},
		{"", "upper(t.code) = 'KEEP'",
			"CREATE FUNCTION :s.upper(varchar) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT ''no'''",
			"function :s.upper(character varying)"},
		{"", "reverse (t.code) = 'peek'",
			"CREATE FUNCTION :s.reverse(varchar) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT ''no'''",
			"function :s.reverse(character varying)"},
	},
	"pg_operator": {
		{`
			CREATE FUNCTION :s.yes(text, text) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true';
			CREATE OPERATOR :s.=== (FUNCTION = :s.yes, LEFTARG = text, RIGHTARG = text)`,
			"t.body === 'x'",
			`
				CREATE FUNCTION :s.no(text, text) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT false';
				CREATE OPERATOR :s.=== (FUNCTION = :s.no, LEFTARG = text, RIGHTARG = text)`,
			"operator :s.===(text,text)"},
		{"", "t.code = 'keep'",
			`
				CREATE FUNCTION :s.never(varchar, varchar) RETURNS boolean
					LANGUAGE sql IMMUTABLE AS 'SELECT false';
				CREATE OPERATOR :s.= (FUNCTION = :s.never, LEFTARG = varchar, RIGHTARG = varchar)`,
			"operator :s.=(character varying,character varying)"},
		{"", "t.code IN ('keep', 'more')", "",
			"operator :s.=(character varying,character varying)"},
		{"", "t.code LIKE 'k%'",
			`
				CREATE FUNCTION :s.unlike(varchar, text) RETURNS boolean
					LANGUAGE sql IMMUTABLE AS 'SELECT false';
				CREATE OPERATOR :s.~~ (FUNCTION = :s.unlike, LEFTARG = varchar, RIGHTARG = text)`,
			"operator :s.~~(character varying,text)"},
	},
	"pg_type": {{"CREATE DOMAIN :s.tone AS text", "t.body::tone = 'keeping'",
		"CREATE DOMAIN :s.tone AS varchar(1)", "type :s.tone"}},
	"pg_class": {{`
		CREATE TABLE :s.marks (id int);
		INSERT INTO :s.marks VALUES (1);
		GRANT SELECT ON :s.marks TO public`,
		"(SELECT c.relpages FROM pg_class c WHERE c.oid = 'marks'::regclass) = 0 AND EXISTS (SELECT FROM " +
			"marks m WHERE m.id = t.id)",
		"CREATE TABLE :s.marks (id int); GRANT SELECT ON :s.marks TO public",
		"table :s.marks"}},
	"pg_collation": {{"CREATE COLLATION :s.folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
		"t.body = 'KEEPING' COLLATE folded", `CREATE COLLATION :s.folded FROM "C"`, "collation :s.folded"}},
	"pg_ts_config": {
		{"CREATE TEXT SEARCH CONFIGURATION :s.legal (COPY = simple)",
			"to_tsvector('legal', t.body) @@ 'keeping'::tsquery",
			"CREATE TEXT SEARCH CONFIGURATION :s.legal (COPY = english)", "text search configuration :s.legal"},
		{`CREATE TEXT SEARCH CONFIGURATION :s."Lé gal" (COPY = simple)`,
			`to_tsvector('"Lé gal"', t.body) @@ 'keeping'::tsquery`,
			`CREATE TEXT SEARCH CONFIGURATION :s."Lé gal" (COPY = english)`,
			`text search configuration :s."Lé gal"`},
	},
	"pg_ts_dict": {{"CREATE TEXT SEARCH DICTIONARY :s.plain (TEMPLATE = simple)",
		"ts_lexize('plain', t.body) = '{keeping}'",
		`CREATE TEXT SEARCH DICTIONARY :s.plain (TEMPLATE = simple,
			ACCEPT = false)`,
		"text search dictionary :s.plain"}},
	"pg_ts_parser": {{`
		RESET ROLE;
		CREATE TEXT SEARCH PARSER :s.breaking (START = prsd_start, GETTOKEN = prsd_nexttoken, END = prsd_end,
			LEXTYPES = prsd_lextype)`,
		`EXISTS (SELECT
			FROM ts_parse('breaking', t.body) p WHERE p.token = 'keeping')`,
		`
			RESET ROLE;
			CREATE TEXT SEARCH PARSER :s.breaking (START = prsd_start, GETTOKEN = prsd_nexttoken,
				END = prsd_end, LEXTYPES = prsd_lextype)`,
		"text search parser :s.breaking"}},
}

// namesake has a guard, the statements that create its object and another one of the same name, and
// that name in messages.
type namesake struct{ made, guard, other, object string }

// unreferencedCatalogs has catalogs whose objects no query refers to by name. A default conversion
// of pg_catalog always precedes others.
var unreferencedCatalogs = []string{"pg_constraint", "pg_conversion", "pg_extension", "pg_opclass", "pg_opfamily",
	"pg_statistic_ext", "pg_ts_template"}

// TestLaterObjectsOfTheSameName checks objects that are created later, with a name that a policy
// uses, in an earlier schema of search_path. The run takes no row that the policy keeps. The run
// and verify name the new object.
func TestLaterObjectsOfTheSameName(t *testing.T) {
	t.Parallel()
	yaml := "install: {search_path: [public, app], scheduler: none}\npolicies:\n"
	setup := `CREATE SCHEMA app; GRANT USAGE ON SCHEMA app TO public;
		CREATE TABLE app.note (id int PRIMARY KEY, at timestamptz NOT NULL, body text NOT NULL,
			code varchar(9) NOT NULL);`
	policy := func(kind string, i int) string { return fmt.Sprintf("%s_%d", strings.TrimPrefix(kind, "pg_"), i) }
	kinds := slices.Sorted(maps.Keys(namedObjects))
	for _, kind := range kinds {
		for i, n := range namedObjects[kind] {
			if n.made != "" {
				setup += strings.ReplaceAll(n.made, ":s", "app") + "; SET ROLE " + kit.Migrator + ";"
			}
			yaml += fmt.Sprintf("  %s: {table: app.note, due: {age: {column: at, older_than: 7 days}}, keep: {it: "+
				"%q}, then: [delete]}\n", policy(kind, i), "t.id = 1 AND "+n.guard)
		}
	}
	in := kit.Install(t, setup, yaml)
	all := pgtest.Column[string](t, in, `SELECT DISTINCT k.fktable::regclass::text FROM pg_get_catalog_foreign_keys() k
		JOIN pg_attribute a ON a.attrelid = k.fktable AND a.atttypid = 'name'::regtype
			WHERE k.pktable = 'pg_namespace'::regclass ORDER BY 1`)
	want := slices.Sorted(slices.Values(append(slices.Clone(kinds), unreferencedCatalogs...)))
	if !slices.Equal(all, want) {
		t.Errorf("PostgreSQL has objects with names in %v, the test has cases for %v", all, want)
	}
	in.Exec(t, `DO $$ BEGIN CREATE ROLE stranger;
		EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`)
	each := func(f func(policy string, n namesake)) {
		in.Exec(t, `
			TRUNCATE app.note;
			INSERT INTO app.note SELECT i, '2024-01-01', 'keeping', 'keep' FROM generate_series(1, 2) i`)
		for _, kind := range kinds {
			for i, n := range namedObjects[kind] {
				n.object = strings.ReplaceAll(n.object, ":s", "public")
				f(policy(kind, i), n)
			}
		}
	}
	left := func() []int { return pgtest.Column[int](t, in, "SELECT id FROM app.note ORDER BY 1") }
	for _, role := range []string{kit.Migrator, "stranger"} {
		in.Exec(t, "GRANT CREATE, USAGE ON SCHEMA public TO "+role)
		each(func(_ string, n namesake) {
			in.Exec(t, "SET ROLE "+role+"; "+strings.ReplaceAll(n.other, ":s", "public")+"; RESET ROLE")
		})
		in.Exec(t, "REVOKE CREATE ON SCHEMA public FROM "+role)
		findings := in.Finding(t, yaml, "V050")
		each(func(p string, n namesake) {
			o := in.Run(p, noon)
			found := o.State == "tripped" && (strings.Contains(findings, strings.Split(o.Message, ";")[0]) ||
				strings.Contains(o.Message, `belongs to role "stranger"`) && ownsSeveral(findings))
			if !slices.Contains(left(), 1) || o.State != "done" && !found || role == kit.Migrator &&
				!strings.Contains(findings, n.object+" is new") {
				t.Errorf("after %s of role %s the run ended %s (%s) and left rows %v",
					n.object, role, o.State, o.Message, left())
			}
		})
		if err := in.Operator("SELECT retention.accept_names('collation_0', 'it is to mean the new one')"); err != nil {
			t.Error(err)
		}
		if o := in.Run("collation_0", noon); (o.State == "done") != (role == kit.Migrator) {
			t.Errorf("after accept_names the run ended %s (%s)", o.State, o.Message)
		}
		in.Exec(t, `
			DROP SCHEMA public CASCADE;
			CREATE SCHEMA public AUTHORIZATION pg_database_owner;
			GRANT USAGE ON SCHEMA public TO public`)
		err := in.Operator("SELECT retention.accept_names('collation_0', 'it is to mean the old one again')")
		if err != nil {
			t.Error(err)
		}
		each(func(p string, n namesake) {
			in.Exec(t, "INSERT INTO app.note VALUES (2, '2024-01-01', 'keeping', 'keep') ON CONFLICT DO NOTHING")
			in.Done(p, noon)
			if got := left(); !slices.Equal(got, []int{1}) {
				t.Errorf("after %s was dropped, rows %v are left, want [1]", n.object, got)
			}
		})
	}
}
