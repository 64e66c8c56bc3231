package tests

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
	"pgretain/internal/explain"
	"pgretain/internal/inspect"
	"pgretain/internal/install"
	"pgretain/internal/quote"
	"pgretain/policy"
	"pgretain/tests/fixture"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
	"pgretain/verifier"
)

// driftServer is a server with pg_cron. Its template is an installation for all cases without a
// policy.yaml or schema.sql of their own.
type driftServer struct {
	*pgtest.DB
	template driftCase
}

// installDrift installs a case's policy file in a database of its own.
func installDrift(t *testing.T, server *driftServer, name string) driftCase {
	t.Helper()
	c := server.template
	c.name, c.file, c.url = name, driftPolicy(t, name), server.Server.URL
	if own := ownDrift(t, name); !own.Has("policy.yaml") && !own.Has("schema.sql") && server.template.name != "" {
		pgtest.Exec(t, server.Conn(t), "CREATE DATABASE "+quote.Ident(name)+" TEMPLATE "+
			server.template.name+" STRATEGY file_copy")
		c.exec(t, `
			UPDATE retention.install SET database_name = current_database();
			UPDATE cron.job SET database = current_database();
			UPDATE retention.policy SET installed_at = now();
			UPDATE retention.job SET installed_at = now()`)
		return c
	}
	pgtest.Exec(t, server.Conn(t), "CREATE DATABASE "+quote.Ident(name)+" TEMPLATE template0")
	c.install(t)
	return c
}

// install does what bootstrap, snapshot, generate and migrate do.
func (c *driftCase) install(t *testing.T) {
	t.Helper()
	conn := c.connect(t, "")
	c.bootstrap(t, conn)
	pgtest.Exec(t, conn, driftFile(t, "", "cron.sql"))
	if roles := c.file.Install.Roles; !roles.None {
		// health() reads cron.job as the owner.
		pgtest.Exec(t, conn, "GRANT USAGE ON SCHEMA cron TO "+roles.Runner+", "+roles.Owner)
	}
	pgtest.Exec(t, conn, driftFile(t, c.name, "schema.sql"))
	if !c.file.Install.Roles.None {
		pgtest.Exec(t, conn, strings.ReplaceAll(openSchemas, "looker", c.looker()))
	}
	c.compile(t, conn)
	for _, o := range c.wanted {
		c.create(t, conn, o)
	}
	pgtest.Exec(t, conn, "SELECT "+quote.Ident(c.file.Install.Schema)+"._apply_privileges()")
	_ = conn.Close(t.Context()) // a database with sessions cannot be cloned
}

// openSchemas grants the viewer USAGE on the application's schemas. So verify can check every
// expression as the viewer, too.
const openSchemas = `DO $$ DECLARE v_name name; BEGIN
	FOR v_name IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' LOOP
		EXECUTE format('GRANT USAGE ON SCHEMA %I TO looker', v_name);
	END LOOP;
END $$`

// bootstrap creates roles and schema like a DBA. cron.sql replaces pg_cron.
func (c driftCase) bootstrap(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	bootstrapping.Lock()
	defer bootstrapping.Unlock()
	own := c.file.Install
	own.Scheduler = "none"
	if own.Roles.None {
		pgtest.Exec(t, conn, "CREATE SCHEMA "+own.Schema)
		return
	}
	script, err := install.Bootstrap(own, c.name, "postgres")
	if err != nil {
		t.Fatal(err)
	}
	pgtest.Exec(t, conn, script)
	pgtest.Exec(t, conn, "CREATE SCHEMA "+own.Schema+" AUTHORIZATION "+own.Roles.Owner)
	pgtest.Exec(t, conn, pgtest.MakeRole(c.looker()+" LOGIN IN ROLE "+own.Roles.Viewer))
}

// looker returns a login role that is only a member of the viewer's role.
func (c driftCase) looker() string { return c.file.Install.Roles.Viewer + "_login" }

