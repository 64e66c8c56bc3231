// Package citus tests policies that exist once per shard. PGRETAIN_TEST_CITUS_URL names the
// coordinator of a throw-away Citus cluster, as a superuser. The tests create a database on all its
// nodes, and one test kills a server.
package citus

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// rows is the number of messages in a test.
var rows = func() int {
	if given := os.Getenv("PGRETAIN_TEST_CITUS_ROWS"); given != "" {
		n, err := strconv.Atoi(given)
		if err != nil {
			panic(err)
		}
		return n
	}
	return 30000
}()

const (
	database = "pgretain_shards"

	policyFile = `version: 1
install: {scheduler: none, trust: [shard_owner]}
each: {each_shard: {shards_of: app}}
policies:
  messages_old:
    table: each_shard.message
    due: {age: {column: at, older_than: 7 days}}
    keep:
      pinned: "EXISTS (SELECT FROM each_shard.pin p WHERE p.tenant_id = t.tenant_id AND p.message_id = t.id)"
      kept: "EXISTS (SELECT FROM each_shard.kind k WHERE k.name = t.kind AND k.keep)"
    batch: {rows: BATCH}
    breaker: {fraction: 1}
    then:
      - archive: {into: each_shard.message_old, set: {run_id: run.id}}
      - delete: {cascades: [each_shard.reaction]}
jobs:
  nightly: {schedule: "0 3 * * *", run: [messages_old]}
`
	// onWorkers makes Citus on a worker treat the tables of a migration as local tables.
	onWorkers = `SET citus.enable_ddl_propagation = off;
ALTER DATABASE ` + database + ` SET citus.enable_ddl_propagation = off;
ALTER DATABASE ` + database + ` SET citus.override_table_visibility = off`

	tables = `CREATE ROLE shard_owner LOGIN PASSWORD 'owner';
SET citus.shard_count = 32;
CREATE SCHEMA app AUTHORIZATION shard_owner;
SET ROLE shard_owner;
CREATE TABLE app.message (
    tenant_id bigint, id bigint, at timestamptz NOT NULL, kind text NOT NULL, PRIMARY KEY (tenant_id, id)
);
CREATE INDEX ON app.message (at, tenant_id, id);
CREATE TABLE app.message_old (LIKE app.message, run_id bigint, PRIMARY KEY (tenant_id, id));
CREATE TABLE app.reaction (tenant_id bigint, message_id bigint, PRIMARY KEY (tenant_id, message_id),
    FOREIGN KEY (tenant_id, message_id) REFERENCES app.message ON DELETE CASCADE);
CREATE TABLE app.pin (tenant_id bigint, message_id bigint, PRIMARY KEY (tenant_id, message_id));
CREATE TABLE app.kind (name text PRIMARY KEY, keep boolean NOT NULL);
SELECT create_distributed_table('app.message', 'tenant_id');
SELECT create_distributed_table('app.message_old', 'tenant_id', colocate_with => 'app.message');
SELECT create_distributed_table('app.reaction', 'tenant_id', colocate_with => 'app.message');
SELECT create_distributed_table('app.pin', 'tenant_id', colocate_with => 'app.message');
SELECT create_reference_table('app.kind')`

	// filled inserts messages that are 5 or 8 days old, about half of each; those of 8 days are
	// due. Every fourth message has a reaction, and every fiftieth is pinned.
	filled = `INSERT INTO app.kind VALUES ('mail', false), ('bill', true);
INSERT INTO app.message SELECT g % 600, g, now() - (5 + 3 * (g / 700 % 2)) * interval '1 day' - g * interval '1 ms',
    CASE WHEN g % 9 = 0 THEN 'bill' ELSE 'mail' END FROM generate_series(1, ROWS) g;
INSERT INTO app.reaction SELECT g % 600, g FROM generate_series(1, ROWS, 4) g;
INSERT INTO app.pin SELECT g % 600, g FROM generate_series(1, ROWS, 50) g`

	// dueRows returns the messages that a run must take. Holds keep all messages of tenant 7, and
	// those messages of tenant 8 that have a reaction.
	dueRows = `SELECT m.tenant_id, m.id
FROM app.message m
WHERE m.at < now() - interval '7 days'
  AND m.kind <> 'bill'
  AND m.tenant_id <> 7
  AND NOT EXISTS (SELECT FROM app.pin p WHERE p.tenant_id = m.tenant_id AND p.message_id = m.id)
  AND NOT (m.tenant_id = 8
           AND EXISTS (SELECT FROM app.reaction r WHERE r.tenant_id = m.tenant_id AND r.message_id = m.id))`
)

