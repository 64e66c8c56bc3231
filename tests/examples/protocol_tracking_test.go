package examples

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/install"
	"pgretain/tests/fixture"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// protocolRows inserts protocols that were last read around :days days ago, some at the same
// instant, and some that were never read. It also inserts cursors of tracked and of other
// protocols.
const protocolRows = `
	INSERT INTO public.protocols (slug, name) SELECT 'p-' || i, 'P ' || i FROM generate_series(1, 80) i;
	INSERT INTO public.protocol_metrics (slug, measured_at, tvl) SELECT 'p-' || i,
		:as_of - i * interval '1 day', i FROM generate_series(1, 80) i;
	INSERT INTO public.tracked_protocols (slug, name, created_at, last_read_at)
	SELECT CASE WHEN n % 7 = 0 THEN 'Ünknown protocol ' ELSE 'p-' END || n, 'P ' || n,
		:as_of - interval '400 days', :as_of - a
	FROM (SELECT row_number() OVER (ORDER BY i, d) AS n, make_interval(days => :days) + d AS a
		FROM generate_series(1, 5) i, unnest(ARRAY['-1 day', '-1 hour', '-1 us', '0', '1 us', '1 hour',
			'1 day', '370 days', NULL]::interval[]) d) x;
	INSERT INTO public.ingest_cursors (slug, source, next_from)
	SELECT slug, s, :as_of FROM public.tracked_protocols, unnest(ARRAY['tvl', 'fees', 'users'])
		WITH ORDINALITY s (s, k) WHERE length(slug) % 3 >= k - 1;
	INSERT INTO public.ingest_cursors (slug, source, next_from) SELECT 'p-' || i, 'orphan', :as_of
		FROM generate_series(60, 80) i;`

// pruned returns the clean-up of the example's document, which deletes cursors together with
// tracking.
func pruned(window string) []step {
	return []step{{"tracked_protocols", []string{`
		WITH gone AS (
			DELETE FROM public.tracked_protocols WHERE last_read_at < :as_of - interval '` + window + `' RETURNING *
		), cursors AS (
			DELETE FROM public.ingest_cursors c USING gone g WHERE c.slug = g.slug
		)
		INSERT INTO retention.event (run_id, policy, event, payload)
		SELECT 0, 'tracked_protocols', 'protocol_pruned',
			jsonb_build_object('slug', slug, 'last_read_at', last_read_at) FROM gone`}}}
}

func (e *example) fillProtocols(t *testing.T, asOf string, days int) {
	t.Helper()
	e.fill(t, strings.ReplaceAll(protocolRows, ":days", strconv.Itoa(days)), asOf)
}

func TestProtocolTracking(t *testing.T) {
	t.Parallel()
	e := shipped(t, "protocol-tracking")
	e.atInstantsAndSizes(t, instants, func(t *testing.T, e *example, asOf string) {
		e.fillProtocols(t, asOf, 30)
		e.job(t, "prune", asOf, pruned("30 days"))
	})
	t.Run("window", func(t *testing.T) { e.forSubtest(t).protocolWindow(t) })
	t.Run("touch", func(t *testing.T) { e.forSubtest(t).protocolTouch(t) })
	t.Run("revive", func(t *testing.T) { e.forSubtest(t).protocolRevive(t) })
	t.Run("without data", func(t *testing.T) { e.forSubtest(t).protocolWithoutData(t) })
	t.Run("a consumer each", func(t *testing.T) { e.forSubtest(t).protocolConsumers(t) })
	t.Run("one bad row", func(t *testing.T) { e.forSubtest(t).protocolBadRow(t) })
	t.Run("most are unread", func(t *testing.T) { e.forSubtest(t).protocolBacklog(t) })
	t.Run("failure", func(t *testing.T) { e.forSubtest(t).protocolFailure(t) })
	t.Run("read meanwhile", func(t *testing.T) { e.forSubtest(t).protocolReadMeanwhile(t) })
	t.Run("who may", func(t *testing.T) { e.forSubtest(t).protocolAuthorisation(t) })
	t.Run("log", func(t *testing.T) { e.forSubtest(t).protocolLog(t) })
	t.Run("at start-up", func(t *testing.T) { e.forSubtest(t).protocolAtStart(t) })
}

