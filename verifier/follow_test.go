package verifier

import (
	"testing"

	"github.com/google/go-cmp/cmp"
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
		k := followedKey{f.named[referenced], f.named[referencing], cascades, name}
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
			{"a", "a -> a (tree)"}, {"b", "a -> b (b_null)"}, {"c", "a -> c (c_first)"},
			{"d", "a -> c (c_first) -> b (b_gone) -> d (d_b)"}, {"whole", "a -> c (c_first) -> b (b_gone) -> d (d_b) -> part (part_d)"},
		},
		"whole":   nil,
		"nowhere": nil,
	} {
		if diff := cmp.Diff(want, f.reached([]string{from})); diff != "" {
			t.Errorf("from %s (-want +got):\n%s", from, diff)
		}
	}
}
