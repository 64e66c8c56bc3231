package generator

import (
	"encoding/json"
	"strings"
)

// Part names a text in the SQL of an object that a later step reads. A line below the mark of the
// object says where the text is. So no reader of a history parses SQL.
type Part string

// These are all parts.
const (
	PartWords   Part = "words"   // description of a policy, a report or a job
	PartRow     Part = "row"     // registry row of the install, as JSON
	PartReaders Part = "readers" // names of the roles that may use the runtime's schema
	PartType    Part = "type"    // type of a column of "ensure"
	PartParent  Part = "parent"  // partitioned table of an index
	PartAgain   Part = "again"   // text before an object that a database had lost
	PartLost    Part = "lost"    // state of that database
)

// Parts are the parts of an object. A part that the object lacks is "".
type Parts map[Part]string

// with returns the object with one more part; the same object if the text is empty.
func (o Object) with(name Part, text string) Object {
	if text == "" {
		return o
	}
	parts := Parts{name: text}
	for other, text := range o.Parts {
		if other != name {
			parts[other] = text
		}
	}
	o.Parts = parts
	return o
}

// partsMark returns the line that says where the parts of an object are; "" if it has none. The
// place of a part is the begin and the end in the SQL, in bytes. If the SQL has the part in another
// layout, the line contains the part itself.
func (o Object) partsMark() string {
	if len(o.Parts) == 0 {
		return ""
	}
	places := map[Part]any{}
	for name, text := range o.Parts {
		places[name] = text
		if at := strings.Index(o.SQL, text); at >= 0 {
			places[name] = [2]int{at, at + len(text)}
		}
	}
	return partsLine + inComment(encode(places)) + "\n"
}

// readParts sets the parts of an object from a line of partsMark. It reports whether the line is
// valid.
func (o *Object) readParts(line string) bool {
	var places map[Part]json.RawMessage
	if json.Unmarshal([]byte(line), &places) != nil {
		return false
	}
	o.Parts = Parts{}
	for name, place := range places {
		var text string
		var at [2]int
		if json.Unmarshal(place, &text) != nil {
			if json.Unmarshal(place, &at) != nil || at[0] < 0 || at[1] < at[0] || at[1] > len(o.SQL) {
				return false
			}
			text = o.SQL[at[0]:at[1]]
		}
		o.Parts[name] = text
	}
	return true
}

// inComment returns JSON for a comment that no migration tool reads as an annotation.
func inComment(encoded string) string { return strings.ReplaceAll(encoded, "+goose", `\u002bgoose`) }

// frame describes the statements of a file outside its objects. A line in the head of the file
// contains it. Owner and Runner are "" with "roles: none".
type frame struct {
	Owner      string  `json:"owner,omitempty"`
	Runner     string  `json:"runner,omitempty"`
	Path       string  `json:"search_path,omitempty"`      // of Up, as in SET; "" if there is none
	PathDown   string  `json:"search_path_down,omitempty"` // of Down
	MakeSchema bool    `json:"make_schema,omitempty"`      // the file prepares the database
	Checks     *checks `json:"checks,omitempty"`           // nil if the file does not call _refuse_untrusted()
}

// checks are the arguments of retention._refuse_untrusted().
type checks struct {
	Schemas []string `json:"schemas"`
	Trust   []string `json:"trust"`
}

// mark returns the line of the frame.
func (f frame) mark() string { return frameMark + inComment(encode(f)) + "\n" }
