package generator

// Change is what becomes of an object: there is no Before of a new one, and no After of one that goes.
type Change struct{ Before, After *Object }

// Changes tells two lists of objects apart: new and changed ones in the order of after, then those that go, in that of
// before.
func Changes(before, after []Object) []Change {
	var list []Change
	was := make(map[ID]*Object, len(before))
	for i := range before {
		was[before[i].ID()] = &before[i]
	}
	for i := range after {
		id := after[i].ID()
		if o := was[id]; o == nil || o.Hash() != after[i].Hash() {
			list = append(list, Change{o, &after[i]})
		}
		delete(was, id)
	}
	for i := range before {
		if was[before[i].ID()] != nil {
			list = append(list, Change{Before: &before[i]})
		}
	}
	return list
}

// Sign is "+" of a new object, "~" of one that changes, "-" of one that goes.
func (c Change) Sign() string {
	switch {
	case c.Before == nil:
		return "+"
	case c.After == nil:
		return "-"
	}
	return "~"
}

// Object is what it is about, as it will be or was.
func (c Change) Object() Object {
	if c.After == nil {
		return *c.Before
	}
	return *c.After
}
