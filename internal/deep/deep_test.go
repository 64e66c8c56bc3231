package deep

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type name string

type part struct {
	Name  name
	Parts []*part
	Row   map[string]json.RawMessage
	none  *part
}

// TestCopy checks that a copy shares no part with its original, and that "change" gets each part.
func TestCopy(t *testing.T) {
	t.Parallel()
	shared := &part{Name: "shared"}
	row := func(text string) map[string]json.RawMessage {
		return map[string]json.RawMessage{"c": json.RawMessage(text)}
	}
	original := part{Name: "a", Parts: []*part{{Name: "b", Row: row("d")}, nil}, none: shared}
	made := Copy(original, func(part any) (any, bool) {
		switch part := part.(type) {
		case name:
			return part + "!", true
		case json.RawMessage:
			return json.RawMessage(strings.ToUpper(string(part))), true
		}
		return nil, false
	})
	original.Parts[0].Row["c"], original.Parts[0].Name = nil, "changed"
	want := part{Name: "a!", Parts: []*part{{Name: "b!", Row: row("D")}, nil}}
	if diff := cmp.Diff(want, made, cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".none" },
		cmp.Ignore())); diff != "" {
		t.Errorf("the copy differs (-want +got):\n%s", diff)
	}
	if made.none != shared {
		t.Error("an unexported field differs from the original")
	}
}