type cluster struct {
	t           *testing.T
	url         string
	coordinator *pgx.Conn
	nodes       []string // URLs of the workers, as a superuser
	binary, dir string
}

// start creates the test's database on all nodes, and its tables and rows.
func start(t *testing.T) *cluster {
	t.Helper()
	given := os.Getenv("PGRETAIN_TEST_CITUS_URL")
	if given == "" {
		t.Skip("skipped: no Citus")
	}
	c := &cluster{t: t, url: inDatabase(t, given), binary: kit.Program(t), dir: t.TempDir()}
	first := c.connect(given)
	type node struct {
		Name string
		Port int
	}
	list, _ := first.Query(t.Context(), "SELECT nodename, nodeport FROM pg_dist_node WHERE groupid > 0 ORDER BY nodeid")
	nodes, err := pgx.CollectRows(list, pgx.RowToStructByPos[node])
	if err != nil || len(nodes) < 2 {
		t.Fatalf("the cluster has %d workers, want at least 2: %v", len(nodes), err)
	}
	urlOf := func(n node) string {
		u, err := url.Parse(given)
		if err != nil {
			t.Fatal(err)
		}
		u.Host = fmt.Sprintf("%s:%d", n.Name, n.Port)
		return u.String()
	}
	for i, server := range []string{given, urlOf(nodes[0]), urlOf(nodes[1])} {
		conn := c.connect(server)
		pgtest.Exec(t, conn, "DROP DATABASE IF EXISTS "+database+" WITH (FORCE)")
		pgtest.Exec(t, conn, "CREATE DATABASE "+database)
		own := c.connect(inDatabase(t, server))
		pgtest.Exec(t, own, `
			CREATE EXTENSION citus;
			SET citus.enable_ddl_propagation = off;
			DROP ROLE IF EXISTS shard_owner`)
		if i > 0 {
			pgtest.Exec(t, own, onWorkers)
			c.nodes = append(c.nodes, inDatabase(t, server))
		}
	}
	c.coordinator = c.connect(c.url)
	host, port := c.coordinator.Config().Host, c.coordinator.Config().Port
	pgtest.Exec(t, c.coordinator, "SELECT citus_set_coordinator_host($1, $2)", host, port)
	for _, n := range nodes[:2] {
		pgtest.Exec(t, c.coordinator, "SELECT citus_add_node($1, $2)", n.Name, n.Port)
	}
	data := strings.ReplaceAll(filled, "ROWS", strconv.Itoa(rows))
	script := tables + ";\nRESET ROLE;\n" + data + ";\nCREATE TABLE public.due_at_start AS " + dueRows
	for statement := range strings.SplitSeq(script, ";\n") {
		pgtest.Exec(t, c.coordinator, statement) // one transaction per statement
	}
	return c
}

func inDatabase(t *testing.T, server string) string {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + database
	return u.String()
}

func (c *cluster) connect(url string) *pgx.Conn {
	c.t.Helper()
	conn, err := pgx.Connect(c.t.Context(), url)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(c.t.Context())) })
	return conn
}

// as returns the URL of a node for another user.
func as(node, user, password string) string {
	u, _ := url.Parse(node) // start has parsed this URL already, without an error
	u.User = url.UserPassword(user, password)
	return u.String()
}

func (c *cluster) run(args ...string) string {
	c.t.Helper()
	command := exec.Command(c.binary, args...)
	command.Dir = c.dir
	code, stdout, stderr := kit.RunCommand(c.t, command)
	if code != 0 {
		c.t.Fatalf("pgretain %s: exit code %d\n%s%s", strings.Join(args, " "), code, stdout, stderr)
	}
	return stdout
}

