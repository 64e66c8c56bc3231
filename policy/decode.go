package policy

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"pgretain/internal/lists"
	"pgretain/internal/parallel"
)

// A struct of the model is read from a map. The tag of a field, `yaml:"key,option,..."`, names the key.
// Options: "required"; "filled", of a map or list that cannot be empty; "null", which takes a bound of the
// defaults away; "of", which names it in messages with what it is of; "by hand", which means that only the key is
// known here, and that a method of the type takes the value. The last one says what a text or an expression is, for
// example "column" or "query", the bounds of a number, the least duration, or the choices of which the first holds by
// default.

type (
	// decoder is a type that reads itself, from more than a map of its tags.
	decoder interface{ read(r *reader, f field) }

	// checker is a type that is read by its tags, and then checks itself and reads the rest by hand.
	checker interface{ check(r *reader, m mapping) }
)

// tagged is a field of a struct with a tag. Position is the place of the field that takes where its value stands, -1
// without one.
type tagged struct {
	index    int
	key      string
	options  []string
	kind     string // the last option
	position int
}

func (t tagged) has(option string) bool { return slices.Contains(t.options, option) }

// taggedOf lists those of a type.
var taggedOf = parallel.Remember(func(of reflect.Type) (list []tagged) {
	for i := range of.NumField() {
		if tag, ok := of.Field(i).Tag.Lookup("yaml"); ok {
			options := strings.Split(tag, ",")
			t := tagged{i, options[0], options[1:], options[len(options)-1], -1}
			if at, ok := of.FieldByName(of.Field(i).Name + "Position"); ok {
				t.position = at.Index[0]
			}
			list = append(list, t)
		}
	}
	return list
})

// keysOf lists the keys of the struct that into points to.
func keysOf(into any) []string {
	return lists.Map(taggedOf(reflect.TypeOf(into).Elem()), func(t tagged) string { return t.key })
}

// structure reads a map into the struct that into points to; what names it in messages.
func (r *reader) structure(f field, what string, into any) mapping {
	m := r.mapping(f, what, keysOf(into))
	r.fill(m, into)
	return m
}

// fill reads the fields of a struct from a map. Its Position is that of the key, or else of the value.
func (r *reader) fill(m mapping, into any) {
	v := reflect.ValueOf(into).Elem()
	for _, t := range taggedOf(v.Type()) {
		f, written := m.fields[t.key]
		field := v.Field(t.index)
		switch {
		case written && t.has("by hand"):
			continue
		case !written:
			if t.has("required") {
				m.require(t.key)
			}
			if first, _, choice := strings.Cut(t.kind, "|"); choice && field.IsZero() {
				field.SetString(first)
			}
			continue
		}
		if node := resolve(f.value); t.has("filled") && len(node.Content) == 0 && node.Kind != yaml.ScalarNode {
			r.add("P005 empty", r.fieldAt(f), f.name())
		}
		if t.has("of") {
			f.what = f.label() + " of " + m.what
		}
		if t.position >= 0 {
			v.Field(t.position).Set(reflect.ValueOf(r.at(f.value)))
		}
		if t.has("null") && isNull(f) {
			field.SetZero()
			continue
		}
		r.value(f, field.Addr().Interface(), t.kind)
	}
	if at := v.FieldByName("Position"); at.IsValid() && at.IsZero() {
		at.Set(reflect.ValueOf(r.fieldAt(m.from)))
	}
}

// value reads one value into what into points to, unless that fails; kind is the last option of the tag.
func (r *reader) value(f field, into any, kind string) (ok bool) {
	return r.try(func() { r.read(f, into, kind) })
}

func (r *reader) read(f field, into any, kind string) {
	switch v := into.(type) {
	case decoder:
		v.read(r, f)
	case *string:
		*v = r.word(f, kind)
	case *bool:
		*v = strings.EqualFold(r.scalar(f, "true or false", "!!bool"), "true")
	case *float64:
		*v = r.fraction(f)
	case *time.Duration:
		low, _ := time.ParseDuration(kind)
		*v = r.duration(f, low)
	case *Name:
		v.Text, v.Position = r.word(f, kind), r.at(f.value)
	case *Table:
		*v = r.table(f)
	case *Expr:
		*v = r.sql(f, kind)
	case *[]Assignment:
		*v = r.assignments(f, kind)
	default:
		r.reflected(f, reflect.ValueOf(into).Elem(), kind)
	}
}

// reflected reads a number; a pointer; a list, which takes the place of a default; a map by name, whose items have a
// name; or a struct.
func (r *reader) reflected(f field, into reflect.Value, kind string) {
	switch into.Kind() {
	case reflect.Int, reflect.Int64:
		var low, high int64
		_, _ = fmt.Sscanf(kind, "%d..%d", &low, &high)
		into.SetInt(r.within(f, low, high))
		return
	case reflect.Pointer:
		v := reflect.New(into.Type().Elem())
		r.read(f, v.Interface(), kind)
		into.Set(v)
		return
	case reflect.Slice:
		if what, named := nameOf(into.Type().Elem()); named {
			r.byName(f, into, what)
			return
		}
		if into.Len() > 0 {
			into.Set(reflect.MakeSlice(into.Type(), 0, 0))
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
		return
	}
	m := r.structure(f, f.title(), into.Addr().Interface())
	if c, checks := into.Addr().Interface().(checker); checks {
		c.check(r, m)
	}
}

// listed reports a name or a table that is in the list already.
func (r *reader) listed(item field, list, v reflect.Value, kind string) bool {
	name := fmt.Sprint(v)
	_, named := v.Interface().(fmt.Stringer)
	for i := range list.Len() {
		if (named || strings.HasPrefix(kind, "schema")) && fmt.Sprint(list.Index(i)) == name {
			what, _, _ := strings.Cut(kind, " ")
			r.add("P026 listed", r.at(item.value), words{"What": what, "Name": name, "List": item.name()})
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
	if t.Kind() == reflect.Struct {
		name, _ := t.FieldByName("Name")
		what, named = name.Tag.Lookup("name")
	}
	return what, named
}

// byName reads a map of names in the order of the file.
func (r *reader) byName(f field, into reflect.Value, what string) {
	m := r.mapping(f, quoted(f.name()), nil)
	for _, name := range m.order {
		f := m.fields[name]
		f.what = fmt.Sprintf("%s %q", what, f.key.Value)
		switch what {
		case "column":
			r.value(field{value: f.key}, &name, what)
		case "database":
			r.try(func() { r.follow("of a fleet", "", f, name, r.at(f.key)) })
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
		item.Elem().FieldByName("Position").Set(reflect.ValueOf(r.at(f.key)))
		r.value(f, item.Interface(), "") // one that cannot be read has its name all the same
		into.Set(reflect.Append(into, v.Elem()))
	}
}
