package policy

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"pgretain/internal/messages"
)

// A struct of the model is read from a map. The tag of a field, `yaml:"key,option,..."`, names the
// key and its options:
//
//	"required": the key must be written
//	"filled":   the map or list must not be empty
//	"null":     null removes a bound of the defaults
//	"of":       in messages, the value is named together with the map that contains it
//	"by hand":  only the key is checked; a method of the type reads the value
//
// The last option depends on the type of the field. For a text or an expression it is the kind, for
// example "column" or "query". For a number it is the bounds, and for a duration the least value.
// For a choice it lists the values, and the first is the default.

type (
	// decoder is a type that reads its own value.
	decoder interface{ read(r *reader, f field) }

	// checker is a type that is read by its tags. Its method then checks the value and reads the
	// remaining keys.
	checker interface{ check(r *reader, m mapping) }
)

// keysOf lists the keys of the struct to which the parameter "into" points.
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

// structure reads a map into the struct to which "into" points. The parameter "what" is the name of
// the map in messages.
func (r *reader) structure(f field, what string, into any) mapping {
	m := r.mapping(f, what, keysOf(into))
	r.fill(m, into)
	return m
}

// fill reads the fields of a struct from a map. It sets the field Position to the position of the
// key, or of the value if there is no key.
func (r *reader) fill(m mapping, into any) {
	v := reflect.ValueOf(into).Elem()
	for i := range v.NumField() {
		tag, ok := v.Type().Field(i).Tag.Lookup("yaml")
		options := strings.Split(tag, ",")
		has := func(option string) bool { return slices.Contains(options[1:], option) }
		f, written := m.fields[options[0]]
		kind := options[len(options)-1]
		switch {
		case !ok || written && has("by hand"):
			continue
		case !written:
			if has("required") {
				m.require(options[0])
			}
			if first, _, choice := strings.Cut(kind, "|"); choice && v.Field(i).IsZero() {
				v.Field(i).SetString(first)
			}
			continue
		}
		if node := resolve(f.value); has("filled") && len(node.Content) == 0 && node.Kind != yaml.ScalarNode {
			r.add(messages.EmptyList(f.name()), r.fieldAt(f))
		}
		if has("of") {
			f.what = f.label() + " of " + m.what
		}
		if at := v.FieldByName(v.Type().Field(i).Name + "Position"); at.IsValid() {
			at.Set(reflect.ValueOf(r.at(f.value)))
		}
		if has("null") && isNull(f) {
			v.Field(i).SetZero()
			continue
		}
		r.value(f, v.Field(i).Addr().Interface(), kind)
	}
	if at := v.FieldByName("Position"); at.IsValid() && at.IsZero() {
		at.Set(reflect.ValueOf(r.fieldAt(m.from)))
	}
}

// value reads one value into the variable to which "into" points, and reports whether it succeeded.
// The parameter "kind" is the last option of the tag.
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

// reflected reads a number, a pointer, a list, a map of named items, or a struct. A list replaces
// the list of the defaults.
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
		// one schedule may be written without a list
		if kind != "schedule" || f.is(yaml.SequenceNode) {
			items = r.list(f)
		}
		for _, item := range items {
			v := reflect.New(into.Type().Elem())
			if r.value(item, v.Interface(), kind) && !r.reportDuplicate(item, into, v.Elem(), kind) {
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

// reportDuplicate reports whether a name or a table is already in the list, and adds a fault if it
// is.
func (r *reader) reportDuplicate(item field, list, v reflect.Value, kind string) bool {
	name := fmt.Sprint(v)
	_, named := v.Interface().(fmt.Stringer)
	for i := range list.Len() {
		if (named || strings.HasPrefix(kind, "schema")) && fmt.Sprint(list.Index(i)) == name {
			what, _, _ := strings.Cut(kind, " ")
			r.add(messages.ListedTwice(what, name, item.name()), r.at(item.value))
			return true
		}
	}
	return false
}

// nameOf returns the word for the items of a map by name. The result "named" is false for any other
// type.
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

// byName reads a map of named items in the order of the file.
func (r *reader) byName(f field, into reflect.Value, what string) {
	m := r.mapping(f, quoted(f.name()), nil)
	for _, name := range m.order {
		f := m.fields[name]
		f.what = fmt.Sprintf("%s %q", what, f.key.Value)
		switch what {
		case "column":
			r.value(field{value: f.key}, &name, what)
		case "database":
			r.try(func() { r.checkRule("of a fleet", "", f, name, r.at(f.key)) })
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
		r.value(f, item.Interface(), "") // an item that cannot be read is listed by its name
		into.Set(reflect.Append(into, v.Elem()))
	}
}
