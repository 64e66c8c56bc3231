package policy

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shapes returns the keys of each map of the language, by the name of the map in the schema.
func shapes() map[string][]string {
	bounds := []string{"batch", "budget", "breaker", "throttle"}
	all := map[string][]string{
		"":            keysOf(&File{}),
		"install":     keysOf(&Install{}),
		"roles":       keysOf(&Roles{}),
		"defaults":    append([]string{"index"}, bounds...),
		"batch":       keysOf(&Batch{}),
		"budget":      keysOf(&Budget{}),
		"breaker":     keysOf(&Breaker{}),
		"throttle":    keysOf(&Throttle{}),
		"policy":      keysOf(&Policy{}),
		"ensured":     keysOf(&Column{}),
		"join":        keysOf(&Join{}),
		"due":         append(slices.Clone(entryKeys), "any"),
		"entry":       entryKeys,
		"watermark":   keysOf(&Watermark{}),
		"encoding":    {"snowflake"},
		"snowflake":   keysOf(&snowflakeKey{}),
		"tier":        tierKeys,
		"window_map":  windowKeys,
		"rank":        keysOf(&Rank{}),
		"count":       countKeys,
		"step":        keysOf(&Step{}),
		"claim":       keysOf(&Claim{}),
		"cursor":      keysOf(&Cursor{}),
		"touch":       keysOf(&Touch{}),
		"revive":      keysOf(&Revive{}),
		"report":      keysOf(&Report{}),
		"job":         keysOf(&Job{}),
		"suppression": keysOf(&Suppression{}),
		"coverage":    keysOf(&Coverage{}),
		"each":        keysOf(&Each{}),
	}
	verbs := map[string]any{"delete": &Delete{}, "update": &Update{}, "insert": &Insert{}, "archive": &Archive{},
		"emit": &Emit{}}
	for verb, body := range verbs {
		all[verb] = append(keysOf(body), rowKeys...)
	}
	maps.Copy(all, clockKeys)
	return all
}

// definition is a map in the JSON Schema. If the value may also have another type, the map is in
// "then" or "else".
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

// TestSchemaHasTheKeys checks that the schema has exactly the keys of the parser.
func TestSchemaHasTheKeys(t *testing.T) {
	t.Parallel()
	var root struct {
		definition
		Defs map[string]*definition `json:"$defs"`
	}
	if err := json.Unmarshal([]byte(Schema), &root); err != nil {
		t.Fatal(err)
	}
	wanted, got := map[string][]string{}, map[string][]string{"": root.keys()}
	for name, keys := range shapes() {
		wanted[name] = slices.Sorted(slices.Values(keys))
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

// TestReferenceHasTheKeys checks that docs/policy.md names every key.
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
	for name, keys := range shapes() {
		for _, key := range keys {
			if !words[key] {
				t.Errorf("docs/policy.md does not name key %q of %q", key, name)
			}
		}
	}
}
