package report_test

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/diag"
	"pgretain/internal/report"
	"pgretain/policy"
)

// members has the members of the SARIF 2.1.0 objects that this program writes, as the OASIS schema
// defines them. The value is the kind of the member, with "!" if the member is required. The schema
// allows no other members.
// https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
var members = map[string]map[string]string{
	"sarifLog": {"$schema": "uri", "version": "!version", "runs": "![]run"},
	"run": {"tool": "!tool", "automationDetails": "runAutomationDetails",
		"columnKind": "columnKind", "results": "[]result"},
	"tool":                 {"driver": "!toolComponent"},
	"toolComponent":        {"name": "!text", "version": "text", "rules": "[]reportingDescriptor"},
	"runAutomationDetails": {"id": "text"},
	"reportingDescriptor": {"id": "!text", "shortDescription": "multiformatMessageString",
		"fullDescription": "multiformatMessageString", "help": "multiformatMessageString"},
	"multiformatMessageString": {"text": "!text", "markdown": "text"},
	"result": {"ruleId": "text", "ruleIndex": "index", "level": "level", "message": "!message",
		"locations":           "[]location",
		"partialFingerprints": "strings", "suppressions": "[]suppression"},
	"message":          {"text": "!message string"}, // or id
	"location":         {"physicalLocation": "physicalLocation"},
	"physicalLocation": {"artifactLocation": "!artifactLocation", "region": "region"}, // or address
	"artifactLocation": {"uri": "uri"},
	// or offsets
	"region":      {"startLine": "!place", "startColumn": "place", "endLine": "place", "endColumn": "place"},
	"suppression": {"kind": "!suppressed", "status": "status", "justification": "text", "location": "location"},
}

// values maps kinds that are no objects to functions that check a value.
var values = map[string]func(v any) bool{
	"text":           func(v any) bool { s, ok := v.(string); return ok && s != "" },
	"message string": func(v any) bool { s, ok := v.(string); return ok && plainMessage(s) },
	"uri": func(v any) bool {
		s, ok := v.(string)
		_, err := url.Parse(s)
		return ok && err == nil && s != ""
	},
	"version":    func(v any) bool { return v == "2.1.0" },
	"columnKind": func(v any) bool { return v == "utf16CodeUnits" || v == "unicodeCodePoints" },
	"level":      func(v any) bool { return slices.Contains([]any{"none", "note", "warning", "error"}, v) },
	"suppressed": func(v any) bool { return v == "inSource" || v == "external" },
	"status":     func(v any) bool { return slices.Contains([]any{"accepted", "underReview", "rejected"}, v) },
	"index":      func(v any) bool { n, ok := v.(float64); return ok && n >= 0 && n == float64(int(n)) },
	"place":      func(v any) bool { n, ok := v.(float64); return ok && n >= 1 && n == float64(int(n)) },
	"strings": func(v any) bool {
		m, ok := v.(map[string]any)
		for _, value := range m {
			_, text := value.(string)
			ok = ok && text
		}
		return ok
	},
}

// plainMessage reports whether a message has no placeholder and no link: all braces are doubled,
// and no bracket is followed by a parenthesis.
func plainMessage(s string) bool {
	single := regexp.MustCompile(`[{}]`).MatchString(strings.NewReplacer("{{", "", "}}", "").Replace(s))
	return s != "" && !single && !strings.Contains(s, "](")
}

// follow checks a value against its kind, and returns a text for each fault. at is the path of the
// value.
func follow(at string, v any, kind string) []string {
	if item, list := strings.CutPrefix(kind, "[]"); list {
		var faults []string
		items, ok := v.([]any)
		if !ok {
			return []string{at + " is not a list"}
		}
		for i, one := range items {
			faults = append(faults, follow(fmt.Sprintf("%s[%d]", at, i), one, item)...)
		}
		return faults
	}
	if fits, ok := values[kind]; ok {
		if !fits(v) {
			return []string{fmt.Sprintf("%s is not of kind %s: %v", at, kind, v)}
		}
		return nil
	}
	object, ok := v.(map[string]any)
	if !ok {
		return []string{at + " is not an object"}
	}
	return followMembers(at, object, members[kind])
}

func followMembers(at string, object map[string]any, known map[string]string) []string {
	var faults []string
	for name, kind := range known {
		value, exists := object[name]
		kind, required := strings.CutPrefix(kind, "!")
		switch {
		case exists:
			faults = append(faults, follow(at+"."+name, value, kind)...)
		case required:
			faults = append(faults, at+" lacks "+name)
		}
	}
	for name := range object {
		if known[name] == "" {
			faults = append(faults, at+" has the unknown member "+name)
		}
	}
	return faults
}

// hostile returns a log whose texts contain special characters of SARIF, URIs and JSON.
func hostile() report.Log {
	f := finding(diag.Drift, "V020", "{0} }{ [x](http://example.org) \x00\x1b <script> \u2028", 7)
	f.Object, f.Hint = "a](b", "SELECT '{1}';"
	f.Position.File = "a b/ä#?%.yaml"
	f.Suppressed = &policy.Suppression{Reason: "{} [a](b)", Until: "2027-01-31"}
	l := log()
	l.Findings = append(l.Findings, f)
	return l
}