// install installs the policies on the workers, with the owner of the tables as the migrating role.
func (c *cluster) install(policies string) {
	c.t.Helper()
	var fleet strings.Builder
	fleet.WriteString("version: 1\nstages:\n  - name: workers\n    databases:\n")
	for i, node := range c.nodes {
		fmt.Fprintf(&fleet, "      worker_%d: %s\n", i+1, as(node, "shard_owner", ""))
	}
	files := map[string]string{"retention.yaml": strings.ReplaceAll(policies, "BATCH", strconv.Itoa(rows/600)),
		"fleet.yaml": strings.ReplaceAll(fleet.String(), ":@", "@"),
		"password":   "#!/bin/sh\necho owner\n"}
	files["fleet.yaml"] += "password_command: [./password]\n"
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o700); err != nil {
			c.t.Fatal(err)
		}
	}
	for _, node := range c.nodes {
		// A new session has the settings of onWorkers.
		c.run("bootstrap", "--migrator", "shard_owner", "--apply", "--database-url", node)
		pgtest.Exec(c.t, c.connect(node), "GRANT retention_runner, retention_operator TO shard_owner")
	}
	c.run("snapshot", "--database-url", c.url)
	c.run("generate")
	c.run("migrate", "up", "--fleet", "fleet.yaml")
}

// placeHolds places the holds that dueRows assumes, on each worker.
func (c *cluster) placeHolds() {
	c.t.Helper()
	c.run("hold", "app.message", "tenant_id=7", "--reason", "case 7", "--fleet", "fleet.yaml")
	c.run("hold", "app.reaction", "tenant_id=8", "--reason", "case 8", "--fleet", "fleet.yaml")
}

// documented returns the SQL block of docs/scale.md, section Citus, that begins with the given
// text.
func documented(t *testing.T, begins string) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/scale.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Citus\n")
	for _, block := range strings.Split(section, "```sql\n")[1:] {
		if sql, _, _ := strings.Cut(block, "```"); strings.HasPrefix(strings.TrimSpace(sql), begins) {
			return sql
		}
	}
	t.Fatalf("docs/scale.md#citus has no SQL that begins with %q", begins)
	return ""
}

// job runs the job on all workers with the command of docs/scale.md, and returns the coordinator's
// error.
func (c *cluster) job(conn *pgx.Conn) error {
	c.t.Helper()
	_, command, _ := strings.Cut(documented(c.t, "SELECT cron.schedule"), "$job$")
	command, _, _ = strings.Cut(command, "$job$")
	_, err := conn.Exec(c.t.Context(), command)
	return err
}

// during runs the job repeatedly while f runs, and returns the errors. Then it runs the job once
// more, for rows that f kept from earlier runs.
func (c *cluster) during(f func()) (failed []error) {
	c.t.Helper()
	conn := c.connect(c.url)
	done := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		for over := false; !over; {
			select {
			case <-done:
				over = true
			default:
			}
			if err := c.job(conn); err != nil {
				failed = append(failed, err)
			}
		}
	})
	func() {
		defer group.Wait()
		defer close(done)
		f()
	}()
	if err := c.job(conn); err != nil {
		c.t.Error(err)
	}
	return failed
}

// move moves one shard of app.message, and the shards colocated with it, to the other worker. The
// argument shard counts the shards from 0. The result is the shard's ID.
func (c *cluster) move(shard int, mode string) string {
	c.t.Helper()
	return pgtest.Value[string](c.t, c.coordinator, `SELECT s.shardid::text
		FROM (SELECT * FROM pg_dist_shard
		      WHERE logicalrelid = 'app.message'::regclass
		      ORDER BY shardid OFFSET $1 LIMIT 1) s
		JOIN pg_dist_placement p USING (shardid)
		JOIN pg_dist_node n USING (groupid)
		JOIN pg_dist_node o ON o.groupid NOT IN (0, n.groupid)
		CROSS JOIN LATERAL citus_move_shard_placement(
			s.shardid, n.nodename, n.nodeport, o.nodename, o.nodeport, $2::citus.shard_transfer_mode) m`,
		shard, mode)
}

// node returns a session on the worker that has a shard, and one on the other worker.
func (c *cluster) node(shard string) (has, other *pgx.Conn) {
	c.t.Helper()
	first := pgtest.Value[bool](c.t, c.coordinator,
		`SELECT groupid = (SELECT min(groupid) FROM pg_dist_node WHERE groupid > 0)
		FROM pg_dist_placement WHERE shardid = $1::text::bigint`, shard)
	has, other = c.connect(c.nodes[0]), c.connect(c.nodes[1])
	if !first {
		has, other = other, has
	}
	return has, other
}

