package policy_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"pgretain/policy"
	"pgretain/tests/fixture"
)

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(policy.Schema))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("policy.json", document); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("policy.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// value returns the value of a YAML text that the JSON Schema check of an editor reads.
func value(t *testing.T, source []byte) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal(source, &v); err != nil {
		t.Fatal(err)
	}
	return plain(v)
}

// plain converts a decoded YAML value to the types that the JSON decoder returns.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key := range v {
			v[key] = plain(v[key])
		}
	case map[any]any:
		named := map[string]any{}
		for key := range v {
			named[fmt.Sprint(key)] = plain(v[key])
		}
		return named
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case time.Time:
		return v.Format(time.DateOnly)
	}
	return v
}

// TestSchemaAcceptsPolicies checks that the schema accepts every valid policy file of the project,
// and every example of its documentation.
func TestSchemaAcceptsPolicies(t *testing.T) {
	t.Parallel()
	compiled, count := schema(t), 0
	golden := fixture.Cases(t, "../generator/testdata/golden", 24, "*", "want/*")
	for _, c := range slices.Concat(valid(t), golden, fixture.Projects(t, "..")) {
		count++
		if err := compiled.Validate(value(t, []byte(c.Text("policy.yaml")+c.Text("retention.yaml")))); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```\n")
	for _, page := range []string{"../docs/policy.md", "../README.md"} {
		for _, block := range blocks.FindAllStringSubmatch(fixture.ReadFile(t, page), -1) {
			count++
			if err := compiled.Validate(value(t, []byte(block[1]))); err != nil {
				t.Errorf("%s: %s\n%v", page, block[1], err)
			}
		}
	}
	if count < 40 {
		t.Errorf("found %d policy files, want at least 40", count)
	}
}

// structural matches the codes of faults that a schema can find: an unknown key, a wrong type, a
// missing key.
var structural = regexp.MustCompile(`\[(P002|P004|P005)\]`)

// beyondSchema has the cases with such a code that no schema can refuse, and the reason.
var beyondSchema = map[string]string{
	"kind_date_for_expression": "JSON has no dates",
	"yaml_tag":                 "JSON has no tags",
	"text_nul":                 "a character that no text may hold",
}

// TestSchemaRefuses checks that the schema refuses each file that Parse refuses for its structure,
// except the cases in beyondSchema.
func TestSchemaRefuses(t *testing.T) {
	t.Parallel()
	compiled, count := schema(t), 0
	for _, c := range invalid(t) {
		if !structural.MatchString(c.Text("stderr.txt")) {
			continue
		}
		var v any
		if yaml.Unmarshal([]byte(c.Text("policy.yaml")), &v) != nil {
			continue // the file is not YAML
		}
		count++
		err := compiled.Validate(plain(v))
		if _, known := beyondSchema[c.Name]; known == (err != nil) {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
	if count < 30 {
		t.Errorf("found %d cases, want at least 30", count)
	}
}

// TestSchemaSaysTheDefaults checks the defaults in the descriptions of the schema. A policy with
// these values has the same bounds as a policy that leaves them out.
func TestSchemaSaysTheDefaults(t *testing.T) {
	t.Parallel()
	var document struct {
		Definitions map[string]struct {
			Properties map[string]struct{ Description string }
		} `json:"$defs"`
	}
	if err := json.Unmarshal([]byte(policy.Schema), &document); err != nil {
		t.Fatal(err)
	}
	said, written, count := regexp.MustCompile(`default ([^\s,:]+)`), "", 0
	for _, bound := range []string{"batch", "budget", "breaker", "throttle"} {
		values := []string{}
		for key, property := range document.Definitions[bound].Properties {
			if m := said.FindStringSubmatch(property.Description); m != nil {
				values = append(values, key+": "+m[1])
			}
		}
		written, count = written+"    "+bound+": {"+strings.Join(values, ", ")+"}\n", count+len(values)
	}
	if count < 8 {
		t.Errorf("the schema says %d defaults, want at least 8:\n%s", count, written)
	}
	file, list := policy.Parse("policy.yaml", []byte("version: 1\npolicies:\n  short: &short\n"+
		"    table: public.note\n    where: t.done\n    then: [delete]\n  long:\n    <<: *short\n"+written))
	if list.HasErrors() {
		t.Fatal(list)
	}
	if diff := cmp.Diff(file.Policies[0].Bounded(), file.Policies[1].Bounded()); diff != "" {
		t.Errorf("the schema says other defaults (-default +schema):\n%s", diff)
	}
}
