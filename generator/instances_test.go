package generator

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/catalog"
	"pgretain/policy"
	"pgretain/tests/fixture"
)

// TestShardOfInstances compares the functions of a shard's instance with those of a policy file
// that names the tables of the shard itself. They may break lines at other places. Tables of a
// shard have numbers of their own, and the names of some tables begin with the name of another one.
func TestShardOfInstances(t *testing.T) {
	t.Parallel()
	shard := policy.Instance{Name: "102008", Schema: "app", Tables: map[string]string{"message": "message_102008",
		"message_old": "message_old_102040", "pin": "pin_102072", "reaction": "reaction_102104", "kind": "kind_102136"}}
	cases := cases(t, "golden", 24)
	c := cases[slices.IndexFunc(cases, func(c *fixture.Case) bool { return c.Name == "shards" })]
	objects := compileCase(t, c)
	each := objects[slices.IndexFunc(objects, func(o Object) bool { return o.Kind == KindEach })]
	made := each.Instances.In(shard)
	for _, o := range made {
		if text := fmt.Sprintf("%+v", o); strings.Contains(text, "each_shard") {
			t.Errorf("the instance contains the word:\n%s", text)
		}
	}

	names := regexp.MustCompile(`each_shard\.(\w+)`)
	text := strings.ReplaceAll(c.Text("policy.yaml"), "FROM each_shard.kind ", "FROM each_shard.kind kind ")
	text = names.ReplaceAllStringFunc(text, func(name string) string {
		return "app." + shard.Tables[strings.TrimPrefix(name, "each_shard.")]
	})
	text = strings.Replace(text, "each: {each_shard: {shards_of: app}}", "", 1)
	file, list := policy.Parse("policy.yaml", []byte(text))
	if list.HasErrors() {
		t.Fatal(list)
	}
	snapshot := &catalog.Snapshot{Version: catalog.Version}
	for _, table := range snapshotOf(t, c).Tables {
		if table.Schema == "each_shard" && shard.Tables[table.Name] != "" {
			table.Schema, table.Name = "app", shard.Tables[table.Name]
			for i := range table.Referenced {
				key := &table.Referenced[i]
				key.Table = names.ReplaceAllStringFunc(key.Table, func(name string) string {
					return "app." + shard.Tables[strings.TrimPrefix(name, "each_shard.")]
				})
			}
			snapshot.Tables = append(snapshot.Tables, table)
		}
	}
	alone, list := Compile(file, snapshot, nil)
	if list.HasErrors() {
		t.Fatal(list)
	}
	if diff := cmp.Diff(bodies(ownObjects(t, file, alone)), bodies(made)); diff != "" {
		t.Errorf("the instance differs from a policy on the shard's tables (-alone +instance):\n%s", diff)
	}
	if diff := cmp.Diff(rights(alone), rights(made)); diff != "" {
		t.Errorf("the instance needs other rights than a policy on the shard's tables (-alone +instance):\n%s", diff)
	}
}

// rights returns what roles need, sorted.
func rights(objects []Object) []string {
	var all []string
	for _, o := range objects {
		for _, r := range o.Rights {
			all = append(all, fmt.Sprintf("%+v", r))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// bodies returns the functions of a policy, by their names without the policy. Each white space in
// them is one blank.
func bodies(objects []Object) map[string]string {
	all := map[string]string{}
	named := regexp.MustCompile(`"?messages_old(@102008)?(_\w+)?"?`)
	for _, o := range objects {
		if o.Kind == KindFunction {
			sql := strings.Join(strings.Fields(named.ReplaceAllString(o.SQL, "policy$2")), " ")
			sql = strings.NewReplacer("( ", "(", " )", ")", " -- ", " ").Replace(sql)
			all[named.ReplaceAllString(o.Name, "policy$2")] = sql
		}
	}
	return all
}
