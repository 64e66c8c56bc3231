package verifier

import (
	"errors"
	"slices"
	"testing"

	"pgretain/internal/diag"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
)

func TestSelect(t *testing.T) {
	all := lists.Map(Selection{}.Codes(), diag.Code.String)
	without := func(codes ...string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(code string) bool { return slices.Contains(codes, code) })
	}
	installed := slices.DeleteFunc(slices.Clone(all), func(code string) bool {
		return diag.Find(code).Group() != messages.Installed
	})
	for name, test := range map[string]struct{ only, skip, want []string }{
		"everything":      {want: all},
		"codes":           {only: []string{"V060", "V020"}, want: []string{"V020", "V060"}},
		"a group":         {only: []string{"installed"}, want: installed},
		"in any case":     {only: []string{"v020", "Installed"}, want: append(slices.Clone(installed), "V020")},
		"without a code":  {skip: []string{"V060"}, want: without("V060")},
		"without a group": {skip: []string{"installed"}, want: without(installed...)},
		"skip wins":       {only: []string{"V020", "V021"}, skip: []string{"V021", "V060"}, want: []string{"V020"}},
		"nothing":         {only: []string{"V020"}, skip: []string{"indexes"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Select(test.only, test.skip)
			if got := lists.Map(s.Codes(), diag.Code.String); err != nil || !slices.Equal(got, test.want) {
				t.Errorf("got %v (%v), want %v", got, err, test.want)
			}
		})
	}
}

// TestSelectUnknown checks that the error of Select lists all unknown names.
func TestSelectUnknown(t *testing.T) {
	_, err := Select([]string{"V020", "V999"}, []string{"indices", "L001"})
	var unknown UnknownChecks
	if !errors.As(err, &unknown) || err.Error() != `there is no check or group "indices", "L001", "V999"` {
		t.Errorf("got %v", err)
	}
}

// TestSelectionOfWhatCouldNotBeSeen checks which probes run and which findings are shown for a
// selection. If a check could not be made, verify reports that as a finding with a code of its own.
// This finding is shown for every selection that does not skip its code. A probe does not run if
// none of its checks is selected.
func TestSelectionOfWhatCouldNotBeSeen(t *testing.T) {
	for name, test := range map[string]struct {
		only, skip  []string
		runs, shown bool // a probe with V020 runs; a finding V091 is shown
	}{
		"everything":         {runs: true, shown: true},
		"its check":          {only: []string{"V020"}, runs: true, shown: true},
		"another check":      {only: []string{"V060"}, shown: true},
		"but its check":      {skip: []string{"V020"}, shown: true},
		"skipped by name":    {skip: []string{"V091"}, runs: true},
		"nothing but sight":  {only: []string{"sight"}, runs: true, shown: true},
		"sight, but not its": {only: []string{"sight"}, skip: []string{"V020"}, shown: true},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Select(test.only, test.skip)
			if err != nil {
				t.Fatal(err)
			}
			runs, shown := s.any([]diag.Code{messages.CodeIndexMissing}), s.shows(messages.CodeTimeout)
			if runs != test.runs || shown != test.shown {
				t.Errorf("runs %t, shown %t; want %t, %t", runs, shown, test.runs, test.shown)
			}
		})
	}
}
