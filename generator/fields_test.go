package generator

import (
	"bytes"
	"reflect"
	"sync"
	"testing"
)

// init looks at all that any test renders: what comes from users reaches a template only as an identifier, a literal,
// parsed SQL, a number or a boolean, never as plain text.
func init() {
	inspect = func(template string, data any) {
		if path := plainTextIn(reflect.ValueOf(data)); path != "" {
			panic("template " + template + " reads plain text: " + path)
		}
	}
}

// plainTexts has for each type the path to a field that is plain text, "" for none.
var plainTexts sync.Map

// plainTextIn is the path to a plain text in what a template reads, "" for none.
func plainTextIn(v reflect.Value) string {
	for v.IsValid() && (v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer) {
		v = v.Elem()
	}
	if !v.IsValid() {
		return ""
	}
	if m, ok := v.Interface().(fields); ok {
		for name, value := range m {
			if path := plainTextIn(reflect.ValueOf(value)); path != "" {
				return name + " " + path
			}
		}
		return ""
	}
	if list, ok := v.Interface().([]fields); ok {
		for _, m := range list {
			if path := plainTextIn(reflect.ValueOf(m)); path != "" {
				return path
			}
		}
		return ""
	}
	path, known := plainTexts.Load(v.Type())
	if !known {
		path = plainTextOf(v.Type(), map[reflect.Type]bool{})
		plainTexts.Store(v.Type(), path)
	}
	return path.(string)
}

// plainTextOf is the same of a type; fields that are no template's business have small letters.
func plainTextOf(typ reflect.Type, seen map[reflect.Type]bool) string {
	switch typ.Kind() {
	case reflect.Slice, reflect.Pointer:
		return plainTextOf(typ.Elem(), seen)
	case reflect.String:
		if typ == reflect.TypeFor[string]() {
			return "is plain text"
		}
	case reflect.Struct:
		for i := range typ.NumField() {
			if field := typ.Field(i); field.IsExported() && !seen[typ] && !(typ == reflect.TypeFor[NeededColumn]() && field.Name == "Name") {
				seen[typ] = true
				if path := plainTextOf(field.Type, seen); path != "" {
					return typ.Name() + "." + field.Name + " " + path
				}
				seen[typ] = false
			}
		}
	}
	return ""
}

// TestCommentsStayComments tries what ends a line somewhere.
func TestCommentsStayComments(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a\nb", "a\r\nb", "a\x00b", "a\u2028b", "a\u2029b", "a\u0085b", "a\vb", "a\fb"} {
		if got := comment(text); got != "a b" && got != "a  b" {
			t.Errorf("comment(%q) = %q", text, got)
		}
	}
}

// TestDollarQuote quotes texts that contain the usual quotes.
func TestDollarQuote(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "$function$", "$$": "$function$", "a $function$": "$function1$", "$function1$ $function$": "$function2$",
	} {
		var got bytes.Buffer
		if layoutTo(&got, []byte(quoteMark+text+quoteMark), dollarQuote([]byte(text), "function")); got.String() != want+text+want {
			t.Errorf("%q in quotes is %q, want those of %q", text, &got, want)
		}
	}
}

// TestLayout hangs fragments inside fragments, and joins lines of an expression.
func TestLayout(t *testing.T) {
	t.Parallel()
	inner := indented("EXISTS (\n    b)")
	outer := indented("é(a\n AND " + string(inner) + ")")
	if got, want := layout("  x "+string(outer)+"\ny"), "  x é(a\n     AND EXISTS (\n             b))\ny"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for sql, want := range map[string]string{
		"a\n  AND b\n": "a AND b", "a  b": "a  b", "\r\n\ta\r\n\r\nb": "a b", "'x  y'\n|| b": "'x  y' || b",
	} {
		if got := oneLine(sql); got != want {
			t.Errorf("oneLine(%q) = %q, want %q", sql, got, want)
		}
	}
}
