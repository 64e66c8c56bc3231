package verifier

import (
	"testing"
	"time"
)

// A unit is named where it explains every number, and only then.
func TestSmallerUnit(t *testing.T) {
	now := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		encoding, first, last string
		notAll                bool
		want                  string
	}{
		"milliseconds for seconds":      {encoding: "epoch_s", first: "1700000000000", last: "1780000000000", want: "milliseconds"},
		"with fractions":                {encoding: "epoch_s", first: "1700000000000.5", last: "1780000000000.25", want: "milliseconds"},
		"microseconds for seconds":      {encoding: "epoch_s", first: "1700000000000000", last: "1780000000000000", want: "microseconds"},
		"microseconds for milliseconds": {encoding: "epoch_ms", first: "1700000000000000", last: "1780000000000000", want: "microseconds"},
		"nanoseconds for milliseconds":  {encoding: "epoch_ms", first: "1700000000000000000", last: "1780000000000000000", want: "nanoseconds"},
		"a word for never":              {encoding: "epoch_s", first: "1700000000000", last: "1700000000000"},
		"the year 9999":                 {encoding: "epoch_s", first: "253402300798", last: "253402300799"},
		"the greatest number too":       {encoding: "epoch_s", first: "1700000000000", last: "9223372036854775807"},
		"some rows only":                {encoding: "epoch_s", first: "1700000000000", last: "1780000000000", notAll: true},
		"no number":                     {encoding: "uuidv7", first: "1700000000000", last: "1780000000000"},
		"an instant":                    {encoding: "", first: "2099-01-01 00:00:00+00", last: "infinity"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := smallerUnit(test.encoding, facts{First: test.first, Last: test.last, AllAhead: !test.notAll}, now); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
