// Package monitoring tests the files of docs/monitoring with Prometheus and its exporters.
package monitoring

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/fixture"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const shipped = "../../docs/monitoring/"

// TestRules checks the alerting rules with promtool. Each alert has a case in which it fires.
func TestRules(t *testing.T) {
	t.Parallel()
	const cases = "testdata/rules_test.yaml"
	for _, args := range [][]string{{"check", "rules", shipped + "rules.yaml"}, {"test", "rules", cases}} {
		if out, err := exec.CommandContext(t.Context(), "promtool", args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	tested := fixture.ReadFile(t, cases)
	rules := fixture.ReadFile(t, shipped+"rules.yaml")
	alerts := regexp.MustCompile(`(?m)^ +- alert: (\w+)$`).FindAllStringSubmatch(rules, -1)
	for _, alert := range alerts {
		if !regexp.MustCompile(`alertname: ` + alert[1] + `\n +exp_alerts:`).MatchString(tested) {
			t.Errorf("%s has no case in which %s fires", cases, alert[1])
		}
	}
	if len(alerts) < 9 {
		t.Errorf("rules.yaml has %d alerts, want at least 9", len(alerts))
	}
}

const policies = `
policies:
  tripped: {table: item, due: &week {age: {column: at, older_than: 7 days}}, breaker: {rows: 5}, then: [delete]}
  fine:
    table: other
    due: *week
    keep: {even: id % 2 = 0}
    breaker: {fraction: 100%}
    then: [{archive: {into: '"gone ""rows"'}}, delete]
reports:
  counted: {query: "SELECT count(*) FROM item"}
jobs:
  j: {schedule: "@daily", run: [fine, tripped, counted]}
`

const tables = `
	CREATE TABLE item (id int PRIMARY KEY, at timestamptz NOT NULL);
	CREATE TABLE other (LIKE item INCLUDING ALL);
	CREATE TABLE "gone ""rows" (LIKE item)`

// bgwriter returns the name of the exporter's collector for the background writer.
func bgwriter(t *testing.T) string {
	help, err := exec.Command("prometheus-postgres-exporter", "--help").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, help)
	}
	if strings.Contains(string(help), "collector.stat_bgwriter") {
		return "stat_bgwriter"
	}
	return "bgwriter"
}

// TestSeries lets Prometheus scrape both exporters with the shipped configurations. Behind each
// exporter are two databases, and a policy of the first one has tripped. Prometheus must get each
// series of retention.metrics of both, with its name, labels and value. The expected alerts must
// fire, and each query of the dashboard must find data.
func TestSeries(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, tables+`;
		INSERT INTO item SELECT i, '2024-01-01' FROM generate_series(1, 9) i;
		INSERT INTO other SELECT * FROM item`, policies)
	well := kit.Install(t, tables, policies)
	if _, err := well.Call("CALL retention.run_job('j')"); err != nil {
		t.Fatal(err)
	}
	databases := []*kit.Installed{in, well}
	if _, err := in.Call("CALL retention.run_job('j')"); err == nil {
		t.Fatal("run_job() succeeds, want an error because a policy trips")
	}
	for _, call := range []string{
		"SELECT retention.place_hold('item', '1', 'case', now() + interval '2 days')",
		"SELECT retention.pause('fine', 'release')",
	} {
		if err := in.Operator(call); err != nil {
			t.Fatal(err)
		}
	}
	// pg_cron does not run here. No alert reports that within the first minutes.
	in.Exec(t, "UPDATE retention.install SET scheduler = 'pg_cron'")
	in.Exec(t, pgtest.MakeRole("scraper LOGIN IN ROLE retention_viewer"))
	exporters, prometheus := []string{address(t), address(t)}, address(t)
	run(t, []string{"DATA_SOURCE_NAME=" + in.URL("scraper") + "," + well.URL("scraper")},
		"prometheus-postgres-exporter",
		"--disable-default-metrics", "--disable-settings-metrics",
		"--no-collector."+bgwriter(t), "--no-collector.database",
		"--extend.query-path="+shipped+"queries.yaml", "--web.listen-address="+exporters[0])
	sqlExporter := edited(t, "sql_exporter.yaml", "",
		`"postgres://scraper@localhost/shop?sslmode=disable"`, fmt.Sprintf("%q, %q", in.URL("scraper"),
			well.URL("scraper")),
		"1m", "1s")
	run(t, []string{"LOGLEVEL=ERROR"}, "prometheus-sql-exporter",
		"-web.listen-address="+exporters[1], "-config.file="+sqlExporter)
	rules, err := filepath.Abs(shipped + "rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	scrape := edited(t, "scrape.yaml",
		fmt.Sprintf("rule_files: [%q]\nglobal: {evaluation_interval: 1s}\n", rules),
		"localhost:9187", strings.Join(exporters, ", "),
		"1m", "1s")
	run(t, nil, "prometheus",
		"--storage.tsdb.path="+t.TempDir(), "--web.listen-address="+prometheus, "--config.file="+scrape)

	for _, exporter := range exporters {
		var diff string
		until(t, func() bool {
			want := map[string]string{}
			for _, database := range databases {
				for _, row := range pgtest.Column[string](t, database, `
					SELECT jsonb_build_array(
						labels - 'job' || jsonb_build_object('__name__', name, 'database', current_database(),
							'retention_job', coalesce(labels ->> 'job', '')),
						value)::text
					FROM retention.metrics
					WHERE value IS NOT NULL`) {
					name, value := series(t, row)
					want[name] = value
				}
			}
			got := map[string]string{}
			all := fmt.Sprintf(`{job="pgretain", instance=%q, __name__=~"retention_.+"}`, exporter)
			for _, s := range query(t, prometheus, all) {
				delete(s.Metric, "job")
				delete(s.Metric, "instance")
				delete(s.Metric, "server")
				got[label(s.Metric)] = s.value(t)
			}
			diff = cmp.Diff(want, got)
			return diff == "" && len(want) >= 30
		}, func() string {
			return "Prometheus has other series than retention.metrics (-metrics +Prometheus):\n" + diff
		})
	}
	for verb, table := range map[string]string{"delete": "public.other", "archive": `public.gone "rows`} {
		of := fmt.Sprintf("retention_rows_total{policy=\"fine\", verb=%q, table=%q, database=%q}", verb, table, in.Name)
		if got := query(t, prometheus, of); len(got) != len(exporters) || got[0].value(t) != fixed(5) ||
			got[1].value(t) != fixed(5) {
			t.Errorf("%s is %v, want the value 5 from each exporter", of, got)
		}
	}

	expected := []string{"RetentionHoldExpires item " + in.Name, "RetentionTripped tripped " + in.Name}
	var firing []string
	until(t, func() bool {
		firing = nil
		for _, s := range query(t, prometheus, `ALERTS{alertstate="firing"}`) {
			about := s.Metric["policy"]
			if about == "" {
				about = strings.TrimPrefix(s.Metric["table"], "public.")
			}
			firing = append(firing, s.Metric["alertname"]+" "+about+" "+s.Metric["database"])
		}
		slices.Sort(firing)
		firing = slices.Compact(firing)
		return slices.Equal(firing, expected)
	}, func() string { return fmt.Sprintf("firing alerts: %v, want %v", firing, expected) })
	board(t, prometheus)
}

