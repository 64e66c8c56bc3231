package roles

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"pgretain/tests/fixture"
	"pgretain/tests/pgtest"
)

// persons lists the roles that are tested, with their letter in a decision. The stranger has no
// letter.
var persons = []struct{ letter, name string }{
	{"r", runner}, {"o", operator}, {"v", viewer}, {"a", app}, {"-", stranger},
}

// generated lists the policies whose names are prefixes of generated functions.
var generated = []string{"notes", "marked", "capped", "plain", "trades", "tracked", "events", "detached",
	"sold@shop_anna", "sold"}

// TestEverybodyMayDoWhatWasDecided checks for each role and each object of the runtime's schema
// that the role may do what was decided, and nothing else.
func TestEverybodyMayDoWhatWasDecided(t *testing.T) {
	t.Parallel()
	db := pgtest.CronServer(t)
	db.Exec(t, people)
	s := newStage(t, db, everythingSchema, everything)
	if err := s.bootstrap(super); err != nil {
		t.Fatal(err)
	}
	s.as(super, generous)
	before := pgtest.Column[string](t, db, privileges)
	s.install(super)
	if diff := cmp.Diff(defaultsOf(before), defaultsOf(pgtest.Column[string](t, db, privileges))); diff != "" {
		t.Errorf("the migrations changed default privileges:\n%s", diff)
	}
	s.enrol(super)
	t.Run("routines", func(t *testing.T) { routines(s.with(t)) })
	t.Run("relations", func(t *testing.T) { relations(s.with(t)) })
	t.Run("application", func(t *testing.T) { applicationTables(s.with(t)) })
	t.Run("roles", func(t *testing.T) { roleAttributes(s.with(t)) })
	t.Run("commands", func(t *testing.T) { commands(s.with(t)) })
	t.Run("operator", func(t *testing.T) { operatorAtWork(s.with(t)) })
	t.Run("application roles", func(t *testing.T) { applicationAtWork(s.with(t)) })
	t.Run("text", func(t *testing.T) { hostileText(s.with(t)) })
	t.Run("foreign tables", func(t *testing.T) { foreignTables(s.with(t)) })
	t.Run("shadows", func(t *testing.T) { shadows(s.with(t)) })
	t.Run("definers", func(t *testing.T) { definers(s.with(t)) })
	t.Run("verify", func(t *testing.T) { s.with(t).must(viewer, "verify") })
}

// generous sets default privileges that grant everything on new objects to PUBLIC and to two roles.
const generous = `
	DO $$ DECLARE v_role text; v_what text; BEGIN
		FOREACH v_role IN ARRAY '{shop_deploy,retention_owner,retention_runner}'::text[] LOOP
			FOREACH v_what IN ARRAY '{TABLES,SEQUENCES,FUNCTIONS,TYPES,SCHEMAS}'::text[] LOOP
				EXECUTE format(
					'ALTER DEFAULT PRIVILEGES FOR ROLE %I GRANT ALL ON %s TO PUBLIC, stranger, shop_app',
					v_role, v_what);
			END LOOP;
			EXECUTE format('ALTER DEFAULT PRIVILEGES FOR ROLE %I REVOKE ALL ON TABLES FROM bert', v_role);
			EXECUTE format('ALTER DEFAULT PRIVILEGES FOR ROLE %I GRANT EXECUTE ON FUNCTIONS TO retention_viewer',
				v_role);
		END LOOP;
	END $$`

// defaultsOf returns the lines about default privileges. It sorts the words of each line, because
// the order of an ACL's entries has no meaning.
func defaultsOf(lines []string) []string {
	var list []string
	for _, line := range lines {
		if strings.HasPrefix(line, "defaults ") {
			words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" {},", r) })
			slices.Sort(words)
			list = append(list, strings.Join(words, " "))
		}
	}
	slices.Sort(list)
	return list
}

// kind returns the name of a generated object with <policy> instead of the policy's name.
func kind(name string) string {
	if name == "kinds_report" {
		return "<report>_report"
	}
	if name == "capped_c" {
		return "<policy>_<join>"
	}
	for _, policy := range generated {
		if rest, found := strings.CutPrefix(name, policy+"_"); found {
			return "<policy>_" + rest
		}
	}
	return name
}

// decided maps the name of each object to the letters of the roles that may use it.
func decided(lists ...[]decision) map[string]string {
	who := map[string]string{}
	for _, list := range lists {
		for _, d := range list {
			who[d.name] = d.who
		}
	}
	return who
}

