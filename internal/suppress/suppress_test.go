package suppress_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/diag"
	"pgretain/internal/messages"
	"pgretain/internal/suppress"
	"pgretain/policy"
)

func file(t *testing.T, zone string, items ...string) *policy.File {
	t.Helper()
	file, list := policy.Parse("p.yaml", []byte(`version: 1
install: {time_zone: `+zone+`}
policies:
  notes_old: {table: app.note, due: {age: {column: at, older_than: 7 days}}, then: [delete]}
suppress:
  - `+strings.Join(items, "\n  - ")+"\n"))
	if len(list) > 0 {
		t.Fatal(list)
	}
	return file
}

func item(keys string) string { return "{check: V020, " + keys + "reason: r, until: 2027-01-31}" }

// TestUntil checks that a suppression is in force until the last second of its day, in the time
// zone of the install.
func TestUntil(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		zone, at string
		want     string
	}{
		{"UTC", "2027-01-31T23:59:59Z", ""},
		{"UTC", "2027-02-01T00:00:00Z", " ended on 2027-01-31"},
		{"America/Lima", "2027-02-01T04:59:59Z", ""}, // five hours behind
		{"America/Lima", "2027-02-01T05:00:00Z", " ended on 2027-01-31"},
		{"Pacific/Auckland", "2027-01-31T10:59:59Z", ""}, // thirteen hours ahead in summer
		{"Pacific/Auckland", "2027-01-31T11:00:00Z", " ended on 2027-01-31"},
		{"UTC", "2026-01-31T00:00:00Z", ""},
		{"UTC", "2026-01-30T23:59:59Z", " is not yet in force: 2027-01-31 is more than a year ahead"},
		{"UTC", "1999-12-31T00:00:00Z", " is not yet in force: 2027-01-31 is more than a year ahead"},
	} {
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		filter := suppress.New(file(t, c.zone, item("")), "V", at)
		if got := filter[0].Lapsed; got != c.want {
			t.Errorf("%s in %s: %q, want %q", c.at, c.zone, got, c.want)
		}
		if found := filter.Match(diag.Diagnostic{Code: messages.CodeIndexMissing}); (found != nil) != (c.want == "") {
			t.Errorf("%s in %s: suppressed by %v", c.at, c.zone, found)
		}
	}
}

var january = time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)

func TestMatch(t *testing.T) {
	t.Parallel()
	index := diag.Diagnostic{Code: messages.CodeIndexMissing, Policy: "notes_old", Table: "app.note",
		Object: "app.note_at"}
	column := diag.Diagnostic{Code: messages.CodeIndexMissing, Object: "app.note.at"}
	for _, c := range []struct {
		keys    string
		subject diag.Diagnostic
		want    bool
	}{
		{"", index, true},
		{"policy: notes_old, ", index, true},
		{"policy: notes_old, ", column, false},
		{"table: app.note, ", index, true},
		{"table: app.note, ", column, true},
		{"table: app.note, ", diag.Diagnostic{Code: messages.CodeIndexMissing, Object: "app.note"}, true},
		{"table: app.note, ", diag.Diagnostic{Code: messages.CodeIndexMissing, Object: "app.notes"}, false},
		{"table: app.notes, ", index, false},
		{"object: app.note_at, ", index, true},
		{"object: app.note, ", index, false},
		{"", diag.Diagnostic{Code: messages.CodeIndexInvalid}, false},
	} {
		filter := suppress.New(file(t, "UTC", item(c.keys)), "V", january)
		if found := filter.Match(c.subject); (found != nil) != c.want || filter[0].Met != c.want {
			t.Errorf("a suppression with %q and finding %+v: Match returns %v, want a match: %t",
				c.keys, c.subject, found, c.want)
		}
	}
}

// TestUncertainIsNotSuppressed checks that Match never suppresses an unknown finding. The
// suppression still counts as used.
func TestUncertainIsNotSuppressed(t *testing.T) {
	t.Parallel()
	filter := suppress.New(file(t, "UTC", item("")), "V", january)
	if found := filter.Match(diag.Diagnostic{Code: messages.CodeIndexMissing, Severity: diag.Unknown}); found != nil {
		t.Errorf("suppressed by %v", found)
	}
	if fault, wrong := filter[0].Fault(messages.VerifySuppressions, true); wrong {
		t.Error(fault)
	}
}

// TestFaults checks that Match returns the first suppression in force. Other suppressions that
// match the same finding count as used, so they have no fault.
func TestFaults(t *testing.T) {
	t.Parallel()
	source := file(t, "UTC", item(""), item("table: app.note, "), item("table: app.other, "),
		"{check: V020, reason: old, until: 2026-12-31}", "{check: V020, table: app.other, reason: old, until: "+
			"2026-12-31}",
		"{check: V021, reason: far, until: 2028-01-02}", "{check: L004, reason: of lint, until: 2026-01-01}")
	filter := suppress.New(source, "V", january)
	if found := filter.Match(diag.Diagnostic{Code: messages.CodeIndexMissing, Table: "app.note"}); found == nil ||
		found.Position != source.Suppress[0].Position {
		t.Errorf("suppressed by %v", found)
	}
	for complete, want := range map[bool][]string{
		true: {"", "", "the suppression of V020 matches nothing|",
			"the suppression of V020 ended on 2026-12-31|The findings that it matches count again.",
			"the suppression of V020 ended on 2026-12-31|It matches nothing.",
			"the suppression of V021 is not yet in force: 2028-01-02 is more than a year ahead|It matches nothing."},
		false: {"", "", "",
			"the suppression of V020 ended on 2026-12-31|The findings that it matches count again.",
			"the suppression of V020 ended on 2026-12-31|",
			"the suppression of V021 is not yet in force: 2028-01-02 is more than a year ahead|"},
	} {
		var got []string
		for _, e := range filter {
			message := ""
			if d, wrong := e.Fault(messages.LintSuppressions, complete); wrong {
				message = fmt.Sprintf("%s|%s", d.Message, d.Detail)
			}
			got = append(got, message)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("complete %t: %s", complete, diff)
		}
	}
}