func (c *driftCase) compile(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	request := inspect.Request{SearchPath: c.file.Install.SearchPath, Runtime: c.file.Install.Schema,
		Each: c.file.SchemaPatterns()}
	request.Tables = pgtest.Column[string](t, conn,
		"SELECT schemaname || '.' || tablename FROM pg_tables WHERE schemaname = 'app'")
	request.Tables = append(request.Tables, kit.EachTables(c.file)...)
	snapshot, _, err := inspect.Snapshot(t.Context(), conn, request)
	if err == nil {
		_, err = inspect.Types(t.Context(), conn, c.file, snapshot)
	}
	if err != nil {
		t.Fatal(err)
	}
	wanted, list := generator.Compile(c.file, snapshot, nil)
	if list.HasErrors() {
		t.Fatal(list)
	}
	c.history = historyOf(t, c.file, wanted)
	slices.SortStableFunc(wanted, func(a, b generator.Object) int { return place(a) - place(b) })
	c.wanted, c.snapshot = wanted, snapshot
}

// historyOf generates the migrations of the objects and reads them back.
func historyOf(t *testing.T, file *policy.File, objects []generator.Object) *generator.History {
	t.Helper()
	dir := fstest.MapFS{}
	if _, err := kit.Next(dir, file.Install, objects); err != nil {
		t.Fatal(err)
	}
	history, err := generator.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return history
}

// place returns the position of an object in the order of creation. The functions of policies
// follow the objects that they use.
func place(o generator.Object) int {
	order := []generator.Kind{
		generator.KindType, generator.KindTable, generator.KindUpgrade, generator.KindFunction,
		generator.KindProcedure, generator.KindView, generator.KindColumn, generator.KindArchive,
		generator.KindPrivilege, generator.KindStored, generator.KindIndex, generator.KindInstall,
		generator.KindPolicy, generator.KindEach, generator.KindJob, generator.KindCron,
	}
	if o.Kind == generator.KindFunction && o.Policy != "" {
		return slices.Index(order, generator.KindIndex)
	}
	return slices.Index(order, o.Kind)
}

// create executes an object's SQL as the role that a migration uses.
func (c driftCase) create(t *testing.T, conn *pgx.Conn, o generator.Object) {
	t.Helper()
	if o.Kind == generator.KindIndex {
		for _, statement := range strings.Split(o.SQL, "-- next\n") {
			pgtest.Exec(t, conn, statement)
		}
		return
	}
	role := map[generator.As]string{
		generator.AsOwner:    c.file.Install.Roles.Owner,
		generator.AsWorker:   c.file.Install.Roles.Owner,
		generator.AsRunner:   c.file.Install.Roles.Runner,
		generator.AsMigrator: "postgres",
	}[o.As]
	if role == "" { // roles: none
		role = "postgres"
	}
	sql := o.SQL
	if o.Kind == generator.KindEach {
		sql = "SELECT " + c.file.Install.Schema + "._apply_privileges();\n" + sql
	}
	if o.Kind == generator.KindPolicy { // its SQL calls functions of the worker
		schema := c.file.Install.Schema
		sql = "SELECT " + schema + "._apply_privileges();\n" +
			"INSERT INTO " + schema + ".policy (name, hash, description)\n" +
			"VALUES (" + quote.Literal(o.Name) + ", '', " + quote.Literal("\n"+explain.Page(o.Words)) + ")\n" +
			"ON CONFLICT (name) DO UPDATE SET description = excluded.description;\n" + sql
	}
	pgtest.Exec(t, conn, "BEGIN; SET LOCAL ROLE "+role+";\n"+sql+"COMMIT;")
}

func (c driftCase) connect(t *testing.T, user string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), c.url(c.name, user))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func (c driftCase) exec(t *testing.T, sql string) {
	t.Helper()
	conn := c.connect(t, "")
	pgtest.Exec(t, conn, sql)
	_ = conn.Close(t.Context())
}

func (c driftCase) verify(t *testing.T, user string, opt verifier.Options) *verifier.Report {
	t.Helper()
	return c.report(t, c.connect(t, user), opt)
}

