package generator

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"pgretain/internal/pgparse"
	sqlfiles "pgretain/sql"
)

// The lines around objects; the first two are goose's. A mark stands above each object, whose text ends at the next
// line of ours; what is between endMark and the next mark is no object's: the search path, and the role's switching.
const (
	beginLine   = "-- +goose StatementBegin"
	endLine     = "-- +goose StatementEnd"
	nextLine    = "-- next"
	endMark     = "-- pgretain: end"
	ourPrefix   = "-- pgretain:"
	removalLine = "-- pgretain: removal "
)

// verb is what is done with an object.
type verb string

const (
	verbPut  verb = "put"
	verbDrop verb = "drop"
)

// action is one object below its mark: object.SQL is set for put, object.Drop for drop. removal is how a put
// object is removed where the Down part does not say so.
type action struct {
	verb    verb
	object  Object
	removal *string
	note    string // a comment in place of statements
	sum     string // the object's hash, of what was read
}

// text is what is executed.
func (a action) text() string {
	if a.verb == verbDrop {
		return a.object.Drop
	}
	return a.object.SQL
}

// mark is the line above an object: what is done with it, its kind and name, and whose it is where that is not usual.
func (a action) mark() string {
	o := a.object
	text := ourPrefix + " " + string(a.verb) + " " + string(o.Kind) + " " + quoteName(o.Name)
	if o.As != usually(o.Kind) {
		text += " " + string(o.As)
	}
	return text
}

// readMark reads what action.mark writes.
func readMark(line string) (a action, ok bool) {
	rest, ours := strings.CutPrefix(line, ourPrefix+" ")
	what, rest, _ := strings.Cut(rest, " ")
	kind, rest, _ := strings.Cut(rest, " ")
	quoted, err := strconv.QuotedPrefix(rest)
	if !ours || what != string(verbPut) && what != string(verbDrop) || err != nil || quoted[0] != '"' {
		return action{}, false
	}
	name, err := strconv.Unquote(quoted)
	as, spaced := strings.CutPrefix(rest[len(quoted):], " ")
	if !spaced {
		as = string(usually(Kind(kind)))
	}
	a = action{verb: verb(what), object: Object{Kind: Kind(kind), Name: name, As: As(as)}}
	return a, err == nil && as != "" && !strings.Contains(as, " ") && (spaced || rest == quoted)
}

// usually is the role that creates objects of a kind.
func usually(kind Kind) As {
	switch kind {
	case KindColumn, KindArchive, KindPrivilege, KindIndex:
		return AsMigrator
	case KindCron:
		return AsRunner
	}
	return AsOwner
}

// fileReader walks through one file.
type fileReader struct {
	migrationFile
	tool   tool
	name   string
	line   int
	inDown bool
	role   string  // as which the next objects are created
	object *action // nil between objects
	text   string  // of the object; mostly a part of the file's, which is not copied
}

// parseBody reads the objects of a file below its second line, and the settings of its Up part.
func parseBody(l tool, name, body string) (*migrationFile, error) {
	if l.unescape != nil {
		body = l.unescape.Replace(body)
	}
	r := &fileReader{migrationFile: migrationFile{roles: map[As]string{}}, tool: l, name: name, line: 2}
	for body != "" {
		n := 0
		if r.object != nil {
			n = untilLine(body, ourPrefix)
			if l.framed {
				n = untilLine(body[:n], "-- +goose Statement")
			}
		}
		r.text += body[:n]
		r.line += strings.Count(body[:n], "\n") + 1
		line, rest, _ := strings.Cut(body[n:], "\n")
		if err := r.read(line); err != nil {
			return nil, err
		}
		body = rest
	}
	if r.object != nil {
		return nil, r.malformed("the last object does not end")
	}
	return &r.migrationFile, nil
}

// untilLine is how much of a text comes before the next line that begins with prefix, all of it where there is none.
func untilLine(text, prefix string) int {
	if strings.HasPrefix(text, prefix) {
		return 0
	}
	if i := strings.Index(text, "\n"+prefix); i >= 0 {
		return i + 1
	}
	return len(text)
}

// read reads a line that is not part of an object's text.
func (r *fileReader) read(line string) error {
	switch {
	case line == r.tool.downLine && line != "":
		r.inDown = true
	case strings.HasPrefix(line, removalLine) && r.object != nil:
		text, err := strconv.Unquote(line[len(removalLine):])
		if err != nil {
			return r.malformed("the removal is not a quoted text")
		}
		r.object.removal = &text
	case line == endMark:
		r.close()
	case strings.HasPrefix(line, ourPrefix+" put "), strings.HasPrefix(line, ourPrefix+" drop "):
		r.close()
		return r.open(line)
	case r.object == nil && !r.inDown:
		r.setting(line)
	}
	return nil
}

var (
	pathLine    = regexp.MustCompile(`^SET (?:LOCAL )?search_path = (.*);$`)
	setRoleLine = regexp.MustCompile(`^SET LOCAL ROLE (.*);$`)
)

// setting reads a line between objects.
func (r *fileReader) setting(line string) {
	if strings.HasPrefix(line, "RESET ROLE") {
		r.role = ""
	} else if m := setRoleLine.FindStringSubmatch(line); m != nil {
		if name, err := pgparse.Name(m[1]); err == nil && len(name) == 1 {
			r.role = name[0]
		}
	} else if m := pathLine.FindStringSubmatch(line); m != nil && r.path == "" {
		r.path = m[1]
	}
}

func (r *fileReader) open(line string) error {
	a, ok := readMark(line)
	if !ok {
		return r.malformed("this is not the mark of an object")
	}
	if rank(a.object.Kind) < 0 {
		return historyError(ErrNewer, newerHint, fmt.Sprintf("line %d: it holds an object of kind %q, which this pgretain (runtime %s) does not know",
			r.line, a.object.Kind, sqlfiles.Version), r.name)
	}
	if !r.inDown {
		r.roles[a.object.As] = r.role
	}
	r.object, r.text = &a, ""
	return nil
}

// close ends the object under way, if there is one.
func (r *fileReader) close() {
	if r.object == nil {
		return
	}
	if r.object.verb == verbPut {
		r.object.object.SQL = r.text
		r.object.sum = r.object.object.Hash()
	} else if hasStatement(r.text) { // not the comment in place of statements
		r.object.object.Drop = r.text
	}
	if r.inDown {
		r.down = append(r.down, *r.object)
	} else {
		r.up = append(r.up, *r.object)
	}
	r.object = nil
}

func (r *fileReader) malformed(what string) error {
	return historyError(ErrMalformed, toolHint, fmt.Sprintf("line %d: %s", r.line, what), r.name)
}
