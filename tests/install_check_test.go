package tests

import (
	"net/url"
	"strings"
	"testing"
	"testing/fstest"

	"pgretain/internal/install"
	"pgretain/policy"
	"pgretain/tests/pgtest"
)

// TestUpRefusesBeforeItStarts: each refusal is one clear message, with a way on, and nothing is
// written.
func TestUpRefusesBeforeItStarts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prepare string // as superuser
		user    string
		change  func(*install.Options)
		want    []string // parts of the message or detail, one diagnostic each
		hint    string
	}{
		"roles missing": {user: installMigrator, change: func(o *install.Options) {
			o.Install.Roles.Operator, o.Install.Roles.Viewer = "nobody 1", "nobody 2"
		}, want: []string{`roles do not exist: "nobody 1", "nobody 2"`}, hint: "pgretain bootstrap --migrator install_migrator"},
		"not a member": {user: "install_stranger", want: []string{
			`role "install_stranger" cannot SET ROLE "install_owner"`,
			`role "install_stranger" cannot SET ROLE "install_runner"`,
		}, hint: "bootstrap"},
		"no CREATE on the database": {user: installMigrator,
			prepare: `DO $$ BEGIN EXECUTE format('REVOKE CREATE ON DATABASE %I FROM install_migrator', current_database()); END $$`,
			want:    []string{`role "install_migrator" may not create schema "keep"`}, hint: "bootstrap"},
		"schema of somebody else": {user: installMigrator, prepare: "CREATE SCHEMA keep",
			want: []string{`role "install_owner" may not create objects in schema "keep"`}, hint: "install.schema"},
		"no pg_cron": {user: installMigrator, change: func(o *install.Options) { o.Install.Scheduler = "pg_cron" },
			want: []string{"extension pg_cron is not installed in database"}, hint: "install.scheduler"},
		"schema and pg_cron": {user: installMigrator, prepare: "CREATE SCHEMA keep",
			change: func(o *install.Options) { o.Install.Scheduler = "pg_cron" },
			want:   []string{"may not create objects", "pg_cron is not installed"}, hint: "install.schema"},
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
				t.Error("a refused migration wrote something")
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

// TestBootstrapPreparesWhatUpNeeds also stands for hostile names: every role has one.
func TestBootstrapPreparesWhatUpNeeds(t *testing.T) {
	t.Parallel()
	db := pgtest.CronServer(t)
	roles := policy.Roles{Owner: `o"w'ner`, Runner: "run $bootstrap$ ner", Worker: "wo;rker", Operator: `op\erator`, Viewer: "größe\n"}
	o := installOptions()
	o.Install = policy.Install{Schema: `ke"ep`, Scheduler: "pg_cron", Roles: roles}
	db.Exec(t, `CREATE ROLE "mi'gra""tor" LOGIN`)
	link := db.URL(`mi'gra"tor`)
	if _, err := install.Up(t.Context(), link, fstest.MapFS{}, o); err == nil {
		t.Error("nothing is missing before the bootstrap")
	}
	script, err := install.Bootstrap(o.Install, pgtest.Value[string](t, db, "SELECT current_database()::text"), `mi'gra"tor`)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		db.Exec(t, script)
	}
	if _, err := install.Up(t.Context(), link, fstest.MapFS{}, o); err != nil {
		t.Errorf("%+v", install.Diagnostics(err))
	}
	login := pgtest.Value[string](t, db, "SELECT string_agg(rolname, ',') FROM pg_roles WHERE rolcanlogin AND NOT rolsuper AND rolname NOT LIKE 'mi%'")
	if login != roles.Runner {
		t.Errorf("%q can log in, want only the runner", login)
	}
	conn := db.Conn(t, `mi'gra"tor`)
	pgtest.Exec(t, conn, `SET ROLE "run $bootstrap$ ner"; SELECT cron.schedule('j', '0 0 1 1 *', 'SELECT 1')`)
	if user := pgtest.Value[string](t, db, "SELECT username FROM cron.job"); user != roles.Runner {
		t.Errorf("the job belongs to %q", user)
	}
}

func TestBootstrapWithoutRoles(t *testing.T) {
	t.Parallel()
	db := installDatabase(t)
	script, err := install.Bootstrap(policy.Install{Schema: "alone", Roles: policy.Roles{None: true}}, db.Name, "install_single")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(script, "CREATE ROLE") {
		t.Error("roles: none creates roles")
	}
	db.Exec(t, `DO $$ BEGIN IF to_regrole('install_single') IS NULL THEN CREATE ROLE install_single LOGIN; END IF; END $$`)
	db.Exec(t, script)
	o := installOptions()
	o.Install = policy.Install{Schema: "alone", Scheduler: "none", Roles: policy.Roles{None: true}}
	if _, err := install.Up(t.Context(), db.URL("install_single"), fstest.MapFS{}, o); err != nil {
		t.Errorf("%+v", install.Diagnostics(err))
	}
	if owner := pgtest.Value[string](t, db, "SELECT nspowner::regrole::text FROM pg_namespace WHERE nspname = 'alone'"); owner != "install_single" {
		t.Errorf("the schema belongs to %s", owner)
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
		t.Errorf("got %v", err)
	}
}
