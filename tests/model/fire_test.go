package model

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"pgretain/tests/kit"
)

// numberVariable sets the number of policies. The default is 40, or 10,000 in "make fire".
// seedVariable repeats the random choices of an earlier test.
const (
	numberVariable = "PGRETAIN_TEST_POLICIES"
	seedVariable   = "PGRETAIN_TEST_SEED"
	perFile        = 40
)

// TestPoliciesEqualTheModel runs random policies, with perFile policies in each file. It compares
// the preview, the run log and all tables with the model.
func TestPoliciesEqualTheModel(t *testing.T) {
	t.Parallel()
	seed := envNumber(t, seedVariable, uint64(time.Now().UnixNano()/1e6))
	number := uint64(40)
	if kit.Fire() {
		number = 10000
	}
	files := (envNumber(t, numberVariable, number) + perFile - 1) / perFile
	t.Logf("%s=%d", seedVariable, seed)
	for n := range files {
		seed := seed + n
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("to repeat these policies, set %s=%d and %s=1", seedVariable, seed, numberVariable)
				}
			})
			runFile(t, seed)
		})
	}
}

func envNumber(t *testing.T, variable string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// scenarios returns the scenarios of one file.
func scenarios(t *testing.T, seed uint64) (all []*scenario) {
	t.Helper()
	zone, err := time.LoadLocation(zones[seed%uint64(len(zones))])
	if err != nil {
		t.Fatal(err)
	}
	for n := range perFile {
		all = append(all, randomScenario(seed, n, zone))
	}
	return all
}

func runFile(t *testing.T, seed uint64) {
	all := scenarios(t, seed)
	failed := 0
	report := func(s *scenario, diff string) {
		if failed++; failed == 1 {
			s, diff = s.shrink(t, diff)
		}
		t.Errorf("policy %s differs from the model\n%s\n%s", s.name, s, diff)
	}
	var in *kit.Installed
	message := attempt(t, func(p testing.TB) string {
		in = install(deferCleanup{p, t}, all)
		return ""
	})
	if message != "" {
		for _, s := range all {
			if diff := s.compareAlone(t); diff != "" {
				report(s, diff)
			}
		}
		t.Fatalf("the file with all policies could not be installed: %s", message)
	}
	for _, s := range all {
		if diff := attempt(t, func(t testing.TB) string { return s.compare(t, in) }); diff != "" {
			report(s, diff)
		}
	}
}