// board runs the queries of the dashboard's panels for two policies. Each query, and each series
// that a query names, must have data.
func board(t *testing.T, prometheus string) {
	t.Helper()
	var shown struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	text := fixture.ReadFile(t, shipped+"board.json")
	if err := json.Unmarshal([]byte(text), &shown); err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile(`retention_\w+`)
	variables := strings.NewReplacer("$policy", "fine|tripped", "$__rate_interval", "1m")
	for _, panel := range shown.Panels {
		for _, target := range panel.Targets {
			expr := variables.Replace(target.Expr)
			for _, wanted := range append(name.FindAllString(strings.ReplaceAll(expr, "retention_job", ""), -1), expr) {
				until(t, func() bool { return len(query(t, prometheus, wanted)) > 0 },
					func() string { return "panel " + panel.Title + ": no data for " + wanted })
			}
		}
	}
	behind := regexp.MustCompile(`(?s)alert: RetentionBehind\n.*?expr: >-\n(.*?)\n +for:`).
		FindStringSubmatch(fixture.ReadFile(t, shipped+"rules.yaml"))
	if want := strings.Join(strings.Fields(behind[1]), " "); len(shown.Panels) < 10 || !strings.Contains(text, want) {
		t.Errorf("the board has %d panels, want at least 10, one with the expression of RetentionBehind: %s",
			len(shown.Panels), want)
	}
}

// edited writes a copy of a shipped file and returns its path. It replaces words, given in pairs,
// and appends more.
func edited(t *testing.T, name, more string, words ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	text := strings.NewReplacer(words...).Replace(fixture.ReadFile(t, shipped+name)) + more
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// series reads a row of retention.metrics. It returns its labels as label does, and its value.
func series(t *testing.T, row string) (name, value string) {
	t.Helper()
	var pair [2]json.RawMessage
	var labels map[string]string
	var number float64
	for _, err := range []error{
		json.Unmarshal([]byte(row), &pair),
		json.Unmarshal(pair[0], &labels),
		json.Unmarshal(pair[1], &number),
	} {
		if err != nil {
			t.Fatalf("%s: %v", row, err)
		}
	}
	return label(labels), fixed(number)
}

// label returns the labels as sorted pairs key=value.
func label(labels map[string]string) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(labels)) {
		if labels[k] == "" { // Prometheus drops empty labels
			continue
		}
		parts = append(parts, k+"="+labels[k])
	}
	return strings.Join(parts, " ")
}

func fixed(n float64) string { return strconv.FormatFloat(n, 'f', 3, 64) }

// sample is one series of an answer of Prometheus, with its value.
type sample struct {
	Metric map[string]string
	Value  [2]any
}

func (s sample) value(t *testing.T) string {
	t.Helper()
	n, err := strconv.ParseFloat(fmt.Sprint(s.Value[1]), 64)
	if err != nil {
		t.Fatal(err)
	}
	return fixed(n)
}

// query asks Prometheus, and returns nothing while Prometheus does not answer yet.
func query(t *testing.T, server, text string) []sample {
	t.Helper()
	address := "http://" + server + "/api/v1/query?query=" + url.QueryEscape(text)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil
	}
	defer response.Body.Close()
	var answer struct{ Data struct{ Result []sample } }
	if json.NewDecoder(response.Body).Decode(&answer) != nil {
		return nil
	}
	return answer.Data.Result
}

// address returns a local address on which nothing listens.
func address(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// run starts a program, and stops it when the test ends.
func run(t *testing.T, env []string, name string, args ...string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), env...)
	var output strings.Builder
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("output of %s:\n%s", name, output.String())
		}
	})
}

// until waits until reached returns true. After pgtest.MaxWait it fails the test with the text of
// missing.
func until(t *testing.T, reached func() bool, missing func() string) {
	t.Helper()
	for end := time.Now().Add(pgtest.MaxWait); !reached(); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(missing())
		}
	}
}
