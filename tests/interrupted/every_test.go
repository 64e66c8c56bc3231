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

// everyVariable asks for a death at every statement of all files; without it some statements of the
// transactional files are left out, others each time. seedVariable repeats a choice.
const (
	everyVariable = "PGRETAIN_TEST_EVERY"
	seedVariable  = "PGRETAIN_TEST_SEED"
)

// TestKilledAtEveryStatement installs two steps and takes them away again, by way of a wire that
// ends the session at one statement more each time. What comes of it is what comes of an install
// that nobody disturbed.
func TestKilledAtEveryStatement(t *testing.T) {
	t.Parallel()
	for _, d := range []death{before, after, during} {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.must(t, s.up) // what outlives a Down is there from now on
			empty := s.must(t, s.down)
			full := s.must(t, s.up)
			s.must(t, s.down)

			points := s.killAll(t, d, s.up)
			same(t, full, s.catalog(t))
			downs := s.killAll(t, d, s.down)
			same(t, empty, s.catalog(t))
			t.Logf("killed at %d statements up and %d down", points, downs)
		})
	}
}

// killAll migrates again and again, until no statement is left at which no session was ended.
func (s stage) killAll(t *testing.T, d death, migrate func(*testing.T, string) error) (points int) {
	t.Helper()
	choose := sample(t, 40)
	killed := map[string]bool{}
	for {
		w := newWire(t, s.DB, d, func(asked statement) bool {
			return !killed[asked.identity] && (!rare.MatchString(asked.text) || choose(asked))
		})
		err := migrate(t, w.url(kit.Migrator))
		cut := w.close()
		if cut == nil {
			if err != nil {
				t.Fatalf("after %d deaths: %v", points, err)
			}
			return points
		}
		killed[cut.identity] = true
		points++
		if points > 5000 {
			t.Fatalf("no end, last at %s", cut.text)
		}
	}
}

// sample chooses one in so many by a seed, or everything.
func sample(t *testing.T, of uint32) func(statement) bool {
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
			t.Logf("%s=%s chooses the same", seedVariable, seed)
		}
	})
	return func(asked statement) bool {
		sum := fnv.New32a()
		sum.Write([]byte(seed + asked.identity))
		return sum.Sum32()%of == 0
	}
}

// rare are the statements that there are many of, all alike: the objects of files with a
// transaction.
var rare = regexp.MustCompile(`(?s)(CREATE OR REPLACE|DROP) (FUNCTION|PROCEDURE|VIEW)|(CREATE|DROP) (TABLE|TYPE)`)
