// Package deep copies values of plain data with all their parts.
package deep

import "reflect"

// Copy returns a copy of a value. It copies pointers, interfaces, slices, maps and the exported
// fields of structs. It calls the function "change" for the value and then for each part. If
// "change" returns true, the copy has the returned value in place of that part, and its parts are
// not copied.
func Copy[T any](value T, change func(part any) (any, bool)) T {
	return copied(reflect.ValueOf(&value).Elem(), change).Interface().(T)
}

func copied(value reflect.Value, change func(part any) (any, bool)) reflect.Value {
	made := reflect.New(value.Type()).Elem()
	made.Set(value)
	if changed, ok := change(value.Interface()); ok {
		made.Set(reflect.ValueOf(changed))
		return made
	}
	switch value.Kind() {
	case reflect.Interface:
		if !value.IsNil() {
			made.Set(copied(value.Elem(), change))
		}
	case reflect.Pointer:
		if !value.IsNil() {
			made.Set(reflect.New(value.Type().Elem()))
			made.Elem().Set(copied(value.Elem(), change))
		}
	case reflect.Slice:
		if !value.IsNil() {
			made.Set(reflect.MakeSlice(value.Type(), value.Len(), value.Len()))
			for i := range value.Len() {
				made.Index(i).Set(copied(value.Index(i), change))
			}
		}
	case reflect.Map:
		if !value.IsNil() {
			made.Set(reflect.MakeMap(value.Type()))
			for key, item := range value.Seq2() {
				made.SetMapIndex(copied(key, change), copied(item, change))
			}
		}
	case reflect.Struct:
		for i := range value.NumField() {
			if value.Type().Field(i).IsExported() {
				made.Field(i).Set(copied(value.Field(i), change))
			}
		}
	}
	return made
}