// protocolWindow checks which window a run uses: the argument of the call, else the window that an
// operator has set, else 30 days. A value that is no number of days changes nothing.
func (e *example) protocolWindow(t *testing.T) {
	const asOf = "2024-03-31 12:00:00+00"
	inForce := func(want string) {
		t.Helper()
		got := pgtest.Value[string](t, e.conn, "SELECT retention.window_of('tracked_protocols')::text")
		if got != want {
			t.Errorf("the window in force is %s, want %s", got, want)
		}
	}
	run := func(window, olderThan string) {
		t.Helper()
		e.fillProtocols(t, asOf, 7)
		want, taken := e.expectedAfter(t, asOf, pruned(window))
		var argument *string
		if olderThan != "" {
			argument = &olderThan
		}
		if _, err := e.Call("CALL retention.run('tracked_protocols', $1, older_than => $2::interval)", asOf,
			argument); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, e.content(t)); diff != "" {
			t.Errorf("rows differ (-want +got):\n%s", diff)
		}
		if o := e.Last("tracked_protocols"); o.Taken != taken["tracked_protocols"] {
			t.Errorf("%+v", o)
		}
	}
	inForce("30 days")
	run("30 days", "")
	run("7 days", "7 days") // for one run only
	inForce("30 days")
	err := e.Operator("SELECT retention.set_window('tracked_protocols', '7 days', 'the ingest is slow')")
	if err != nil {
		t.Fatal(err)
	}
	inForce("7 days")
	run("7 days", "")
	run("30 days", "30 days")
	for _, nonsense := range []string{"'0 days'", "'-7 days'", "'12 hours'", "'30 dayz'", "'abc'", "'1000000 years'"} {
		if err := e.Operator("SELECT retention.set_window('tracked_protocols', " +
			nonsense + ", 'nonsense')"); err == nil {
			t.Errorf("a window of %s was accepted", nonsense)
		}
		e.fillProtocols(t, asOf, 7)
		before := e.content(t)
		if _, err := e.Call("CALL retention.run('tracked_protocols', $1, older_than => "+nonsense+"::interval)",
			asOf); err == nil {
			t.Errorf("a run with a window of %s was accepted", nonsense)
		}
		if diff := cmp.Diff(before, e.content(t)); diff != "" {
			t.Errorf("a window of %s deleted something:\n%s", nonsense, diff)
		}
	}
	inForce("7 days")
	if err := e.Operator("SELECT retention.set_window('tracked_protocols', NULL, 'as it was')"); err != nil {
		t.Fatal(err)
	}
	inForce("30 days")
	run("30 days", "")
}

// protocolFailure checks that a failed run deletes neither tracking nor cursors and is in the log.
// Once the cause is removed, the next run succeeds.
func (e *example) protocolFailure(t *testing.T) {
	const asOf = "2024-03-31 12:00:00+00"
	e.SetBatch(1000)
	e.fillProtocols(t, asOf, 30)
	before := e.content(t)
	e.DB.Exec(t, `CREATE FUNCTION public.broken() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN PERFORM public.nothing(); RETURN OLD; END $$;
		CREATE TRIGGER broken BEFORE DELETE ON public.tracked_protocols FOR EACH ROW EXECUTE FUNCTION public.broken()`)
	_, err := e.Call("CALL retention.run_job('prune', $1)", asOf)
	o := e.Last("tracked_protocols")
	if err == nil || o.State != "failed" || o.SQLState != "42883" || o.Taken != 0 {
		t.Errorf("%v, %+v", err, o)
	}
	e.onlyChanged(t, before, "retention.event")
	told := pgtest.Column[string](t, e.conn,
		"SELECT concat_ws(' ', policy, event, payload #>> '{rows,0,message}') FROM retention.event")
	if diff := cmp.Diff([]string{"pruned report_alert function public.nothing() does not exist"}, told); diff != "" {
		t.Error(diff)
	}
	e.DB.Exec(t, "DROP FUNCTION public.broken CASCADE")
	e.job(t, "prune", asOf, pruned("30 days"))
}

