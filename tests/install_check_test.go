package tests

import (
	"errors"
	"maps"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"pgretain/generator"
	"pgretain/internal/install"
	"pgretain/policy"
	"pgretain/tests/pgtest"
)

// TestUpRefusesBeforeItStarts checks the preconditions of Up. Each failure gives a message and a
// hint, and Up writes nothing.
func TestUpRefusesBeforeItStarts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prepare string // SQL that the superuser executes before
		user    string
		change  func(*install.Options)
		want    []string // for each diagnostic, a part of its message or detail
		hint    string
	}{
		"roles missing": {user: installMigrator, change: func(o *install.Options) {
			o.Install.Roles.Operator, o.Install.Roles.Viewer = "nobody 1", "nobody 2"
		}, want: []string{`roles do not exist: "nobody 1", "nobody 2"`},
			hint: "pgretain bootstrap --migrator install_migrator"},
		"not a member": {user: "install_stranger", want: []string{
			`role "install_stranger" cannot SET ROLE "install_owner"`,
			`role "install_stranger" cannot SET ROLE "install_runner"`,
		}, hint: "bootstrap"},
		"no CREATE on the database": {user: installMigrator,
			prepare: `DO $$ BEGIN
				EXECUTE format('REVOKE CREATE ON DATABASE %I FROM install_migrator', current_database());
			END $$`,
			want: []string{`role "install_migrator" may not create schema "keep"`}, hint: "bootstrap"},
		"schema of somebody else": {user: installMigrator, prepare: "CREATE SCHEMA keep",
			want: []string{`role "install_owner" may not create objects in schema "keep"`}, hint: "install.schema"},
		"schema in use": {user: installMigrator,
			prepare: "CREATE SCHEMA keep AUTHORIZATION install_owner; CREATE VIEW keep.note AS SELECT 1 AS a",
			want:    []string{`schema "keep" contains table "note", which pgretain did not create`},
			hint:    "install.schema"},
		"schema of a stranger": {user: installMigrator,
			prepare: "CREATE SCHEMA keep AUTHORIZATION install_stranger; GRANT ALL ON SCHEMA keep TO public",
			want: []string{
				`schema "keep" belongs to role "install_stranger", who is no member of "install_owner"`,
			}, hint: "ALTER SCHEMA keep OWNER TO install_owner"},
		"table of a stranger": {user: installMigrator,
			prepare: `CREATE SCHEMA keep AUTHORIZATION install_owner;
				CREATE TABLE keep.install (a int);
				ALTER TABLE keep.install OWNER TO install_stranger`,
			want: []string{`schema "keep" contains table "install", which pgretain did not create`},
			hint: "install.schema"},
		"nobody": {user: "install_nobody", want: []string{`refuses user "install_nobody"`}, hint: "pg_hba.conf"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, dir, o := installDatabase(t), fstest.MapFS{}, installOptions()
			if c.prepare != "" {
				db.Exec(t, c.prepare)
			}
			if c.change != nil {
				c.change(&o)
			}
			grow(t, dir, installFunction(bodyOne))
			_, err := install.Up(t.Context(), db.URL(c.user), dir, o)
			list := install.Diagnostics(err)
			if len(list) != len(c.want) {
				t.Fatalf("got %+v, want %q", list, c.want)
			}
			for i, want := range c.want {
				if !strings.Contains(list[i].Message+" "+list[i].Detail, want) || list[i].Hint == "" {
					t.Errorf("got %+v, want %q and a hint", list[i], want)
				}
			}
			if !strings.Contains(list[0].Hint, c.hint) {
				t.Errorf("hint is %q, want %q in it", list[0].Hint, c.hint)
			}
			if pgtest.Value[bool](t, db, "SELECT to_regclass('keep.goose_db_version') IS NOT NULL") {
				t.Error("Up refused, but keep.goose_db_version exists")
			}
		})
	}
}

func TestCannotConnectNeverShowsThePassword(t *testing.T) {
	t.Parallel()
	db := installDatabase(t)
	base, err := url.Parse(db.URL(installMigrator))
	if err != nil {
		t.Fatal(err)
	}
	base.User = url.UserPassword(installMigrator, "geheim")
	base.Path = "/nowhere"
	for link, want := range map[string]string{
		"postgres://u:geheim@127.0.0.1:1/x":           `127.0.0.1:1, database "x"`,
		"postgres://u:gehe/im:geheim@127.0.0.1:1/x":   "connection settings",
		"host=127.0.0.1 port=x password=geheim":       "connection settings",
		"postgres://u:geheim@127.0.0.1:1/x?sslmode=y": "connection settings",
		base.String(): `database "nowhere" does not exist`,
	} {
		_, err := install.Up(t.Context(), link, fstest.MapFS{}, installOptions())
		list := install.Diagnostics(err)
		if len(list) != 1 || !strings.Contains(list[0].Message, want) || list[0].Hint == "" {
			t.Errorf("got %+v, want %q and a hint", list, want)
			continue
		}
		if text := list[0].Message + list[0].Detail + list[0].Hint + err.Error(); strings.Contains(text, "gehe") {
			t.Errorf("the password is shown: %s", text)
		}
	}
}

