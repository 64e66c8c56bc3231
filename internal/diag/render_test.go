package diag_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/diag"
)

func list() diag.List {
	var l diag.List
	l.Add(diag.Diagnostic{Position: diag.Position{File: "b.yaml", Line: 9, Column: 5}, Code: "P002",
		Message: `unknown key "x"`, Hint: "Did you mean \"y\"?"})
	l.Add(diag.Diagnostic{Position: diag.Position{File: "a.yaml", Line: 2, Column: 7, Width: 7}, Code: "P014",
		Message: `invalid window "90 dayz"`, Detail: "d.", Got: "90\nx"})
	l.Add(diag.Diagnostic{Position: diag.Position{File: "a.yaml", Line: 1, Column: 3, Width: 99}, Severity: diag.Drift,
		Code: "V001", Message: "a\nb\x1b"})
	l.Add(diag.Diagnostic{Severity: diag.Unknown, Message: "nowhere"})
	l.Add(diag.Diagnostic{Severity: diag.Unknown, Message: "nowhere"})
	l.Add(diag.Diagnostic{Severity: diag.Info, Message: "somewhere",
		Detail: "this is left:\nGRANT a TO b;  -- why\nGRANT c TO d;", Hint: "SELECT 1;\nSELECT\x1b 2;\n"})
	return l.Unique()
}

func TestRender(t *testing.T) {
	t.Parallel()
	sources := map[string][]byte{"a.yaml": []byte("é\té\x1b\r\n\té\tab 90 dayz # why")}
	want := `pgretain: unknown: nowhere

pgretain: info: somewhere
detail:
this is left:
GRANT a TO b;  -- why
GRANT c TO d;
hint:
SELECT 1;
SELECT\u001b 2;

a.yaml:1:3: drift: a b\u001b [V001]
    1 | é	é\u001b
      |  	^^

a.yaml:2:7: error: invalid window "90 dayz" [P014]
    2 | 	é	ab 90 dayz # why
      | 	 	   ^^^^^^^
want: nothing
got:  90 x
detail: d.

b.yaml:9:5: error: unknown key "x" [P002]
hint: Did you mean "y"?
`
	var out bytes.Buffer
	if err := list().Render(&out, sources, false); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestRenderColour(t *testing.T) {
	t.Parallel()
	var plain, coloured bytes.Buffer
	for out, colour := range map[*bytes.Buffer]bool{&plain: false, &coloured: true} {
		if err := list().Render(out, nil, colour); err != nil {
			t.Fatal(err)
		}
	}
	stripped := coloured.String()
	for _, code := range []string{"1", "1;31", "1;32", "1;33", "1;36", "0"} {
		stripped = strings.ReplaceAll(stripped, "\x1b["+code+"m", "")
	}
	if diff := cmp.Diff(plain.String(), stripped); diff != "" || stripped == coloured.String() {
		t.Error(diff)
	}
}

func TestRegisterTwice(t *testing.T) {
	diag.Register("X001", "a title")
	defer func() {
		if recover() == nil {
			t.Error("Register accepts a code twice")
		}
	}()
	diag.Register("X001", "another title")
}