func (c driftCase) report(t *testing.T, conn *pgx.Conn, opt verifier.Options) *verifier.Report {
	t.Helper()
	opt.Snapshot, opt.History = c.snapshot, c.history
	report, err := verifier.Verify(t.Context(), conn, c.file, c.wanted, opt)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// driftDays replaces the placeholders for dates in suppressions, which are valid for at most a
// year.
var driftDays = strings.NewReplacer(
	"<next month>", time.Now().AddDate(0, 1, 0).Format(time.DateOnly),
	"<in two years>", time.Now().AddDate(2, 0, 0).Format(time.DateOnly))

var (
	volatileDay    = regexp.MustCompile(`20(2[5-9]|[3-9]\d)-\d\d-\d\d\b`)
	volatileTime   = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?( UTC|\+00)`)
	volatileSystem = regexp.MustCompile(`system \d{5,}`)
	volatileRel    = regexp.MustCompile(`\brel = \d+`)
	volatileKey    = regexp.MustCompile(`RI_ConstraintTrigger_([ac])_\d+`)
	volatileCount  = regexp.MustCompile(`\d+ objects`)
)

// text returns the report as text, without values that differ between executions.
func (c driftCase) text(t *testing.T, report *verifier.Report) string {
	t.Helper()
	var out bytes.Buffer
	if err := report.Text(&out, false, false); err != nil {
		t.Fatal(err)
	}
	text := volatileTime.ReplaceAllString(out.String(), "<time>")
	text = volatileDay.ReplaceAllString(text, "<day>")
	text = volatileSystem.ReplaceAllString(text, "system <id>")
	text = volatileRel.ReplaceAllString(text, "rel = <n>")
	text = volatileKey.ReplaceAllString(text, "RI_ConstraintTrigger_${1}_<n>")
	return volatileCount.ReplaceAllString(text, "<n> objects")
}

// expectCodes checks that the findings, except those of severity info, have exactly these codes.
func expectCodes(t *testing.T, c driftCase, report *verifier.Report, want ...string) {
	t.Helper()
	seen := map[string]bool{}
	for _, f := range report.Findings {
		if f.Severity != verifier.Info {
			seen[f.Code.String()] = true
		}
	}
	for _, code := range want {
		if !seen[code] {
			t.Errorf("the report has no finding %s:\n%s", code, c.text(t, report))
		}
		delete(seen, code)
	}
	if len(seen) > 0 {
		t.Errorf("the report has other findings than %v:\n%s", want, c.text(t, report))
	}
}

// driftPolicy returns the policy file of a case, followed by its suppressions.
func driftPolicy(t *testing.T, name string) *policy.File {
	t.Helper()
	yaml := driftFile(t, name, "policy.yaml") + driftDays.Replace(driftFile(t, name, "suppress.yaml"))
	file, list := policy.Parse("retention.yaml", []byte(yaml))
	if file == nil {
		t.Fatal(list)
	}
	return file
}

// driftCases reads the cases of testdata/drift.
func driftCases(t *testing.T) []*fixture.Case {
	t.Helper()
	return fixture.Cases(t, driftDir, 100, "policy.yaml", "schema.sql", "suppress.yaml", "tamper.sql", "report.txt",
		"unpasted.txt")
}

// ownDrift returns the case of that name, or an empty case. Names like "case@test" let two tests
// install one case in databases of their own.
func ownDrift(t *testing.T, name string) *fixture.Case {
	t.Helper()
	name, _, _ = strings.Cut(name, "@")
	path := filepath.Join(driftDir, name+".txtar")
	if _, err := os.Stat(path); err != nil {
		return &fixture.Case{}
	}
	return fixture.Read(t, path)
}

// driftFile returns a file of a case, or the file that all cases share; "" if neither exists.
func driftFile(t *testing.T, name, file string) string {
	t.Helper()
	if own := ownDrift(t, name); own.Has(file) {
		return own.Text(file)
	}
	return fixture.Read(t, driftDir+".txtar").Text(file)
}
