package providers

import "testing"

const tables = `
	CREATE SCHEMA shop;
	CREATE TABLE shop.customer (id bigint PRIMARY KEY, name text);
	CREATE TABLE shop.session (
		id bigint PRIMARY KEY,
		customer_id bigint REFERENCES shop.customer,
		seen_at timestamptz NOT NULL,
		pinned boolean NOT NULL DEFAULT false
	);
	CREATE TABLE shop.login (
		id bigint PRIMARY KEY,
		session_id bigint REFERENCES shop.session ON DELETE CASCADE
	);
	CREATE INDEX ON shop.login (session_id);
	INSERT INTO shop.customer VALUES (1, 'anna');
	INSERT INTO shop.session
	SELECT n, 1, now() - n * interval '1 day', n = 35 FROM generate_series(1, 60) n;
	INSERT INTO shop.login SELECT n, n FROM generate_series(1, 60) n`

const policies = `version: 1
install: {search_path: [shop], INSTALL}
policies:
  sessions:
    table: shop.session
    due: {age: {column: seen_at, older_than: DAYS days}}
    keep: {pinned: pinned}
    breaker: {fraction: 1}
    then: [{delete: {cascades: [shop.login]}}]
jobs:
  purge: {schedule: "* * * * *", run: [sessions]}
`

// oracle returns the sessions that stay, computed without pgretain.
func oracle(days int) (left []int64) {
	for n := int64(1); n <= 60; n++ {
		if n < int64(days) || n == 35 {
			left = append(left, n)
		}
	}
	return left
}

// route is where pg_cron is for an install.
type route struct {
	name, install string
	database      string // of the application
}

var routes = []route{
	{"same", "database: postgres", "postgres"},
	{"elsewhere", "database: shop, cron_database: postgres", "shop"},
	{"none", "scheduler: none", "shop"},
}

func (r route) elsewhere() bool { return r.name == "elsewhere" }

// refusals has what only a provider can do: the statement that the script names for each provider
// and route.
var refusals = map[string]string{
	"neon same":      "GRANT USAGE ON SCHEMA cron TO retention_runner",
	"neon elsewhere": "GRANT USAGE ON SCHEMA cron TO retention_runner",
	"rds elsewhere":  "GRANT EXECUTE ON FUNCTION cron.schedule_in_database",
}

// TestProviders installs on the server of each provider, by each route, with the administrator's
// rights alone. The stages are one after another, so that all routes wait for the same tick.
func TestProviders(t *testing.T) {
	t.Parallel()
	sites := map[string]*site{}
	stage := func(name string, do func(*site, string)) {
		t.Run(name, func(t *testing.T) {
			for _, provider := range []string{"rds", "cloudsql", "azure", "supabase", "neon"} {
				for _, r := range routes {
					key := provider + " " + r.name
					if sites[key].done {
						continue
					}
					t.Run(key, func(t *testing.T) {
						t.Parallel()
						s := sites[key]
						s.t = t
						defer func() { s.done = s.done || t.Failed() }()
						do(s, key)
					})
				}
			}
		})
	}
	for _, provider := range []string{"rds", "cloudsql", "azure", "supabase", "neon"} {
		for _, r := range routes {
			server := newServer(t, provider)
			sites[provider+" "+r.name] = &site{t: t, dir: t.TempDir(), server: server, route: r}
		}
	}
	stage("install", func(s *site, key string) { s.prepare(key) })
	stage("restore", func(s *site, _ string) { s.restore() })
	stage("tick", func(s *site, _ string) { s.tick() })
	stage("change", func(s *site, _ string) { s.change() })
	stage("uninstall", func(s *site, _ string) { s.uninstall() })
}