func TestSARIF(t *testing.T) {
	t.Parallel()
	for name, l := range map[string]report.Log{
		"all":     log(),
		"hostile": hostile(),
		"nothing": {Verb: "lint", Version: "v", File: "r.yaml"},
	} {
		document := sarif(t, inRoot(t, l))
		if faults := follow("log", document, "sarifLog"); len(faults) > 0 {
			t.Errorf("%s: %s", name, strings.Join(faults, "\n"))
		}
	}
}

// TestSARIFReadingIsStrict checks that follow finds documents that violate the schema.
func TestSARIFReadingIsStrict(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(run map[string]any){
		"a member that is not known": func(run map[string]any) { run["color"] = "red" },
		"a member that is missing":   func(run map[string]any) { delete(run["tool"].(map[string]any), "driver") },
		"a level that is none":       func(run map[string]any) { result(run, 1)["level"] = "drift" },
		"a line before the first":    func(run map[string]any) { region(result(run, 1))["startLine"] = 0.0 },
		"a placeholder": func(run map[string]any) {
			result(run, 1)["message"] = map[string]any{"text": "{0}"}
		},
	} {
		document := sarif(t, inRoot(t, log()))
		spoil(document["runs"].([]any)[0].(map[string]any))
		if len(follow("log", document, "sarifLog")) == 0 {
			t.Errorf("%s: follow finds no fault", name)
		}
	}
}

func result(run map[string]any, n int) map[string]any {
	return run["results"].([]any)[n].(map[string]any)
}

func region(result map[string]any) map[string]any {
	location := result["locations"].([]any)[0].(map[string]any)["physicalLocation"]
	return location.(map[string]any)["region"].(map[string]any)
}

// TestSARIFMeaning checks requirements of SARIF that the schema cannot express. ruleIndex is the
// index of the rule, every result has suppressions, and columns count characters.
func TestSARIFMeaning(t *testing.T) {
	t.Parallel()
	run := sarif(t, inRoot(t, log()))["runs"].([]any)[0].(map[string]any)
	rules := run["tool"].(map[string]any)["driver"].(map[string]any)["rules"].([]any)
	var got []string
	for i := range run["results"].([]any) {
		r := result(run, i)
		if index, ok := r["ruleIndex"]; ok != (r["ruleId"] != nil) || ok &&
			rules[int(index.(float64))].(map[string]any)["id"] != r["ruleId"] {
			t.Errorf("result %d has rule %v and index %v", i, r["ruleId"], r["ruleIndex"])
		}
		at := region(r)
		got = append(got, fmt.Sprintf("%v %v %v:%v-%v:%v %d", r["ruleId"], r["level"], at["startLine"],
			at["startColumn"], at["endLine"], at["endColumn"], len(r["suppressions"].([]any))))
	}
	want := []string{"V090 warning 1:1-1:2 0", "V020 error 9:3-9:4 0", "V021 error 9:3-9:4 1", "V048 note 20:3-20:4 0",
		"<nil> warning 1:1-1:2 0", "P014 error 14:3-14:4 0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if text := result(run, 1)["message"].(map[string]any)["text"]; text != "index \"app.i\" is missing.\nwant: "+
		"a\ngot: b\nRuns read all.\nhint: SELECT 1;\nSELECT 2;" {
		t.Errorf("message %q", text)
	}
	if diff := cmp.Diff(map[string]any{"id": "pgretain-verify/"}, run["automationDetails"]); diff != "" ||
		run["columnKind"] != "unicodeCodePoints" {
		t.Error(run["columnKind"], diff)
	}
}

// TestFingerprints checks that fingerprints do not depend on lines and counts, and that different
// findings have different fingerprints.
func TestFingerprints(t *testing.T) {
	t.Parallel()
	prints := func(findings ...report.Finding) []string {
		run := sarif(t, report.Log{Verb: "verify", Version: "v", File: "r.yaml", Root: "/",
			Findings: findings})["runs"].([]any)[0].(map[string]any)
		var list []string
		for i := range findings {
			list = append(list, result(run, i)["partialFingerprints"].(map[string]any)["primaryLocationLineHash"].(string))
		}
		return list
	}
	about := func(f report.Finding, policy, object string) report.Finding {
		f.Policy, f.Object = policy, object
		return f
	}
	before := prints(about(finding(diag.Drift, "V060", "2 overdue rows", 9), "notes", "app.note"),
		finding(diag.Drift, "V090", "backend 17 holds a lock", 0),
		about(finding(diag.Drift, "V041", "another schedule", 9), "", "retention.purge"),
		about(finding(diag.Drift, "V041", "another command", 9), "", "retention.purge"))
	after := prints(about(finding(diag.Drift, "V060", "10000 or more overdue rows", 90), "notes", "app.note"),
		finding(diag.Drift, "V090", "backend 4242 holds a lock", 0),
		about(finding(diag.Drift, "V041", "another schedule", 11), "", "retention.purge"),
		about(finding(diag.Drift, "V041", "another command", 12), "", "retention.purge"))
	if diff := cmp.Diff(before, after); diff != "" {
		t.Error(diff)
	}
	all := append(before, prints(about(finding(diag.Drift, "V060", "2 overdue rows", 9), "other", "app.note"),
		about(finding(diag.Drift, "V061", "x", 9), "notes", "app.note"),
		about(finding(diag.Drift, "V060", "2 overdue rows", 9), "notes", "app.note2"))...)
	slices.Sort(all)
	if len(slices.Compact(all)) != 7 {
		t.Errorf("the fingerprints of 7 findings are not all different: %v", all)
	}
}