// checkRows compares the rows of all nodes with the rows that were due at the start.
func (c *cluster) checkRows() {
	c.t.Helper()
	got := pgtest.Value[string](c.t, c.coordinator,
		`SELECT format(
			'%s due rows left, %s kept rows taken, %s due rows not archived, %s kept rows archived, '
			'%s reactions without message',
			(SELECT count(*) FROM (`+dueRows+`) x),
			$1 - (SELECT count(*) FROM app.message) - (SELECT count(*) FROM public.due_at_start),
			(SELECT count(*)
			 FROM (SELECT tenant_id, id FROM public.due_at_start
			       EXCEPT SELECT tenant_id, id FROM app.message_old) x),
			(SELECT count(*)
			 FROM (SELECT tenant_id, id FROM app.message_old
			       EXCEPT SELECT tenant_id, id FROM public.due_at_start) x),
			(SELECT count(*)
			 FROM app.reaction r LEFT JOIN app.message m ON (m.tenant_id, m.id) = (r.tenant_id, r.message_id)
			 WHERE m.id IS NULL))`, rows)
	const want = "0 due rows left, 0 kept rows taken, 0 due rows not archived, 0 kept rows archived, " +
		"0 reactions without message"
	if diff := cmp.Diff(want, got); diff != "" {
		c.t.Errorf("rows differ (-want +got):\n%s", diff)
	}
}

// TestShards runs a policy that exists once per shard, on two workers, while shards move between
// them. The runs take the rows that a plain query on the coordinator finds due. Holds on
// distributed tables keep their rows, and verify reports that the workers conform.
func TestShards(t *testing.T) {
	c := start(t)
	c.install(policyFile)
	c.placeHolds()
	for _, err := range c.during(func() {
		for i := range 10 {
			c.move(3*i%32, []string{"force_logical", "block_writes"}[i%2])
		}
	}) {
		t.Error(err)
	}
	c.checkRows()
	c.run("verify", "--fleet", "fleet.yaml")

	for _, node := range c.nodes { // the setting has the name of the distributed table, not of a shard
		pgtest.Exec(t, c.connect(node), "UPDATE retention.install SET protect = '{app.reaction}'")
	}
	if err := c.job(c.coordinator); err == nil || !strings.Contains(err.Error(), "which is protected") {
		t.Errorf("a run that would change a protected table ends with %v", err)
	}
	// If the table has another distribution column, the rows of one tenant may be on several nodes.
	// A run must fail then.
	pgtest.Exec(t, c.coordinator, "DROP TABLE app.reaction")
	pgtest.Exec(t, c.coordinator, `SELECT alter_distributed_table('app.message',
		distribution_column => 'id', cascade_to_colocated => false)`)
	if err := c.job(c.coordinator); err == nil || !strings.Contains(err.Error(),
		`table "app.message" is not distributed by "tenant_id" any more`) {
		t.Errorf("a run on a table that is distributed by another column ends with %v", err)
	}
}

// TestKilledWorker kills a worker's server during a run. The call on the coordinator fails. After
// the server has restarted, the next call takes the rows that are left.
func TestKilledWorker(t *testing.T) {
	c := start(t)
	c.install(policyFile)
	c.placeHolds()
	conn := c.connect(c.url)
	failed := make(chan error)
	go func() { failed <- c.job(conn) }()
	victim := c.connect(c.nodes[1])
	pgtest.Until(t, victim, "SELECT count(*) > 3 FROM retention.batch")
	// The postmaster restarts all backends when one of them is killed.
	_, _ = victim.Exec(t.Context(), "COPY (SELECT 1) TO PROGRAM 'kill -9 $PPID'")
	if err := <-failed; err == nil {
		t.Error("the coordinator does not say that a worker failed")
	}
	pgtest.Poll(t, "the server is back", func() bool {
		conn, err := pgx.Connect(t.Context(), c.nodes[1])
		if err == nil {
			_ = conn.Close(t.Context())
		}
		return err == nil
	})
	if err := c.job(conn); err != nil {
		t.Error(err)
	}
	c.checkRows()
}
