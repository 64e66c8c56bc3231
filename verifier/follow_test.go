package verifier

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/policy"
)

// The expected paths are what the recursive query of the runtime's _reach gives for such tables.
func TestReached(t *testing.T) {
	f := &follower{tables: map[uint32]followedTable{}, named: map[string]uint32{}, below: map[uint32][]uint32{}, keys: map[uint32][]followedKey{}}
	for i, name := range []string{"a", "b", "c", "d", "part", "whole"} {
		f.tables[uint32(i+1)], f.named[name] = followedTable{OID: uint32(i + 1), Name: name, Whole: name}, uint32(i+1)
	}
	f.tables[5] = followedTable{OID: 5, Name: "part", Whole: "whole"}
	f.below[6] = []uint32{5}
	key := func(referenced, referencing string, cascades bool, name string) {
		k := followedKey{Referenced: f.named[referenced], Referencing: f.named[referencing], Name: name, OnDelete: "n", OnUpdate: "a"}
		if cascades {
			k.OnDelete = "c"
		}
		f.keys[k.Referenced] = append(f.keys[k.Referenced], k)
	}
	key("a", "a", true, "tree")     // to itself
	key("a", "b", false, "b_null")  // stops there ...
	key("a", "c", true, "c_second") // the smaller of two names wins
	key("a", "c", true, "c_first")
	key("c", "b", true, "b_gone") // ... but goes on from there on a longer way
	key("b", "d", true, "d_b")
	key("d", "a", true, "round")
	key("d", "part", true, "part_d")
	for from, want := range map[string][]reached{
		"a": {
			{Name: "a", Path: "a -> a (tree)"}, {Name: "b", Path: "a -> b (b_null)"}, {Name: "c", Path: "a -> c (c_first)"},
			{Name: "d", Path: "a -> c (c_first) -> b (b_gone) -> d (d_b)"}, {Name: "whole", Path: "a -> c (c_first) -> b (b_gone) -> d (d_b) -> part (part_d)"},
		},
		"whole":   nil,
		"nowhere": nil,
	} {
		if diff := cmp.Diff(want, f.reached([]string{from})); diff != "" {
			t.Errorf("from %s (-want +got):\n%s", from, diff)
		}
	}
}

// What is set goes on by keys on those columns, to what refers to what they set in turn, and from what a delete
// sets to NULL.
func TestUpdated(t *testing.T) {
	f := &follower{tables: map[uint32]followedTable{}, named: map[string]uint32{}, below: map[uint32][]uint32{}, keys: map[uint32][]followedKey{}}
	for i, name := range []string{"a", "b", "c", "d"} {
		f.tables[uint32(i+1)], f.named[name] = followedTable{OID: uint32(i + 1), Name: name, Whole: name}, uint32(i+1)
	}
	key := func(referenced, column, referencing, by, onDelete, onUpdate string) {
		k := followedKey{f.named[referenced], f.named[referencing], by, onDelete, onUpdate, []string{by}, []string{column}, []string{by}}
		f.keys[k.Referenced] = append(f.keys[k.Referenced], k)
	}
	key("a", "mail", "b", "b_mail", "n", "c")
	key("b", "b_mail", "c", "c_mail", "a", "n")
	key("c", "other", "d", "d_other", "a", "c") // no column that is set
	key("a", "id", "d", "d_id", "c", "a")
	key("a", "mail", "d", "d_mail", "c", "r")
	sets := []policy.Written{{Table: policy.Table{Name: "a"}, Set: []policy.Assignment{{Column: "mail"}}}}
	f.named[".a"] = f.named["a"]
	want := []reached{{"b", "a -> b (b_mail)", true}, {"c", "a -> b (b_mail) -> c (c_mail)", true}}
	if diff := cmp.Diff(want, f.updated(sets)); diff != "" {
		t.Errorf("updates (-want +got):\n%s", diff)
	}
	want = []reached{{"b", "a -> b (b_mail)", false}, {"c", "a -> b (b_mail) -> c (c_mail)", true}, {"d", "a -> d (d_id)", false}}
	if diff := cmp.Diff(want, f.reached([]string{"a"})); diff != "" {
		t.Errorf("deletes (-want +got):\n%s", diff)
	}
}
