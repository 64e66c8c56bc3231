package verifier

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"pgretain/policy"
)

// reached is a table that changes through foreign keys, with the shortest path that leads there. OnUpdate: a key goes
// on from columns that were set.
type reached struct {
	Name, Path string
	OnUpdate   bool
}

// followedTable is a table that a walk may begin at or come to; Whole is what it is a partition of, or itself.
type followedTable struct {
	OID         uint32
	Name, Whole string
	Above       []uint32
}

// followedKey has its columns beside those that they refer to; Nulled are those that a delete sets.
type followedKey struct {
	Referenced, Referencing     uint32
	Name                        string
	OnDelete, OnUpdate          string // pg_constraint.confdeltype, confupdtype
	Columns, RefColumns, Nulled []string
}

// goes says whether a key does something when rows that it refers to are deleted (sets is nil) or columns of them
// set, and what that is: its own rows are deleted (nil again), or columns of them set.
func (k followedKey) goes(sets []string) (next []string, goes bool) {
	switch {
	case sets == nil && k.OnDelete == "c":
		return nil, true
	case sets == nil:
		return append([]string{}, slices.Sorted(slices.Values(k.Nulled))...), acts(k.OnDelete)
	}
	touched := false
	for i, column := range k.RefColumns {
		set := slices.Contains(sets, column)
		touched = touched || set
		if set || k.OnUpdate != "c" {
			next = append(next, k.Columns[i])
		}
	}
	slices.Sort(next)
	return next, touched && acts(k.OnUpdate)
}

// acts: CASCADE, SET NULL, SET DEFAULT.
func acts(action string) bool { return action == "c" || action == "n" || action == "d" }

// follower walks from tables along foreign keys as a delete or an update does. It is the same walk as the runtime's _reach,
// written once more: what is verified does not vouch for itself.
type follower struct {
	tables map[uint32]followedTable
	named  map[string]uint32
	below  map[uint32][]uint32
	keys   map[uint32][]followedKey // by the table that is referred to
}

// readFollower reads all foreign keys, for walks from the named tables.
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

// stop is where a walk has come to: to rows that go, or to columns that are set.
type stop struct {
	table uint32
	sets  []string
	path  string
}

func (s stop) state() string { return fmt.Sprint(s.table, s.sets, s.sets == nil) }

// reached lists what deletes from tables change beside their own rows, sorted by name.
func (f *follower) reached(from []string) []reached { return f.walk(f.start(from, nil)) }

// updated lists what follows where columns are set.
func (f *follower) updated(list []policy.Written) []reached {
	var level []stop
	for _, w := range list {
		sets := []string{}
		for _, a := range w.Set {
			sets = append(sets, a.Column)
		}
		slices.Sort(sets)
		level = append(level, f.start([]string{w.Table.String()}, slices.Compact(sets))...)
	}
	return f.walk(level)
}

func (f *follower) walk(level []stop) []reached {
	type arrival struct {
		name string
		on   bool
	}
	paths, left := map[arrival]string{}, map[string]bool{}
	for len(level) > 0 {
		slices.SortFunc(level, func(a, b stop) int { return cmp.Compare(a.path, b.path) })
		arrived := map[arrival]string{} // in as many steps
		var next []stop
		for _, s := range level {
			if left[s.state()] {
				continue
			}
			left[s.state()] = true
			for _, k := range f.keys[s.table] {
				sets, goes := k.goes(s.sets)
				if !goes {
					continue
				}
				to := f.tables[k.Referencing]
				path := fmt.Sprintf("%s -> %s (%s)", s.path, to.Name, k.Name)
				at := arrival{to.Whole, s.sets != nil}
				if other, known := arrived[at]; !known || path < other {
					arrived[at] = path
				}
				next = append(next, stop{to.OID, sets, path})
			}
		}
		for at, path := range arrived {
			if _, shorter := paths[at]; !shorter {
				paths[at] = path
			}
		}
		level = next
	}
	var list []reached
	for at, path := range paths {
		list = append(list, reached{at.name, path, at.on})
	}
	slices.SortFunc(list, func(a, b reached) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Path, b.Path)) })
	return list
}

// start is the tables of some names and all below them.
func (f *follower) start(from, sets []string) []stop {
	var list []stop
	seen := map[uint32]bool{}
	var add func(oid uint32)
	add = func(oid uint32) {
		if t, known := f.tables[oid]; known && !seen[oid] {
			seen[oid] = true
			list = append(list, stop{oid, sets, t.Name})
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