// protocolBadRow checks that one row that cannot be deleted keeps all rows, and that the run fails,
// until the cause is removed.
func (e *example) protocolBadRow(t *testing.T) {
	const asOf = "2024-03-31 12:00:00+00"
	e.shippedBatch(t)
	e.fillProtocols(t, asOf, 30)
	before := e.content(t)
	e.DB.Exec(t, `CREATE FUNCTION public.kept() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		RAISE 'the audit needs %', OLD.slug; END $$;
		CREATE TRIGGER kept BEFORE DELETE ON public.tracked_protocols FOR EACH ROW WHEN (OLD.slug = 'p-5')
			EXECUTE FUNCTION public.kept()`)
	_, err := e.Call("CALL retention.run_job('prune', $1)", asOf)
	if o := e.Last("tracked_protocols"); err == nil || o.State != "failed" || o.Message != "the audit needs p-5" ||
		o.Taken+o.Refused != 0 {
		t.Errorf("%v, %+v", err, o)
	}
	e.onlyChanged(t, before, "retention.event")
	told := pgtest.Column[string](t, e.conn,
		"SELECT concat_ws(' ', policy, event, payload #>> '{rows,0,message}') FROM retention.event")
	if diff := cmp.Diff([]string{"pruned report_alert the audit needs p-5"}, told); diff != "" {
		t.Error(diff)
	}
	if n := pgtest.Value[int](t, e.conn,
		"SELECT count(*) FROM retention.health() WHERE policy = 'tracked_protocols' AND severity = 'error'"); n != 1 {
		t.Error("health is silent")
	}
	e.DB.Exec(t, "DROP FUNCTION public.kept CASCADE")
	e.job(t, "prune", asOf, pruned("30 days"))
}

// shippedBatch sets the batch size of the shipped policies, which other tests change.
func (e *example) shippedBatch(t *testing.T) {
	t.Helper()
	for _, p := range e.File.Policies {
		e.SetBatch(p.Batch.Rows)
	}
}

// protocolBacklog checks a run that must delete 9,000 of 12,000 rows.
func (e *example) protocolBacklog(t *testing.T) {
	const asOf = "2024-03-31 12:00:00+00"
	e.shippedBatch(t)
	e.fill(t, `INSERT INTO public.tracked_protocols (slug, name, last_read_at)
		SELECT 'p-' || i, 'P', :as_of - make_interval(days => CASE WHEN i <= 9000 THEN 31 ELSE 1 END)
			FROM generate_series(1, 12000) i;
		INSERT INTO public.ingest_cursors (slug, source, next_from) SELECT slug, 'tvl', :as_of
			FROM public.tracked_protocols;
		ANALYZE`, asOf)
	if taken := e.job(t, "prune", asOf, pruned("30 days")); taken["tracked_protocols"] != 9000 {
		t.Errorf("the plan takes %v", taken)
	}
	if o := e.Last("tracked_protocols"); o.Batches > 1 {
		t.Errorf("it took %d transactions", o.Batches)
	}
}

// protocolReadMeanwhile checks a protocol that the application reads while a run would delete it.
func (e *example) protocolReadMeanwhile(t *testing.T) {
	const asOf = "2024-03-31 12:00:00+00"
	e.fillProtocols(t, asOf, 30)
	reader := e.Conn(t)
	pgtest.Exec(t, reader, withAsOf(`
		BEGIN;
		UPDATE public.tracked_protocols SET last_read_at = :as_of WHERE slug = 'p-5'`,
		asOf))
	e.runJob(t, "prune", asOf)
	pgtest.Exec(t, reader, "COMMIT")
	e.runJob(t, "prune", asOf)
	left := pgtest.Column[string](t, e.conn, withAsOf(`SELECT slug || ' ' || count(source)
		FROM public.tracked_protocols LEFT JOIN public.ingest_cursors USING (slug)
		WHERE slug = 'p-5' OR last_read_at < :as_of - interval '30 days' GROUP BY slug`, asOf))
	if diff := cmp.Diff([]string{"p-5 1"}, left); diff != "" {
		t.Error(diff)
	}
}

// protocolAuthorisation checks that only the runner and operators may start a clean-up.
func (e *example) protocolAuthorisation(t *testing.T) {
	const asOf = "2024-03-31 12:00:00+00"
	e.fillProtocols(t, asOf, 30)
	before := e.content(t)
	for _, sql := range []string{"CALL retention.run_job('prune')", "CALL retention.run('tracked_protocols')",
		"SELECT retention.set_window('tracked_protocols', '1 day', 'mine')",
		"SELECT retention.tracked_protocols_touch('{p-1}')"} {
		e.refusedToStrangers(t, sql)
	}
	if diff := cmp.Diff(before, e.content(t)); diff != "" {
		t.Errorf("rows changed:\n%s", diff)
	}
	api := e.Conn(t, "metrics_api")
	if n := pgtest.Value[int](t, api, "SELECT touched FROM retention.tracked_protocols_touch('{p-1}')"); n != 1 {
		t.Errorf("the service touched %d rows", n)
	}
	for _, sql := range []string{"CALL retention.run_job('prune')", "SELECT * FROM retention.event",
		"DELETE FROM public.tracked_protocols"} {
		if _, err := api.Exec(t.Context(), sql); err == nil || !strings.Contains(err.Error(), "permission denied") {
			t.Errorf("the service may %s: %v", sql, err)
		}
	}
	want, _ := e.expectedAfter(t, asOf, pruned("30 days"))
	if err := e.Operator(withAsOf("CALL retention.run_job('prune', :as_of, 'asked for')", asOf)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, e.content(t)); diff != "" {
		t.Errorf("rows differ (-want +got):\n%s", diff)
	}
}