// routines compares the decisions with the privileges in the catalog, and with calls of each
// function.
func routines(s *stage) {
	want := decided(calls, inner)
	for _, name := range closed {
		want[name] = ""
	}
	type routine struct {
		Name, Call, Kind string
		Open, Strict     bool
		May              []string
	}
	rows, err := s.Query(s.t.Context(), `
		SELECT p.proname::text,
		       format('retention.%I(%s)', p.proname, (
		           SELECT string_agg('NULL::' || replace(format_type(a, NULL), 'anyelement', 'integer'),
		                             ', ' ORDER BY n)
		           FROM unnest(p.proargtypes) WITH ORDINALITY x (a, n))),
		       p.prokind::text,
		       EXISTS (SELECT FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) x WHERE x.grantee = 0),
		       p.proisstrict,
		       ARRAY(SELECT w FROM unnest($1::text[]) WITH ORDINALITY x (w, n)
		             WHERE has_function_privilege(w, p.oid, 'EXECUTE')
		             ORDER BY n)
		FROM pg_proc p
		WHERE p.pronamespace = 'retention'::regnamespace
		ORDER BY p.proname`, names())
	if err != nil {
		s.t.Fatal(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[routine])
	if err != nil || len(found) < 100 {
		s.t.Fatalf("found %d routines, want at least 100: %v", len(found), err)
	}
	sessions := s.sessions()
	seen := map[string]bool{}
	for _, f := range found {
		seen[kind(f.Name)] = true
		who, known := want[kind(f.Name)]
		if !known {
			s.t.Errorf("decisions_test.go has no decision for %s", f.Call)
			continue
		}
		if f.Open {
			s.t.Errorf("PUBLIC has EXECUTE on %s", f.Call)
		}
		if diff := cmp.Diff(may(who), f.May); diff != "" && !(len(f.May) == 0 && who == "") {
			s.t.Errorf("roles with EXECUTE on %s (-decided +got):\n%s", f.Call, diff)
		}
		for _, p := range persons {
			// PostgreSQL does not call a strict function if an argument is NULL.
			if strings.Contains(who, p.letter) || f.Kind != "f" || f.Strict {
				continue
			}
			if _, err := sessions[p.name].Exec(s.t.Context(), "SELECT "+f.Call); code(err) != "42501" {
				s.t.Errorf("%s calls %s: %v, want SQLSTATE 42501", p.name, f.Call, err)
			}
		}
	}
	for name := range want {
		if !seen[name] {
			s.t.Errorf("decisions_test.go lists function %s, which does not exist", name)
		}
	}
}

func names() []string {
	var list []string
	for _, p := range persons {
		list = append(list, p.name)
	}
	return list
}

// may returns the names of the roles of these letters.
func may(who string) []string {
	list := []string{}
	for _, p := range persons {
		if strings.Contains(who, p.letter) {
			list = append(list, p.name)
		}
	}
	return list
}

func (s *stage) sessions() map[string]*pgx.Conn {
	all := map[string]*pgx.Conn{}
	for _, p := range persons {
		all[p.name] = s.Conn(s.t, p.name)
	}
	return all
}

// onRelation returns the privileges of each role on each relation of a schema. A privilege on a
// column counts as a privilege on the relation.
const onRelation = `
	SELECT c.relname::text, w, ARRAY(
	    SELECT DISTINCT p::text FROM unnest('{SELECT,INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER}'::text[]) p
	    WHERE has_table_privilege(w, c.oid, p)
	       OR p = ANY ('{SELECT,INSERT,UPDATE,REFERENCES}') AND has_any_column_privilege(w, c.oid, p) ORDER BY 1)
	FROM pg_class c CROSS JOIN unnest($1::text[]) w
	WHERE c.relnamespace = $2::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY 1, 2`

type access struct {
	Relation, Who string
	Rights        []string
}

func (s *stage) access(schema string) []access {
	s.t.Helper()
	rows, err := s.Query(s.t.Context(), onRelation, names(), schema)
	if err != nil {
		s.t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[access])
	if err != nil || len(all) == 0 {
		s.t.Fatal(err)
	}
	return all
}

// relations compares the decisions with the privileges on relations, and with a read of each.
func relations(s *stage) {
	want := decided(reads)
	sessions := s.sessions()
	for _, a := range s.access("retention") {
		who, known := want[kind(a.Relation)]
		if !known {
			s.t.Errorf("decisions_test.go has no decision for relation %s", a.Relation)
			continue
		}
		rights, refused := []string{}, "42501"
		if slices.Contains(may(who), a.Who) {
			rights, refused = []string{"SELECT"}, ""
		}
		if diff := cmp.Diff(rights, a.Rights); diff != "" {
			s.t.Errorf("privileges of %s on %s (-decided +got):\n%s", a.Who, a.Relation, diff)
		}
		query := "SELECT * FROM retention." + pgx.Identifier{a.Relation}.Sanitize()
		if _, err := sessions[a.Who].Exec(s.t.Context(), query); code(err) != refused {
			s.t.Errorf("%s reads %s: %v, want SQLSTATE %q", a.Who, a.Relation, err, refused)
		}
	}
	wrong := pgtest.Column[string](s.t, s, `
		SELECT c.relname || ' ' || w
		FROM pg_class c CROSS JOIN unnest($1::text[]) w
		WHERE c.relnamespace = 'retention'::regnamespace
		  AND c.relkind = 'S'
		  AND (has_sequence_privilege(w, c.oid, 'USAGE')
		       OR has_sequence_privilege(w, c.oid, 'SELECT')
		       OR has_sequence_privilege(w, c.oid, 'UPDATE'))
		UNION ALL
		SELECT 'CREATE on schema retention ' || w FROM unnest($1::text[]) w
		WHERE has_schema_privilege(w, 'retention', 'CREATE')
		UNION ALL
		SELECT 'USAGE on schema retention ' || w FROM unnest($1::text[]) w
		WHERE has_schema_privilege(w, 'retention', 'USAGE') AND w = 'stranger'
		UNION ALL
		SELECT 'no USAGE on schema retention ' || w FROM unnest($1::text[]) w
		WHERE NOT has_schema_privilege(w, 'retention', 'USAGE') AND w <> 'stranger'`, names())
	if len(wrong) > 0 {
		s.t.Errorf("wrong privileges on sequences or on the schema: %q", wrong)
	}
}

// applicationTables checks that pgretain grants privileges on the application's tables only to the
// worker, and only those that it needs.
func applicationTables(s *stage) {
	for _, a := range s.access("app") {
		if len(a.Rights) > 0 && a.Relation != "note_old" { // default privileges apply to this new table
			s.t.Errorf("%s has %q on app.%s", a.Who, a.Rights, a.Relation)
		}
	}
	got := pgtest.Column[string](s.t, s, `
		SELECT c.relname || ' ' || string_agg(x.privilege_type, ',' ORDER BY x.privilege_type)
		FROM pg_class c, aclexplode(c.relacl) x
		WHERE c.relnamespace = 'app'::regnamespace AND x.grantee = 'retention_worker'::regrole
		GROUP BY c.relname
		ORDER BY 1`)
	want := []string{
		"cap DELETE,SELECT,UPDATE",
		"catalog SELECT",
		"config SELECT",
		"detached DELETE,SELECT,UPDATE",
		"event SELECT",
		"mark SELECT,UPDATE",
		"marker INSERT,SELECT,UPDATE",
		"note DELETE,INSERT,SELECT,UPDATE",
		"note_old DELETE,INSERT,SELECT",
		"other SELECT",
		"plain DELETE,SELECT,UPDATE",
		"tracked DELETE,INSERT,SELECT,UPDATE",
		"trade DELETE,INSERT,SELECT,UPDATE",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		s.t.Errorf("privileges of the worker (-want +got):\n%s", diff)
	}
	for _, p := range persons {
		for _, sql := range []string{
			"DELETE FROM app.note",
			"UPDATE app.note SET at = now()",
			"INSERT INTO app.other VALUES (1)",
			"TRUNCATE app.note",
			"DROP TABLE app.event_old",
			"SELECT * FROM app.note",
			"CREATE TABLE app.mine (a int)",
		} {
			if err := s.try(p.name, sql); err == nil || err.Code != "42501" {
				s.t.Errorf("%s: %s: %v, want SQLSTATE 42501", p.name, sql, err)
			}
		}
	}
}

// roleAttributes checks the attributes of the roles: which can log in, and which are members of
// others.
func roleAttributes(s *stage) {
	got := pgtest.Column[string](s.t, s, `
		SELECT format('%s login %s super %s createrole %s createdb %s bypass %s replication %s in {%s}',
		              r.rolname, r.rolcanlogin, r.rolsuper, r.rolcreaterole,
		              r.rolcreatedb, r.rolbypassrls, r.rolreplication,
		              (SELECT string_agg(m.roleid::regrole::text, ',' ORDER BY m.roleid::regrole::text)
		               FROM pg_auth_members m
		               WHERE m.member = r.oid))
		FROM pg_roles r
		WHERE r.rolname ~ '^retention_|^shop_deploy$'
		ORDER BY 1`)
	plain := "super f createrole f createdb f bypass f replication f"
	want := []string{
		"retention_operator login f " + plain + " in {}",
		"retention_owner login f " + plain + " in {pg_monitor,retention_worker}",
		"retention_runner login t " + plain + " in {}",
		"retention_viewer login f " + plain + " in {}",
		"retention_worker login f " + plain + " in {}",
		"shop_deploy login t " + plain + " in {retention_owner,retention_runner}",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		s.t.Errorf("attributes and memberships (-want +got):\n%s", diff)
	}
	for _, p := range persons {
		for _, role := range []string{
			owner, "retention_worker", runner, deploy, "retention_operator", "pg_monitor", "postgres",
		} {
			if p.name == role || p.name == operator && role == "retention_operator" {
				continue
			}
			if err := s.try(p.name, "SET ROLE "+role); err == nil || err.Code != "42501" {
				s.t.Errorf("%s executes SET ROLE %s: %v, want SQLSTATE 42501", p.name, role, err)
			}
		}
	}
	for _, name := range []string{owner, "retention_worker"} {
		if conn, err := s.Connect(s.t.Context(), name); err == nil {
			conn.Close(context.Background())
			s.t.Errorf("%s can log in", name)
		}
	}
}

// definers checks that SECURITY DEFINER functions have a fixed search_path, and that no other role
// can create objects in its schemas.
func definers(s *stage) {
	variable := pgtest.Column[string](s.t, s, `
		SELECT p.oid::regprocedure::text
		FROM pg_proc p
		WHERE p.prosecdef
		  AND p.proowner IN ('retention_owner'::regrole, 'retention_worker'::regrole, 'retention_runner'::regrole,
		                     'shop_deploy'::regrole)
		  AND NOT EXISTS (SELECT FROM unnest(p.proconfig) c WHERE c ~ '^search_path=pg_catalog, (app, )?pg_temp$')`)
	if len(variable) > 0 {
		s.t.Errorf("SECURITY DEFINER functions without a fixed search_path: %q", variable)
	}
	create := pgtest.Column[string](s.t, s, `
		SELECT r.rolname || ' in ' || n.nspname
		FROM pg_roles r CROSS JOIN pg_namespace n
		WHERE n.nspname IN ('retention', 'app')
		  AND NOT r.rolsuper
		  AND has_schema_privilege(r.oid, n.oid, 'CREATE')
		  AND r.rolname !~ '^pg_'
		ORDER BY 1`)
	want := []string{"retention_owner in retention", "shop_deploy in app", "shop_deploy in retention"}
	if diff := cmp.Diff(want, create); diff != "" {
		s.t.Errorf("roles with CREATE (-want +got):\n%s", diff)
	}
}

func code(err error) string {
	if err == nil {
		return ""
	}
	if server := asServer(err); server != nil {
		return server.Code
	}
	return err.Error()
}

// TestThePageShowsWhatWasDecided compares the tables of docs/roles.md with the decisions.
func TestThePageShowsWhatWasDecided(t *testing.T) {
	t.Parallel()
	const path, begin, end = "../../docs/roles.md", "<!-- who may do what -->\n", "<!-- end -->"
	content := fixture.ReadFile(t, path)
	before, rest, _ := strings.Cut(content, begin)
	_, after, found := strings.Cut(rest, end)
	if !found {
		t.Fatalf("%s has no part between %q and %q", path, begin, end)
	}
	fixture.CompareFile(t, path, before+begin+page()+end+after)
}

// proseColumns is the greatest width of a line of prose.
const proseColumns = 100

// page returns the part of docs/roles.md that is generated from the decisions.
func page() string {
	var b strings.Builder
	b.WriteString("\n| call | runner | operator | viewer | `grant` | |\n|---|---|---|---|---|---|\n")
	row := func(d decision, suffix string) {
		fmt.Fprintf(&b, "| `retention.%s%s` |", d.name, suffix)
		for _, letter := range []string{"r", "o", "v", "a"} {
			b.WriteString(map[bool]string{true: " yes |", false: " |"}[strings.Contains(d.who, letter)])
		}
		fmt.Fprintf(&b, " %s |\n", d.why)
	}
	for _, d := range calls {
		row(d, "()")
	}
	b.WriteString("\n| read | runner | operator | viewer | `grant` | |\n|---|---|---|---|---|---|\n")
	for _, d := range reads {
		row(d, "")
	}
	b.WriteString("\nRoles other than the owner may also call these internal functions, " +
		"whose names begin with `_`:\n\n")
	for _, who := range []struct{ letters, text string }{
		{"r", "runner"}, {"ro", "runner and operator"},
		{"rov", "runner, operator and viewer"},
		{"ov", "operator and viewer"},
	} {
		line := "- " + who.text + ":"
		for _, d := range inner {
			if d.who != who.letters {
				continue
			}
			word := " `" + d.name + "`,"
			if len(line)+len(word) > proseColumns {
				b.WriteString(line + "\n")
				line = " "
			}
			line += word
		}
		b.WriteString(strings.TrimSuffix(line, ",") + "\n")
	}
	return b.String() + "\n"
}
