package policy

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// A struct of the model is read from a map. The tag of a field, `yaml:"key,option,..."`, names the key.
// Options: "required"; "filled", of a map or list that cannot be empty; "null", which takes a bound of the
// defaults away; "of", which names it in messages with what it is of; "by hand", which means that only the key is
// known here, and that the type's read method takes the value. The last one says what a text or an expression is, for
// example "column" or "query", the bounds of a number, the least duration, or the choices of which the first holds by
// default.

type (
	// decoder is a type that reads itself, from more than a map of its tags.
	decoder interface{ read(r *reader, f field) bool }

	// checker is a type that is read by its tags, and then checks itself and reads the rest by hand.
	checker interface{ check(r *reader, m mapping) }
)

// keysOf lists the keys of the struct that into points to.
func keysOf(into any) []string {
	var keys []string
	t := reflect.TypeOf(into).Elem()
	for i := range t.NumField() {
		if tag, ok := t.Field(i).Tag.Lookup("yaml"); ok {
			key, _, _ := strings.Cut(tag, ",")
			keys = append(keys, key)
		}
	}
	return keys
}

// structure reads a map into the struct that into points to; what names it in messages.
func (r *reader) structure(f field, what string, into any) (mapping, bool) {
	m, ok := r.mapping(f, what, keysOf(into))
	if ok {
		r.fill(m, into)
	}
	return m, ok
}

// fill reads the fields of a struct from a map. Its Position is that of the key, or else of the value.
func (r *reader) fill(m mapping, into any) {
	v := reflect.ValueOf(into).Elem()
	for i := range v.NumField() {
		tag, ok := v.Type().Field(i).Tag.Lookup("yaml")
		if !ok {
			continue
		}
		options := strings.Split(tag, ",")
		f, ok := m.fields[options[0]]
		if !ok && slices.Contains(options, "required") {
			f, ok = m.require(options[0])
		}
		if !ok || slices.Contains(options, "by hand") {
			continue
		}
		if slices.Contains(options, "filled") {
			r.notEmpty(f)
		}
		if slices.Contains(options, "of") {
			f.what = f.label() + " of " + m.what
		}
		if at := v.FieldByName(v.Type().Field(i).Name + "Position"); at.IsValid() {
			at.Set(reflect.ValueOf(r.at(f.value)))
		}
		if slices.Contains(options, "null") && isNull(f) {
			v.Field(i).SetZero()
			continue
		}
		r.value(f, v.Field(i).Addr().Interface(), options[len(options)-1])
	}
	if at := v.FieldByName("Position"); at.IsValid() && at.IsZero() {
		at.Set(reflect.ValueOf(r.fieldAt(m.from)))
	}
}

// value reads one value into what into points to; kind is the last option of the tag.
func (r *reader) value(f field, into any, kind string) (ok bool) {
	switch v := into.(type) {
	case decoder:
		return v.read(r, f)
	case *string:
		if strings.Contains(kind, "|") {
			*v = r.choice(f, strings.Split(kind, "|")...)
			return true
		}
		var text string
		if text, ok = r.word(f, kind); ok {
			*v = text
		}
	case *bool:
		*v, ok = r.boolean(f), true
	case *int:
		n := int64(*v)
		ok = r.value(f, &n, kind)
		*v = int(n)
	case *int64:
		var low, high int64
		_, _ = fmt.Sscanf(kind, "%d..%d", &low, &high)
		var n int64
		if n, ok = r.within(f, low, high); ok {
			*v = n
		}
	case *float64:
		*v = r.fraction(f)
	case *time.Duration:
		low, _ := time.ParseDuration(kind)
		*v = r.duration(f, low)
	case *Name:
		v.Text, ok = r.word(f, kind)
		v.Position = r.at(f.value)
	case *Table:
		*v, ok = r.table(f)
	case *Expr:
		*v, ok = r.sql(f, kind)
	case *[]Assignment:
		*v, ok = r.assignments(f, kind), true
	default:
		return r.reflected(f, reflect.ValueOf(into).Elem(), kind)
	}
	return ok
}

// reflected reads a pointer, which stays nil where the value is wrong; a list; a map by name, whose items
// have a name; or a struct.
func (r *reader) reflected(f field, into reflect.Value, kind string) bool {
	switch into.Kind() {
	case reflect.Pointer:
		v := reflect.New(into.Type().Elem())
		ok := r.value(f, v.Interface(), kind)
		if ok {
			into.Set(v)
		}
		return ok
	case reflect.Slice:
		if what, named := nameOf(into.Type().Elem()); named {
			r.byName(f, into, what)
			return true
		}
		items := []field{f}
		if kind != "schedule" || f.is(yaml.SequenceNode) { // which may stand alone
			items = r.list(f)
		}
		for _, item := range items {
			v := reflect.New(into.Type().Elem())
			if r.value(item, v.Interface(), kind) && !r.listed(item, into, v.Elem(), kind) {
				into.Set(reflect.Append(into, v.Elem()))
			}
		}
		return true
	}
	m, ok := r.structure(f, f.title(), into.Addr().Interface())
	if c, checks := into.Addr().Interface().(checker); checks && ok {
		c.check(r, m)
	}
	return ok
}

