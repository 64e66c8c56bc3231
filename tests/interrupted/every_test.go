package interrupted

import (
	"hash/fnv"
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	"pgretain/tests/kit"
)

// everyVariable interrupts at every statement of all files. Without it the test leaves out some
// similar statements, others in each test run. seedVariable repeats the choice of an earlier test
// run.
const (
	everyVariable = "PGRETAIN_TEST_EVERY"
	seedVariable  = "PGRETAIN_TEST_SEED"
)

// TestKilledAtEveryStatement checks migrations that are interrupted at every statement, up and
// down. A proxy ends the session one statement later each time. The database must equal one whose
// migration nobody interrupted.
func TestKilledAtEveryStatement(t *testing.T) {
	t.Parallel()
	for _, d := range []interruption{before, after, during} {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.mustMigrate(t, s.up) // creates the objects that Down does not drop
			empty := s.mustMigrate(t, s.down)
			full := s.mustMigrate(t, s.up)
			s.mustMigrate(t, s.down)

			points := s.killAll(t, d, s.up)
			wantSameCatalog(t, full, s.catalog(t))
			downs := s.killAll(t, d, s.down)
			wantSameCatalog(t, empty, s.catalog(t))
			t.Logf("killed at %d statements up and %d down", points, downs)
		})
	}
}

// killAll migrates until it has interrupted a session at each statement, and returns the number of
// statements.
func (s stage) killAll(t *testing.T, d interruption, migrate func(*testing.T, string) error) (points int) {
	t.Helper()
	choose := sample(t, 40)
	killed := map[string]bool{}
	for {
		w := newProxy(t, s.DB, d, func(asked statement) bool {
			return !killed[asked.identity] && (!frequent.MatchString(asked.text) || choose(asked))
		})
		err := migrate(t, w.url(kit.Migrator))
		cut := w.close()
		if cut == nil {
			if err != nil {
				t.Fatalf("the migration failed after %d interruptions: %v", points, err)
			}
			return points
		}
		killed[cut.identity] = true
		points++
		if points > 5000 {
			t.Fatalf("the migration was interrupted 5,000 times, last at %s", cut.text)
		}
	}
}

// sample returns a function that chooses one of rate statements by the seed, or all statements.
func sample(t *testing.T, rate uint32) func(statement) bool {
	t.Helper()
	if os.Getenv(everyVariable) != "" {
		return func(statement) bool { return true }
	}
	seed := os.Getenv(seedVariable)
	if seed == "" {
		seed = strconv.FormatInt(time.Now().UnixNano(), 10)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("to choose the same statements, set %s=%s", seedVariable, seed)
		}
	})
	return func(asked statement) bool {
		sum := fnv.New32a()
		sum.Write([]byte(seed + asked.identity))
		return sum.Sum32()%rate == 0
	}
}

// frequent matches statements that migrations contain many times, all alike: the objects of files
// with a transaction.
var frequent = regexp.MustCompile(`(?s)(CREATE OR REPLACE|DROP) (FUNCTION|PROCEDURE|VIEW)|(CREATE|DROP) (TABLE|TYPE)`)
