package examples

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/fixture"
	"pgretain/tests/pgtest"
)

// quotedPolicy matches a part of the policy that a row quotes.
var quotedPolicy = regexp.MustCompile(
	"`((?:due|beyond|older_than|ttl|cursor|protect|breaker|alert|then): [^`]*)`")

const rulesHead = "| the document says | where | tested by | what differs, and why |\n|---|---|---|---|\n"

// TestEveryRuleHasATest checks the table of rules in each example's README. Each rule names a test
// as "TestName" or "TestName/case"; the case is a string in the test's package. The README mentions
// all policies, reports and jobs of the example. What it quotes from the policy, up to "...", is in
// the policy.
func TestEveryRuleHasATest(t *testing.T) {
	t.Parallel()
	tests := testSources(t)
	for _, name := range []string{"bot-queue", "mutual-aid", "protocol-tracking", "telegram-channels", "trade-dedup"} {
		readme := filepath.Join(directory(name), "README.md")
		text, policy := fixture.ReadFile(t, readme), fixture.ReadFile(t, directory(name), "retention.yaml")
		_, table, found := strings.Cut(text, rulesHead)
		table, _, ended := strings.Cut(table, "\n\n")
		rows := strings.Split(table, "\n")
		if !found || !ended || len(rows) < 15 {
			t.Errorf("%s has no table of rules, or one of %d", readme, len(rows))
			continue
		}
		for _, row := range rows {
			cells := strings.Split(strings.ReplaceAll(row, `\|`, ""), "|")
			if len(cells) != 6 || strings.TrimSpace(cells[1]) == "" || strings.TrimSpace(cells[2]) == "" {
				t.Errorf("%s: a row that is not of four cells: %s", readme, row)
				continue
			}
			for _, quoted := range quotedPolicy.FindAllStringSubmatch(cells[2], -1) {
				if part, _, _ := strings.Cut(quoted[1], "..."); !strings.Contains(policy, part) {
					t.Errorf("%s quotes %s, which the policy does not say", readme, quoted[1])
				}
			}
			named := regexp.MustCompile("`(Test[^`]*)`").FindAllStringSubmatch(cells[3], -1)
			if len(named) == 0 && strings.TrimSpace(cells[4]) == "" {
				t.Errorf("%s: neither a test nor a reason: %s", readme, row)
			}
			for _, name := range named {
				if !tests.contains(name[1]) {
					t.Errorf("%s names %s, which is not there", readme, name[1])
				}
			}
		}
		for _, name := range regexp.MustCompile(`(?m)^  ([a-z0-9_]+):`).FindAllStringSubmatch(policy, -1) {
			if name[1] != "breaker" && name[1] != "batch" && !strings.Contains(text, name[1]) {
				t.Errorf("%s does not speak of %s", readme, name[1])
			}
		}
	}
}

// sources has the text of all test files, by folder.
type sources map[string]string

func testSources(t *testing.T) sources {
	t.Helper()
	all := sources{}
	err := fs.WalkDir(os.DirFS(".."), ".", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, "_test.go") {
			all[filepath.Dir(path)] += fixture.ReadFile(t, "..", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func (s sources) contains(name string) bool {
	name, part, _ := strings.Cut(name, "/")
	for _, text := range s {
		if strings.Contains(text, "\nfunc "+name+"(t ") && (part == "" || strings.Contains(text, `"`+part+`"`)) {
			return true
		}
	}
	return false
}

// TestSchedules checks that the jobs have the schedules of the documents.
func TestSchedules(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"bot-queue": {"enqueued_messages */5 * * * *"},
		"telegram-channels": {"base 45 0 * * *", "bsc 30 0 * * *", "eth 15 0 * * *", "sol 0 0 * * *",
			"watch 0 1 * * *"},
		"trade-dedup":       {"duplicate_rate */5 * * * *", "processed_trades * * * * *"},
		"protocol-tracking": {"prune 0 1 * * *", "prune @reboot"},
		"mutual-aid": {"activity_log 0 4 * * 0", "decay 0 3 * * *", "decay_report 0 9 * * 1",
			"decay_riverside 30 */6 * * *", "dibs */5 * * * *",
			"hard_delete 0 2 * * *", "mark_expired 0 * * * *", "memory 30 3 * * *", "trust_edges 30 4 * * *"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := shipped(t, name)
			got := pgtest.Column[string](t, e.conn, `SELECT x FROM (
				SELECT substring(command FROM 'run_if_due\(''(\w+)''') || ' ' || schedule FROM cron.job
					WHERE username = 'retention_runner') j (x) ORDER BY x COLLATE "C"`)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("schedules (-want +got):\n%s", diff)
			}
		})
	}
}
