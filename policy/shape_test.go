package policy

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shapes are the maps of the language, by their names in the schema.
func shapes() map[string]shape {
	all := map[string]shape{
		"install": installShape, "roles": rolesShape, "defaults": defaultsShape, "batch": batchShape, "budget": budgetShape,
		"breaker": breakerShape, "throttle": throttleShape, "policy": policyShape, "ensured": ensureShape, "join": joinShape,
		"due": dueShape, "entry": entryShape, "watermark": watermarkShape, "encoding": encodingShape, "snowflake": snowflakeShape,
		"tier": tierShape, "window_map": windowShape, "rank": rankShape, "count": countShape, "step": {keys: verbNames},
		"claim": claimShape, "cursor": cursorShape, "touch": touchShape, "revive": reviveShape, "report": reportShape, "job": jobShape,
		"suppression": suppressShape,
		"coverage":    coverageShape,
	}
	for name, s := range clockShapes {
		all[name] = s
	}
	for name, v := range verbs {
		all[name] = v.shape()
	}
	return all
}

// definition is a map of the schema; one that may also be something else has it in then or else.
type definition struct {
	Properties map[string]json.RawMessage `json:"properties"`
	Then       *definition                `json:"then"`
	Else       *definition                `json:"else"`
}

func (d *definition) keys() []string {
	if d == nil {
		return nil
	}
	keys := append(d.Then.keys(), d.Else.keys()...)
	for key := range d.Properties {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// TestSchemaHasTheKeys holds that the schema has the keys that the parser has, no more, no fewer.
func TestSchemaHasTheKeys(t *testing.T) {
	t.Parallel()
	var root struct {
		definition
		Defs map[string]*definition `json:"$defs"`
	}
	if err := json.Unmarshal([]byte(Schema), &root); err != nil {
		t.Fatal(err)
	}
	wanted, got := map[string][]string{"": slices.Sorted(slices.Values(fileShape.keys))}, map[string][]string{"": root.keys()}
	for name, s := range shapes() {
		wanted[name] = slices.Sorted(slices.Values(s.keys))
	}
	for name, d := range root.Defs {
		if keys := d.keys(); len(keys) > 0 {
			got[name] = keys
		}
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Error(diff)
	}
}

// TestShapesAreListed fails on a shape of this package that the list above forgets: it counts
// their definitions.
func TestShapesAreListed(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	defined := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		defined += len(regexp.MustCompile(`shape\{\n?\s*keys:|\{keys:`).FindAll(source, -1))
	}
	// verb.shape makes one of each verb, and the file's own has no name.
	if listed := len(shapes()) - 1 + 1 + 1; defined != listed {
		t.Errorf("%d shapes are defined, %d listed", defined, listed)
	}
}

// TestReferenceHasTheKeys holds that the language's reference names every key.
func TestReferenceHasTheKeys(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]bool{}
	for _, code := range regexp.MustCompile("`[^`\n]+`").FindAllString(string(page), -1) {
		for _, word := range regexp.MustCompile(`[a-z_]+`).FindAllString(code, -1) {
			words[word] = true
		}
	}
	for name, s := range shapes() {
		for _, key := range s.keys {
			if !words[key] {
				t.Errorf("key %q of %q is not explained", key, name)
			}
		}
	}
}
