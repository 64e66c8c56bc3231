package generator

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"pgretain/internal/pgparse"
	sqlfiles "pgretain/sql"
)

// migrationFile is one file of ours, taken apart.
type migrationFile struct {
	Migration
	up, down []action
	path     string        // search_path, as SET has it, "" for none
	roles    map[As]string // that create objects; with "roles: none" what belongs to owner and runner is created as role ""
}

// parseBody reads the objects of a file below its second line, and the settings of its Up part.
func parseBody(l tool, name, body string) (*migrationFile, error) {
	above, below, _ := strings.Cut(body, "\n"+l.downLine+"\n")
	if l.separate() {
		above, below = body, ""
	}
	up := reader{name: name, line: 3, framed: l.framed, roles: map[As]string{}}
	down := reader{name: name, line: 5 + strings.Count(above, "\n"), framed: l.framed, roles: map[As]string{}}
	err := up.read(l.unescape.Replace(above))
	if err == nil {
		err = down.read(l.unescape.Replace(below))
	}
	return &migrationFile{up: up.actions, down: down.actions, path: up.path, roles: up.roles}, err
}

// reader walks through Up or Down.
type reader struct {
	name    string
	line    int
	framed  bool
	actions []action
	path    string
	roles   map[As]string
	role    string  // as which the next objects are created
	object  *action // nil between objects; of kind KindRuntime below runtimeMark
	text    string  // of the object; mostly a part of the file's, which is not copied
}

// frameLine is a line that goose alone reads.
var frameLine = regexp.MustCompile(`(?m)^-- \+goose Statement.*\n`)

// read reads line of ours by line of ours, each with what stands below it.
func (r *reader) read(text string) error {
	at := untilLine(text, ourPrefix)
	r.settings(text[:at])
	for r.line += strings.Count(text[:at], "\n"); at < len(text); {
		line, rest, _ := strings.Cut(text[at:], "\n")
		at = len(text) - len(rest)
		below := rest[:untilLine(rest, ourPrefix)]
		if err := r.mark(line); err != nil {
			return err
		}
		if r.object == nil {
			r.settings(below)
		} else if r.framed && strings.Contains(below, "-- +goose Statement") {
			r.text += frameLine.ReplaceAllString(below, "")
		} else {
			r.text += below
		}
		at += len(below)
		r.line += 1 + strings.Count(below, "\n")
	}
	if r.object != nil {
		return r.malformed("the last object does not end")
	}
	return nil
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

// mark reads a line of ours. Those that say nothing of objects, a chapter's for example, may stand between two objects of
// the runtime.
func (r *reader) mark(line string) error {
	switch {
	case strings.HasPrefix(line, removalLine) && r.object != nil:
		text, err := strconv.Unquote(line[len(removalLine):])
		r.object.removal = &text
		if err != nil {
			return r.malformed("the removal is not a quoted text")
		}
	case line == endMark:
		return r.close()
	case strings.HasPrefix(line, ourPrefix+" put "), strings.HasPrefix(line, ourPrefix+" drop "):
		if err := r.close(); err != nil {
			return err
		}
		return r.open(line)
	}
	return nil
}

var settingLine = regexp.MustCompile(`(?m)^(?:RESET ROLE|SET LOCAL ROLE (.*)|SET (?:LOCAL )?search_path = (.*));$`)

// settings reads lines between objects.
func (r *reader) settings(lines string) {
	for _, m := range settingLine.FindAllStringSubmatch(lines, -1) {
		if m[2] != "" {
			r.path = cmp.Or(r.path, m[2])
		} else if m[1] == "" {
			r.role = ""
		} else if name, err := pgparse.Name(m[1]); err == nil && len(name) == 1 {
			r.role = name[0]
		}
	}
}

// switchesRole says whether a line of SQL is one that switchRole writes.
func switchesRole(line string) bool {
	return line == "RESET ROLE;\n" || strings.HasPrefix(line, "SET LOCAL ROLE ")
}

// lastLine is the last line of a text, with its end.
func lastLine(text string) string {
	return text[strings.LastIndex(strings.TrimSuffix(text, "\n"), "\n")+1:]
}

var markLine = regexp.MustCompile(`^-- pgretain: (put|drop) (\S+) ("(?:[^"\\]|\\.)*")(?: (\S+))?$`)

// open reads what action.mark writes.
func (r *reader) open(line string) error {
	r.object, r.text = &action{object: Object{Kind: KindRuntime}}, ""
	if line == runtimeMark {
		return nil
	}
	m := markLine.FindStringSubmatch(line)
	if m == nil {
		return r.malformed("this is not the mark of an object")
	}
	name, err := strconv.Unquote(m[3])
	if err != nil {
		return r.malformed("this is not the mark of an object")
	}
	kind := Kind(m[2])
	if rank(kind) < 0 {
		return historyError(ErrNewer, newerHint, fmt.Sprintf("line %d: it holds an object of kind %q, which this pgretain (runtime %s) does not know",
			r.line, kind, sqlfiles.Version), r.name)
	}
	r.object = &action{verb: verb(m[1]), object: Object{Kind: kind, Name: name, As: cmp.Or(As(m[4]), usually(kind))}}
	return nil
}

// close ends the object under way, if there is one, or those of the runtime. The role is switched for the next one.
func (r *reader) close() error {
	a := r.object
	if a == nil {
		return nil
	}
	switched := lastLine(r.text)
	if !switchesRole(switched) {
		switched = ""
	}
	text := strings.TrimSuffix(r.text, switched)
	switch {
	case a.verb == verbPut:
		a.object.SQL = text
		r.add(*a)
	case a.verb == verbDrop:
		if hasStatement(text) { // not the comment in place of statements
			a.object.Drop = text
		}
		r.add(*a)
	default:
		for _, text := range runtimeTexts(text) {
			id, ok := runtimeID(text)
			if !ok {
				return r.malformed("above it is what is no object of the runtime")
			}
			r.add(action{verb: verbPut, object: Object{Kind: id.Kind, Name: id.Name, As: AsOwner, SQL: text}})
		}
	}
	r.object = nil
	r.settings(switched)
	return nil
}

func (r *reader) add(a action) {
	if a.verb == verbPut {
		a.sum = a.object.Hash()
	}
	r.roles[a.object.As] = r.role
	r.actions = append(r.actions, a)
}

func (r *reader) malformed(what string) error {
	return historyError(ErrMalformed, toolHint, fmt.Sprintf("line %d: %s", r.line, what), r.name)
}

// runtimeTexts takes apart what stands below runtimeMark: each object begins with lines of comment.
func runtimeTexts(text string) []string {
	var texts []string
	start, at, comment := 0, 0, true
	for line := range strings.Lines(text) {
		before := comment
		if comment = strings.HasPrefix(line, commentStart); comment && !before {
			texts = append(texts, text[start:at])
			start = at
		}
		at += len(line)
	}
	return append(texts, text[start:])
}
