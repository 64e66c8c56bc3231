package policy_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"pgretain/internal/diag"
)

// model encodes a value as JSON without zero values, so that only what the policy file sets
// remains. It leaves out fields that are not exported. It writes a position as
// "line:column+width".
type model struct{ value reflect.Value }

func (m model) MarshalJSON() ([]byte, error) {
	v := m.value
	switch {
	case v.Type() == reflect.TypeFor[diag.Position]():
		p := v.Interface().(diag.Position)
		return json.Marshal(fmt.Sprintf("%d:%d+%d", p.Line, p.Column, p.Width))
	case v.Kind() == reflect.Pointer:
		return model{v.Elem()}.MarshalJSON()
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8:
		items := []model{}
		for i := range v.Len() {
			items = append(items, model{v.Index(i)})
		}
		return json.Marshal(items)
	case v.Kind() == reflect.Struct:
		return m.fields()
	}
	return json.Marshal(v.Interface())
}

// fields encodes a struct. It keeps the order of the fields.
func (m model) fields() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i := range m.value.NumField() {
		field := m.value.Field(i)
		empty := field.IsZero() || field.Kind() == reflect.Slice && field.Len() == 0
		if empty || !m.value.Type().Field(i).IsExported() {
			continue
		}
		text, err := model{field}.MarshalJSON()
		if err != nil {
			return nil, err
		}
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		fmt.Fprintf(&out, "%q:%s", m.value.Type().Field(i).Name, text)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}