// TestBootstrapPreparesWhatUpNeeds checks that Up succeeds after the bootstrap script. All roles
// have names that need quoting.
func TestBootstrapPreparesWhatUpNeeds(t *testing.T) {
	t.Parallel()
	db := pgtest.CronServer(t)
	roles := policy.Roles{Owner: `o"w'ner`, Runner: "run $bootstrap$ ner", Worker: "wo;rker", Operator: `op\erator`,
		Viewer: "größe\n"}
	o := installOptions()
	o.Install = policy.Install{Schema: `ke"ep`, Scheduler: "pg_cron", Roles: roles}
	db.Exec(t, `CREATE ROLE "mi'gra""tor" LOGIN`)
	link := db.URL(`mi'gra"tor`)
	if _, err := install.Up(t.Context(), link, fstest.MapFS{}, o); err == nil {
		t.Error("Up succeeds before the bootstrap script, want an error")
	}
	script, err := install.Bootstrap(o.Install, pgtest.Value[string](t, db, "SELECT current_database()::text"),
		`mi'gra"tor`)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		db.Exec(t, script)
	}
	if _, err := install.Up(t.Context(), link, fstest.MapFS{}, o); err != nil {
		t.Errorf("%+v", install.Diagnostics(err))
	}
	login := pgtest.Value[string](t, db, `SELECT string_agg(rolname, ',') FROM pg_roles
		WHERE rolcanlogin AND NOT rolsuper AND rolname NOT LIKE 'mi%'`)
	if login != roles.Runner {
		t.Errorf("%q can log in, want only the runner", login)
	}
	conn := db.Conn(t, `mi'gra"tor`)
	pgtest.Exec(t, conn, `SET ROLE "run $bootstrap$ ner"; SELECT cron.schedule('j', '0 0 1 1 *', 'SELECT 1')`)
	if user := pgtest.Value[string](t, db, "SELECT username FROM cron.job"); user != roles.Runner {
		t.Errorf("the job runs as %q, want the runner", user)
	}
}

func TestBootstrapWithoutRoles(t *testing.T) {
	t.Parallel()
	db := installDatabase(t)
	script, err := install.Bootstrap(policy.Install{Schema: "alone", Roles: policy.Roles{None: true}}, db.Name,
		"install_single")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(script, "CREATE ROLE") {
		t.Error("roles: none creates roles")
	}
	db.Exec(t, pgtest.MakeRole("install_single LOGIN"))
	db.Exec(t, script)
	o := installOptions()
	o.Install = policy.Install{Schema: "alone", Scheduler: "none", Roles: policy.Roles{None: true}}
	if _, err := install.Up(t.Context(), db.URL("install_single"), fstest.MapFS{}, o); err != nil {
		t.Errorf("%+v", install.Diagnostics(err))
	}
	owner := pgtest.Value[string](t, db,
		"SELECT nspowner::regrole::text FROM pg_namespace WHERE nspname = 'alone'")
	if owner != "install_single" {
		t.Errorf("the schema belongs to %s, want install_single", owner)
	}
}

func TestBootstrapRefusesAnotherDatabase(t *testing.T) {
	t.Parallel()
	db := installDatabase(t)
	script, err := install.Bootstrap(policy.Install{Roles: installRoles}, "elsewhere", installMigrator)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Conn(t).PgConn().Exec(t.Context(), script).ReadAll()
	if err == nil || !strings.Contains(err.Error(), `this script is for database "elsewhere"`) {
		t.Errorf("the script in another database: %v, want an error that names database elsewhere", err)
	}
}

// twoSides returns two branches of one history. Each branch has its own migration in a file of the
// same name.
func twoSides(t *testing.T) (base, ours, theirs fstest.MapFS) {
	t.Helper()
	base = fstest.MapFS{}
	grow(t, base, installFunction(bodyOne))
	ours, theirs = maps.Clone(base), maps.Clone(base)
	grow(t, ours, installFunction(bodyTwo))
	grow(t, theirs, installFunction(strings.Replace(bodyTwo, "two", "three", 1)))
	return base, ours, theirs
}

const versionTwo = "00002_retention_policies.sql"

// refusedBoth checks that Up and Down both fail with this message and a part of a hint.
func refusedBoth(t *testing.T, db *pgtest.DB, dir fstest.MapFS, message, hint string) {
	t.Helper()
	_, up := install.Up(t.Context(), db.URL(installMigrator), dir, installOptions())
	all := installOptions()
	all.All = true
	_, down := install.Down(t.Context(), db.URL(installMigrator), dir, all)
	for _, err := range []error{up, down} {
		var check *install.Error
		if !errors.As(err, &check) || check.Message != message || !strings.Contains(check.Hint, hint) {
			t.Errorf("got %+v, want %q", install.Diagnostics(err), message)
		}
	}
}