// listed reports a name or a table that is in the list already.
func (r *reader) listed(item field, list, v reflect.Value, kind string) bool {
	name, ok := v.Interface().(fmt.Stringer)
	for i := range list.Len() {
		if ok && fmt.Sprint(list.Index(i)) == name.String() {
			r.add(codeRunTwice, r.at(item.value), fmt.Sprintf("%s %q is already listed in %q", kind, name, item.name()), "", "")
			return true
		}
	}
	return false
}

// nameOf says what a type is called whose items stand in a map by their names.
func nameOf(t reflect.Type) (what string, named bool) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return "", false
	}
	name, _ := t.FieldByName("Name")
	return name.Tag.Lookup("name")
}

// byName reads a map of names in the order of the file. One whose value is wrong is left out, unless its
// type says otherwise.
func (r *reader) byName(f field, into reflect.Value, what string) {
	m, _ := r.mapping(f, quoted(f.name()), nil)
	for _, name := range m.order {
		f := m.fields[name]
		switch what {
		case "database": // the type checks it
		case "column":
			if column, ok := r.identifier(field{value: f.key}, "column"); ok {
				name = column
			}
		default:
			r.named(f, name, what)
		}
		v := reflect.New(into.Type().Elem())
		item := v
		if v.Elem().Kind() == reflect.Pointer {
			item = reflect.New(v.Type().Elem().Elem())
			v.Elem().Set(item)
		}
		item.Elem().FieldByName("Name").SetString(name)
		f.what = fmt.Sprintf("%s %q", what, f.key.Value)
		if r.value(f, item.Interface(), "") {
			into.Set(reflect.Append(into, v.Elem()))
		}
	}
}

// mapping is a YAML map whose keys were checked.
type mapping struct {
	r      *reader
	from   field
	what   string // for messages, e.g. policy "x"
	fields map[string]field
	order  []string // keys in the order of the file, merged ones last
}

// mapping reads a map: every key one of keys, or any name where keys is nil; none written twice; merge
// keys (<<) followed.
func (r *reader) mapping(f field, what string, keys []string) (mapping, bool) {
	m := mapping{r: r, from: f, what: what, fields: map[string]field{}}
	node, ok := r.kindOf(f, what, yaml.MappingNode, "a map")
	if ok {
		m.collect(node, keys, map[*yaml.Node]bool{})
	}
	return m, ok
}

// collect adds the keys of node that are not there yet, then those of the maps that it merges.
func (m *mapping) collect(node *yaml.Node, keys []string, seen map[*yaml.Node]bool) {
	if seen[node] {
		return
	}
	seen[node] = true
	own := map[string]*yaml.Node{}
	var merges []*yaml.Node
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := resolve(node.Content[i]), node.Content[i+1]
		if key.Tag == "!!merge" {
			merges = append(merges, value)
			continue
		}
		if !m.key(key, own, keys) {
			continue
		}
		if _, ok := m.fields[key.Value]; !ok {
			m.fields[key.Value] = field{key: key, value: value}
			m.order = append(m.order, key.Value)
		}
	}
	for _, value := range merges {
		m.merge(value, keys, seen)
	}
}

func (m *mapping) merge(value *yaml.Node, keys []string, seen map[*yaml.Node]bool) {
	node := resolve(value)
	switch node.Kind {
	case yaml.MappingNode:
		m.collect(node, keys, seen)
	case yaml.SequenceNode:
		for _, item := range node.Content {
			if resolve(item).Kind == yaml.SequenceNode {
				m.r.add(codeKind, m.r.at(item), `"<<" merges maps, not a list`, "", "")
				continue
			}
			m.merge(item, keys, seen)
		}
	default:
		m.r.add(codeKind, m.r.at(value), `"<<" merges maps, not `+kindName(node), "", "Name an anchor, for example <<: *base.")
	}
}

// key says whether the key is one, and allowed here.
func (m *mapping) key(key *yaml.Node, own map[string]*yaml.Node, keys []string) bool {
	if key.Kind != yaml.ScalarNode || key.Tag != "!!str" {
		m.r.add(codeKind, m.r.at(key), "a key must be a name, not "+kindName(key), "", "Put the name in quotes.")
		return false
	}
	if first, ok := own[key.Value]; ok {
		m.r.add(codeDuplicate, m.r.at(key), fmt.Sprintf("key %q is already written in %s", key.Value, m.what),
			fmt.Sprintf("The first one is at %s.", m.r.at(first)), "")
		return false
	}
	own[key.Value] = key
	if keys == nil || slices.Contains(keys, key.Value) {
		return true
	}
	m.r.add(codeUnknownKey, m.r.at(key), fmt.Sprintf("unknown key %q in %s", key.Value, m.what),
		"Allowed here: "+strings.Join(keys, ", ")+".", DidYouMean(key.Value, keys))
	return false
}

// require is the field of a key that must be there.
func (m mapping) require(key string) (field, bool) {
	f, ok := m.fields[key]
	if !ok {
		m.r.add(codeMissing, m.r.fieldAt(m.from), fmt.Sprintf("%s needs the key %q", m.what, key), "", "")
	}
	return f, ok
}

// exclusive refuses a key where the map has another one.
func (r *reader) exclusive(m mapping, first, second, detail, hint string) {
	if f, ok := m.fields[second]; ok && m.has(first) {
		r.add(codeConflict, r.at(f.key), fmt.Sprintf("%q and %q exclude each other", first, second), detail, hint)
	}
}

// has says whether the key is written, whatever its value.
func (m mapping) has(key string) bool {
	_, ok := m.fields[key]
	return ok
}
