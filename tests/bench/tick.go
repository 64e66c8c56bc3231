package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// tickPartitions is the number of partitions of the one table of way "partitions".
const tickPartitions = 500

// tickRole is the role whose jobs pg_cron starts.
const tickRole = "retention_runner"

// ticks measures calls of a job that find no due row, each in a new session, by the processor time
// of the server's process. It compares run_job, which asks all questions, with run_if_due, which
// pg_cron calls.
func (s *session) ticks(ctx context.Context) (results []result, err error) {
	for _, policies := range []int{1, 10, 100} {
		some, err := s.ticksOf(ctx, fmt.Sprintf("%d", policies), tickPolicies(policies), tickTables(policies))
		if err != nil {
			return nil, err
		}
		results = append(results, some...)
	}
	some, err := s.ticksOf(ctx, "partitions",
		"  p0: {partitions_of: m0, due: {age: {older_than: 1000 days}}, then: [drop]}\n"+
			"jobs: {j: {schedule: \"* * * * *\", run: [p0]}}\n", tickPartitioned())
	return append(results, some...), err
}

// tickPolicies returns the policies of one job, each with a table of its own.
func tickPolicies(policies int) string {
	var file strings.Builder
	var names []string
	for i := range policies {
		fmt.Fprintf(&file, "  p%d: {table: m%[1]d, due: {age: {column: at, older_than: 7 days}}, then: [delete]}\n", i)
		names = append(names, fmt.Sprintf("p%d", i))
	}
	fmt.Fprintf(&file, "jobs: {j: {schedule: \"* * * * *\", run: [%s]}}\n", strings.Join(names, ", "))
	return file.String()
}

func tickTables(policies int) string {
	var tables strings.Builder
	for i := range policies {
		fmt.Fprintf(&tables, `CREATE TABLE m%d (id bigint PRIMARY KEY, at timestamptz NOT NULL, note text);
			CREATE INDEX ON m%[1]d (at);
			INSERT INTO m%[1]d SELECT i, now() FROM generate_series(1, 100) i;
			ALTER TABLE m%[1]d OWNER TO %[2]s;`, i, migrator)
	}
	return tables.String()
}

func tickPartitioned() string {
	return fmt.Sprintf(`CREATE TABLE m0 (id bigint, at timestamptz NOT NULL) PARTITION BY RANGE (at);
		DO $$ BEGIN
			FOR i IN 1 .. %d LOOP
				EXECUTE format('CREATE TABLE m0_%%s PARTITION OF m0 FOR VALUES FROM (%%L) TO (%%L)', i,
					current_date - i, current_date - i + 1);
				EXECUTE format('ALTER TABLE m0_%%s OWNER TO %s', i);
			END LOOP;
		END $$;
		ALTER TABLE m0 OWNER TO %[2]s;`, tickPartitions, migrator)
}

// ticksOf measures both calls in a database with these policies and tables.
func (s *session) ticksOf(ctx context.Context, way, policies, tables string) (results []result, err error) {
	p, err := s.project(ctx, "tick_"+way, "version: 1\ninstall: {scheduler: none}\npolicies:\n"+policies,
		"GRANT CREATE ON SCHEMA public TO "+migrator, tables, "ANALYZE")
	if err != nil {
		return nil, err
	}
	if _, _, err := p.command(ctx, "generate"); err != nil {
		return nil, err
	}
	if err := p.migrate(ctx); err != nil {
		return nil, err
	}
	for _, call := range []string{"run_job", "run_if_due"} {
		statement := "CALL retention." + call + "('j')"
		if _, err := p.cost(ctx, tickRole, statement); err != nil { // the first call of a job asks all questions
			return nil, err
		}
		logged, err := p.logged(ctx)
		if err != nil {
			return nil, err
		}
		var samples []sample
		for range idleRuns {
			m, err := p.cost(ctx, tickRole, statement)
			if err != nil {
				return nil, err
			}
			samples = append(samples, m)
		}
		after, err := p.logged(ctx)
		if err != nil {
			return nil, err
		}
		r := result{Bench: "tick", Way: call + "_" + way}
		r.Milliseconds, r.spread = milliseconds(samples)
		results = append(results, r)
		p.say("nothing due: %s, %.2f ms of the processor, %.0f bytes of WAL and %.1f rows of the log in each call",
			r.Way, r.Milliseconds, *median(samples, func(m sample) float64 { return float64(m.wal) }),
			float64(after-logged)/idleRuns)
	}
	return results, nil
}

// cost executes a statement in a new session. It returns the processor time of the server's
// process, the start of the session included, and the WAL that was written meanwhile.
func (p *project) cost(ctx context.Context, role, statement string) (m sample, err error) {
	watch, err := pgx.Connect(ctx, p.url(""))
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, watch.Close(ctx)) }()
	conn, err := pgx.Connect(ctx, p.url(role))
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	var before, after int64
	if err := watch.QueryRow(ctx, query("wal")).Scan(&before); err != nil {
		return m, err
	}
	if _, err := conn.Exec(ctx, statement, pgx.QueryExecModeSimpleProtocol); err != nil {
		return m, err
	}
	if err := watch.QueryRow(ctx, query("wal")).Scan(&after); err != nil {
		return m, err
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", conn.PgConn().PID()))
	if err != nil {
		return m, err
	}
	var nanoseconds int64
	_, err = fmt.Sscan(string(text), &nanoseconds)
	return sample{took: time.Duration(nanoseconds), wal: after - before}, err
}

// logged returns the number of rows in the run log.
func (p *project) logged(ctx context.Context) (rows int64, err error) {
	conn, err := pgx.Connect(ctx, p.url(""))
	if err != nil {
		return 0, err
	}
	err = conn.QueryRow(ctx, "SELECT count(*) FROM retention.run").Scan(&rows)
	return rows, errors.Join(err, conn.Close(ctx))
}