// TestMigrateKnowsAnotherFileOfTheSameNumber applies one branch's migration and then uses a
// directory with the other branch's. Up and Down refuse it, until that migration was undone with
// its own file.
func TestMigrateKnowsAnotherFileOfTheSameNumber(t *testing.T) {
	t.Parallel()
	db := installDatabase(t)
	base, ours, theirs := twoSides(t)
	mustUp(t, db, theirs, 2)

	merged := maps.Clone(ours)
	grow(t, merged, installFunction(bodyOne))
	refusedBoth(t, db, merged, "the database was migrated with other files of these numbers: "+versionTwo,
		"pgretain migrate down")
	all, err := install.Status(t.Context(), db.URL(installMigrator), merged, installOptions())
	if err != nil {
		t.Fatal(err)
	}
	var states []string
	for _, m := range all {
		states = append(states, map[bool]string{true: "applied",
			false: "pending"}[m.Applied]+map[bool]string{true: " differs"}[m.Differs])
	}
	if diff := cmp.Diff([]string{"applied", "applied differs", "pending"}, states); diff != "" {
		t.Error(diff)
	}
	own := maps.Clone(base)
	own[versionTwo] = &fstest.MapFile{Data: []byte("-- +goose Up\nSELECT 1;\n")}
	refusedBoth(t, db, own, "the database was migrated with other files of these numbers: "+versionTwo,
		"pgretain migrate down")

	mustDown(t, db, theirs, false, 1)
	mustUp(t, db, merged, 2)
	if diff := cmp.Diff(bodyOne, pgtest.Value[string](t, db, liveBody)); diff != "" {
		t.Error(diff)
	}
}

func TestMigrateKnowsARenumberedFile(t *testing.T) {
	t.Parallel()
	db := installDatabase(t)
	_, ours, _ := twoSides(t)
	mustUp(t, db, ours, 2)
	renamed := maps.Clone(ours)
	renamed["00002_any_name.sql"] = renamed[versionTwo]
	delete(renamed, versionTwo)
	mustUp(t, db, renamed, 0)
	renamed["00007_any_name.sql"] = renamed["00002_any_name.sql"]
	delete(renamed, "00002_any_name.sql")
	refusedBoth(t, db, renamed, "the database has migrations that the directory does not have: 2",
		"Version 2 was applied from 00007_any_name.sql: restore the number of this file.")
}

// TestMigrateAfterAnotherTool checks that migrations that another tool applied are accepted,
// although their states are not recorded. pgretain adds its column to the table of versions. Files
// of the user have no state.
func TestMigrateAfterAnotherTool(t *testing.T) {
	t.Parallel()
	db := installDatabase(t)
	_, ours, theirs := twoSides(t)
	mustUp(t, db, ours, 2)
	db.Exec(t, "ALTER TABLE keep.goose_db_version DROP COLUMN pgretain_state")
	mustUp(t, db, theirs, 0)
	theirs["00003_own.sql"] = &fstest.MapFile{Data: []byte("-- +goose Up\nSELECT 1;\n")}
	grow(t, theirs, installFunction(bodyOne))
	mustUp(t, db, theirs, 2)
	history, err := generator.Read(theirs)
	if err != nil {
		t.Fatal(err)
	}
	recorded := pgtest.Column[string](t, db, "SELECT coalesce(pgretain_state, '') FROM keep.goose_db_version ORDER "+
		"BY version_id")
	if diff := cmp.Diff([]string{"", "", "", "", history.State()}, recorded); diff != "" {
		t.Error(diff)
	}
}

// TestPendingBelowApplied checks the message for a pending generated file with a smaller number
// than an applied one.
func TestPendingBelowApplied(t *testing.T) {
	t.Parallel()
	db := installDatabase(t)
	_, ours, _ := twoSides(t)
	mustUp(t, db, ours, 2)
	db.Exec(t, "DELETE FROM keep.goose_db_version WHERE version_id = 1")
	_, err := install.Up(t.Context(), db.URL(installMigrator), ours, installOptions())
	var check *install.Error
	if !errors.As(err, &check) || check.Message != versionTwo+" is applied, but earlier files are not: "+
		"00001_retention_policies.sql" ||
		!strings.Contains(check.Hint, "Later generated files build on these.") {
		t.Errorf("got %+v", install.Diagnostics(err))
	}
}

// TestMigrationsInGoAreRefused checks that Up refuses migrations written in Go before it applies
// any.
func TestMigrationsInGoAreRefused(t *testing.T) {
	t.Parallel()
	db := installDatabase(t)
	_, ours, _ := twoSides(t)
	ours["00003_own.go"] = &fstest.MapFile{Data: []byte("package migrations\n")}
	done, err := install.Up(t.Context(), db.URL(installMigrator), ours, installOptions())
	if err == nil || !strings.Contains(err.Error(), "unregistered Go file") || len(done) > 0 {
		t.Errorf("Up applied %d migrations: %v; want none, and an error about the Go file", len(done), err)
	}
	ours["00003_own_test.go"] = ours["00003_own.go"]
	delete(ours, "00003_own.go")
	mustUp(t, db, ours, 2)
}
