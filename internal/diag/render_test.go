package diag_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/diag"
)

var (
	unknownKey    = diag.Declare("X002", "", "unknown key")
	invalidWindow = diag.Declare("X014", "", "invalid window")
	notInstalled  = diag.Declare("X101", "installed", "runtime is not installed")
)

func list() diag.List {
	var l diag.List
	l.Add(diag.Diagnostic{Position: diag.Position{File: "b.yaml", Line: 9, Column: 5}, Code: unknownKey,
		Message: `unknown key "x"`, Hint: "Did you mean \"y\"?"})
	l.Add(diag.Diagnostic{Position: diag.Position{File: "a.yaml", Line: 2, Column: 7, Width: 7}, Code: invalidWindow,
		Message: `invalid window "90 dayz"`, Detail: "d.", Got: "90\nx"})
	l.Add(diag.Diagnostic{Position: diag.Position{File: "a.yaml", Line: 1, Column: 3, Width: 99}, Severity: diag.Drift,
		Code: notInstalled, Message: "a\nb\x1b"})
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

a.yaml:1:3: drift: a b\u001b [X101]
    1 | é	é\u001b
      |  	^^

a.yaml:2:7: error: invalid window "90 dayz" [X014]
    2 | 	é	ab 90 dayz # why
      | 	 	   ^^^^^^^
want: nothing
got:  90 x
detail: d.

b.yaml:9:5: error: unknown key "x" [X002]
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

// TestDeclare checks that a code keeps its meaning, and that only declared codes are found.
func TestDeclare(t *testing.T) {
	if notInstalled.String() != "X101" || notInstalled.Group() != "installed" ||
		notInstalled.Title() != "runtime is not installed" || diag.Find("X101") != notInstalled {
		t.Errorf("got %q, %q, %q", notInstalled, notInstalled.Group(), notInstalled.Title())
	}
	if none := diag.Find("X999"); none != (diag.Code{}) || none.String() != "" {
		t.Errorf("got %q for a name that is not declared", none)
	}
	defer func() {
		if recover() == nil {
			t.Error("Declare accepts a code twice")
		}
	}()
	diag.Declare("X101", "", "another title")
}
