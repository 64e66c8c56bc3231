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
	roles    map[As]string // that create objects; with "roles: none" owner and runner are role ""
}

// parseBody reads the objects of a file below its second line, and the settings of its Up part.
func parseBody(l tool, name, body string) (*migrationFile, error) {
	above, below := body, ""
	if !l.separate() {
		above, below, _ = strings.Cut(body, "\n"+l.downLine+"\n")
	}
	up := reader{tool: l, name: name, line: 2, roles: map[As]string{}}
	down := reader{tool: l, name: name, line: 4 + strings.Count(above, "\n"), roles: map[As]string{}}
	err := cmp.Or(up.read(above), down.read(below))
	return &migrationFile{up: up.actions, down: down.actions, path: up.path, roles: up.roles}, err
}

type reader struct {
	tool    tool
	name    string
	line    int // of the mark under way
	actions []action
	path    string
	roles   map[As]string
	role    string  // as which the next objects are created
	object  *action // whose text is under way, nil between objects; of kind KindRuntime below runtimeMark
	text    string
}

// read reads mark by mark, each with what stands below it. A chapter's heading may stand between two objects of the
// runtime.
func (r *reader) read(text string) error {
	for i, part := range strings.Split("\n"+r.tool.unescape.Replace(text), "\n"+ourPrefix+" ") {
		mark, below, more := strings.Cut(part, "\n")
		verb, what, _ := strings.Cut(mark, " ")
		r.line += min(i, 1)
		var err error
		switch {
		case mark == "end":
			err = r.close()
		case verb == "put", verb == "drop":
			if err = r.close(); err == nil {
				err = r.open(verb, what)
			}
		case verb == "removal" && r.object != nil:
			removal, wrong := strconv.Unquote(what)
			if r.object.removal = &removal; wrong != nil {
				err = r.malformed("the removal is not a quoted text")
			}
		}
		if err != nil {
			return err
		}
		if r.object == nil {
			r.settings(below)
		} else if more {
			r.text += below + "\n"
		}
		r.line += strings.Count(part, "\n")
	}
	if r.object != nil {
		return r.malformed("the last object does not end")
	}
	return nil
}

// open begins with an object below what action.mark writes.
func (r *reader) open(word, what string) error {
	name, what, _ := strings.Cut(what, " ")
	kind := Kind(name)
	r.object, r.text = &action{object: Object{Kind: kind}}, ""
	if kind == KindRuntime && what == "" {
		return nil
	}
	if rank(kind) < 0 {
		message := fmt.Sprintf("line %d: it holds an object of kind %q, which this pgretain (runtime %s) does not know",
			r.line, kind, sqlfiles.Version)
		return historyError(ErrNewer, message, r.name)
	}
	quoted, err := strconv.QuotedPrefix(what)
	if err != nil {
		return r.malformed("this is not the mark of an object")
	}
	r.object.drops = word == "drop"
	r.object.object.Name, _ = strconv.Unquote(quoted) // it is
	r.object.object.As = cmp.Or(As(strings.TrimSpace(what[len(quoted):])), usually(kind))
	return nil
}

// frameLine is a line that goose alone reads.
var frameLine = regexp.MustCompile(`(?m)^-- \+goose Statement.*\n`)

// close ends the object under way, if there is one, or those of the runtime. The role may be switched for the next one.
func (r *reader) close() error {
	a, text := r.object, r.text
	if a == nil {
		return nil
	}
	r.object = nil
	switched := text[strings.LastIndex(strings.TrimSuffix(text, "\n"), "\n")+1:]
	if switched == switchRole("") || strings.HasPrefix(switched, "SET LOCAL ROLE ") {
		text = strings.TrimSuffix(text, switched)
		defer r.settings(switched)
	}
	if r.tool.framed && strings.Contains(text, "-- +goose Statement") {
		text = frameLine.ReplaceAllString(text, "")
	}
	switch {
	case a.drops:
		if !strings.HasPrefix(text, "--") || strings.Count(text, "\n") > 1 { // not the comment in place of statements
			a.object.Drop = text
		}
	case a.object.Kind != KindRuntime:
		a.object.SQL = text
	default:
		r.roles[AsOwner] = r.role
		for _, text := range runtimeTexts(text) {
			id, ok := runtimeID(text)
			if !ok {
				return r.malformed("above it is what is no object of the runtime")
			}
			r.actions = append(r.actions, action{object: Object{Kind: id.Kind, Name: id.Name, As: AsOwner, SQL: text}})
		}
		return nil
	}
	r.roles[a.object.As] = r.role
	r.actions = append(r.actions, *a)
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

func (r *reader) malformed(what string) error {
	return historyError(ErrMalformed, fmt.Sprintf("line %d: %s", r.line, what), r.name)
}

// runtimeTexts takes apart what stands below runtimeMark: each object begins with lines of comment.
func runtimeTexts(text string) (texts []string) {
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
