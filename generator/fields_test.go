package generator

import (
	"bytes"
	"reflect"
	"slices"
	"testing"
)

// templateData are the structs that templates read, one of each; unnamed ones are reached through
// their fields by TestTemplatesPrintTypedValues.
var templateData = []any{
	batchData{}, countData{}, rowsData{}, indexData{}, ranked{}, orderItem{}, groupKey{},
	applicationData{}, claimData{}, cursorData{}, positionColumn{}, touchData{}, reviveData{}, columnValue{},
	cursorColumn{}, countGuard{}, places{}, saved{}, join{}, indexColumn{}, indexPartition{}, indexAttach{},
	ownData{}, setText{}, relatedData{}, insertData{}, valueText{}, conflictText{}, countText{}, windowColumn{}, markText{}, alsoText{}, lockedText{},
}

// plainStrings are the fields that are printed as they are. A policy's and a function's name match
// [a-z][a-z0-9_]*, as do the schema and the roles; a type is what format_type prints, which quotes
// where it must; comments went through comment, which leaves one line without control characters.
var plainStrings = map[string][]string{
	"batchData":       {"Schema", "Function", "Signature", "Policy"},
	"markText":        {"Type"},
	"countData":       {"Schema", "Function", "Signature", "Policy"},
	"indexData":       {"Schema", "Policy"},
	"relatedData":     {"Schema"},
	"cursorColumn":    {"Type"},
	"groupKey":        {"Type"},
	"applicationData": {"Schema", "Function", "Signature", "Policy", "TableComment"},
	"claimData":       {"KeyType", "Type", "TTLText"},
	"cursorData":      {"KeyType"},
	"positionColumn":  {"Type"},
	"touchData":       {"KeyType", "KeyCast", "What"},
	"reviveData":      {"TableComment"},
}

// TestTemplatesPrintTypedValues holds that what comes from users reaches a template only as an
// identifier, a literal, parsed SQL, a number or a boolean: never as plain text.
func TestTemplatesPrintTypedValues(t *testing.T) {
	t.Parallel()
	for _, data := range templateData {
		typ := reflect.TypeOf(data)
		for field := range fields(typ) {
			safe := slices.Contains(plainStrings[typ.Name()], field.Name)
			if kind := element(field.Type); kind == reflect.TypeFor[string]() && !safe {
				t.Errorf("%s.%s is plain text", typ.Name(), field.Name)
			} else if kind != reflect.TypeFor[string]() && safe {
				t.Errorf("%s.%s is no plain text any more", typ.Name(), field.Name)
			}
		}
		for _, name := range plainStrings[typ.Name()] {
			if _, ok := typ.FieldByName(name); !ok {
				t.Errorf("%s has no field %s", typ.Name(), name)
			}
		}
	}
}

// fields yields those that a template can read.
func fields(typ reflect.Type) func(func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range typ.NumField() {
			if field := typ.Field(i); field.IsExported() && !yield(field) {
				return
			}
		}
	}
}

// element is what a slice or pointer holds.
func element(typ reflect.Type) reflect.Type {
	for typ.Kind() == reflect.Slice || typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	return typ
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
	inner := hung("EXISTS (\n    b)")
	outer := hung("é(a\n AND " + string(inner) + ")")
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
