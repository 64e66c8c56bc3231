package model

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"pgretain/tests/kit"
)

// numberVariable says how many policies, by default 80, and 10,000 where fireVariable is set;
// seedVariable repeats the choice of a run.
const (
	numberVariable = "PGRETAIN_TEST_POLICIES"
	fireVariable   = "PGRETAIN_TEST_FIRE"
	seedVariable   = "PGRETAIN_TEST_SEED"
	perFile        = 40
)

// TestPoliciesEqualTheModel runs policies that chance wrote, many of them in one file, and compares
// what a preview, the run log and all tables say with the model.
func TestPoliciesEqualTheModel(t *testing.T) {
	t.Parallel()
	seed := setting(t, seedVariable, uint64(time.Now().UnixNano()/1e6))
	number := uint64(80)
	if os.Getenv(fireVariable) != "" {
		number = 10000
	}
	files := (setting(t, numberVariable, number) + perFile - 1) / perFile
	t.Logf("%s=%d", seedVariable, seed)
	for n := range files {
		seed := seed + n
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("%s=%d %s=1 writes the same policies", seedVariable, seed, numberVariable)
				}
			})
			fire(t, seed)
		})
	}
}

func setting(t *testing.T, variable string, otherwise uint64) uint64 {
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

// scenarios are those of a file.
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

func fire(t *testing.T, seed uint64) {
	all := scenarios(t, seed)
	failed := 0
	report := func(s *scenario, diff string) {
		if failed++; failed == 1 {
			s, diff = s.shrink(t, diff)
		}
		t.Errorf("policy %s\n%s\n%s", s.name, s, diff)
	}
	var in *kit.Installed
	if said := attempt(t, func(p testing.TB) string { in = install(keep{p, t}, all); return "" }); said != "" {
		for _, s := range all {
			if diff := s.alone(t); diff != "" {
				report(s, diff)
			}
		}
		t.Fatalf("the file as a whole: %s", said)
	}
	for _, s := range all {
		if diff := attempt(t, func(t testing.TB) string { return s.compare(t, in) }); diff != "" {
			report(s, diff)
		}
	}
}
