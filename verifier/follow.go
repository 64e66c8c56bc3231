package verifier

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
)

// reached is a table that deletes change through foreign keys, with the shortest path that leads there.
type reached struct{ Name, Path string }

// followedTable is a table that deletes may begin at or come to; Whole is what it is a partition of, or itself.
type followedTable struct {
	OID         uint32
	Name, Whole string
	Above       []uint32
}

type followedKey struct {
	Referenced, Referencing uint32
	Cascades                bool
	Name                    string
}

// follower walks from tables along foreign keys as a delete does. It is the same walk as the runtime's _reach,
// written once more: what is verified does not vouch for itself.
type follower struct {
	tables map[uint32]followedTable
	named  map[string]uint32
	below  map[uint32][]uint32
	keys   map[uint32][]followedKey // by the table that is referred to
}

// readFollower reads all foreign keys, for deletes from the named tables.
func (v *inspection) readFollower(ctx context.Context, tx pgx.Tx, names []string) (*follower, error) {
	tables, err := seen[followedTable](ctx, tx, v.query("followed_tables"), names)
	if err != nil {
		return nil, err
	}
	f := &follower{map[uint32]followedTable{}, map[string]uint32{}, map[uint32][]uint32{}, map[uint32][]followedKey{}}
	for _, t := range tables {
		f.tables[t.OID], f.named[t.Name] = t, t.OID
		for _, above := range t.Above {
			f.below[above] = append(f.below[above], t.OID)
		}
	}
	keys, err := seen[followedKey](ctx, tx, v.query("followed_keys"))
	for _, k := range keys {
		if _, known := f.tables[k.Referencing]; known { // else it was made meanwhile
			f.keys[k.Referenced] = append(f.keys[k.Referenced], k)
		}
	}
	return f, err
}

// stop is where a walk has come to.
type stop struct {
	table uint32
	path  string
}

// reached lists what deletes from tables change beside their own rows, sorted by name.
func (f *follower) reached(from []string) []reached {
	level := f.start(from)
	paths, left := map[string]string{}, map[uint32]bool{}
	for len(level) > 0 {
		slices.SortFunc(level, func(a, b stop) int { return cmp.Compare(a.path, b.path) })
		arrived := map[string]string{} // in as many steps
		var next []stop
		for _, s := range level {
			if left[s.table] {
				continue
			}
			left[s.table] = true
			for _, k := range f.keys[s.table] {
				to := f.tables[k.Referencing]
				path := fmt.Sprintf("%s -> %s (%s)", s.path, to.Name, k.Name)
				if other, known := arrived[to.Whole]; !known || path < other {
					arrived[to.Whole] = path
				}
				if k.Cascades {
					next = append(next, stop{to.OID, path})
				}
			}
		}
		for name, path := range arrived {
			if _, shorter := paths[name]; !shorter {
				paths[name] = path
			}
		}
		level = next
	}
	var list []reached
	for _, name := range slices.Sorted(maps.Keys(paths)) {
		list = append(list, reached{name, paths[name]})
	}
	return list
}

// start is the tables of some names and all below them.
func (f *follower) start(from []string) []stop {
	var list []stop
	seen := map[uint32]bool{}
	var add func(oid uint32)
	add = func(oid uint32) {
		if t, known := f.tables[oid]; known && !seen[oid] {
			seen[oid] = true
			list = append(list, stop{oid, t.Name})
			for _, below := range f.below[oid] {
				add(below)
			}
		}
	}
	for _, name := range from {
		add(f.named[name])
	}
	return list
}