// protocolAtStart checks that the job runs when the server starts.
func (e *example) protocolAtStart(t *testing.T) {
	e.fillProtocols(t, "2024-03-31 12:00:00+00", 30)
	e.StartJobs()
	if err := e.Server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	conn := e.Conn(t)
	pgtest.Until(t, conn, `SELECT count(*) > 0 FROM retention.run WHERE job = 'prune'
		AND policy = 'tracked_protocols' AND state = 'done'`)
	if left := pgtest.Value[int64](t, conn,
		"SELECT count(*) FROM public.tracked_protocols WHERE last_read_at < now() - interval '30 days'"); left != 0 {
		t.Errorf("%d protocols are still there", left)
	}
}

// TestProtocolTrackingUpgrade checks the migrations on existing tables. A table without clocks gets
// filled clock columns and an index. A table that has these columns keeps their values. Down
// removes only what Up added.
func TestProtocolTrackingUpgrade(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]string{
		"without clocks": "",
		"with clocks": `ALTER TABLE public.tracked_protocols ADD COLUMN created_at timestamptz DEFAULT now(),
			ADD COLUMN last_read_at timestamptz DEFAULT now();
			CREATE INDEX idx_tracked_protocols_last_read_at ON public.tracked_protocols (last_read_at);
			UPDATE public.tracked_protocols SET created_at = '2020-01-01', last_read_at = CASE slug
				WHEN 'protocol-2' THEN NULL ELSE '2021-01-01'::timestamptz END`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.ShippedFiles(t, directory("protocol-tracking"))
			in.DB.Exec(t, fixture.ReadFile(t, directory("protocol-tracking"), "data.sql"))
			in.DB.Exec(t, prepare)
			before, rows := kit.Catalog(t, in.DB, "retention"),
				"SELECT to_jsonb(t)::text FROM public.tracked_protocols t ORDER BY slug"
			was := pgtest.Column[string](t, in, rows)
			start := pgtest.Value[time.Time](t, in, "SELECT clock_timestamp()")
			in.Up(t)
			const clocks = `SELECT count(*) || ' ' || CASE WHEN min(least(created_at, last_read_at)) >= $1
				AND max(greatest(created_at, last_read_at)) <= clock_timestamp()
				THEN 'now' ELSE min(created_at)::date || ' ' || min(last_read_at)::date || ' ' ||
					count(*) FILTER (WHERE last_read_at IS NULL) END
				FROM public.tracked_protocols`
			want := map[string]string{"without clocks": "2500 now", "with clocks": "2500 2020-01-01 2021-01-01 1"}[name]
			if got := pgtest.Value[string](t, in, clocks, start); got != want {
				t.Errorf("the clocks are %s, want %s", got, want)
			}
			indexed := pgtest.Value[bool](t, in, `SELECT EXISTS (SELECT FROM pg_index i
				JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
				WHERE i.indrelid = 'public.tracked_protocols'::regclass 
					AND a.attname = 'last_read_at' AND i.indisvalid)`)
			if !indexed {
				t.Error("last_read_at has no index")
			}
			in.DB.Exec(t, "INSERT INTO public.tracked_protocols (slug, name) VALUES ('new', 'New')")
			if !pgtest.Value[bool](t, in, `SELECT created_at >= $1 AND last_read_at >= $1
				FROM public.tracked_protocols WHERE slug = 'new'`, start) {
				t.Error("a new row has no clocks")
			}
			in.DB.Exec(t, "DELETE FROM public.tracked_protocols WHERE slug = 'new'")
			if _, err := install.Down(t.Context(), in.URL(kit.Migrator), in.Migrations,
				install.Options{Install: in.File.Install, Path: "migrations", All: true}); err != nil {
				t.Fatalf("%+v", install.Diagnostics(err))
			}
			if diff := cmp.Diff(before, kit.Catalog(t, in.DB, "retention")); diff != "" {
				t.Errorf("down takes away what it did not add, or not all that it did (-before +after):\n%s", diff)
			}
			if diff := cmp.Diff(was, pgtest.Column[string](t, in, rows)); diff != "" {
				t.Errorf("rows differ (-before +after):\n%s", diff)
			}
		})
	}
}
