package generator

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pgretain/policy"
	sqlfiles "pgretain/sql"
)

// migrationFile is one parsed file.
type migrationFile struct {
	Migration
	frame
	up, down []action
	roles    map[As]string // creating roles; with "roles: none" owner and runner are ""
	old      bool          // an earlier version of pgretain wrote the file

	texts []File // the texts as read: Up, or both; then Down if it has a file of its own
	parts int    // number of files of the step
	kind  part   // the part of a step that such a file is, without contents
	index int    // its index among the parts of a step; -1 if unknown
}

// kindOfFile returns the part of a step that a file is, and its index. It finds the part by its
// description in the head comment.
func kindOfFile(l tool, text string) (kind part, index int) {
	for _, cron := range []bool{false, true} {
		for i, p := range emptyParts(l, "", cron) {
			if strings.Contains(text, "\n-- "+p.what+"\n") {
				return p, i
			}
			if p.what, p.lockTimeout = p.what+waitsForLocks, true; strings.Contains(text, "\n-- "+p.what+"\n") {
				return p, i
			}
		}
	}
	return part{}, -1
}

// parseBody parses the objects of a file below its second line, and the settings of its Up part.
func parseBody(l tool, name, body string) (*migrationFile, error) {
	above, below := body, ""
	if !l.separate() {
		above, below, _ = strings.Cut(body, "\n"+l.downLine+"\n")
	}
	up := reader{tool: l, name: name, line: 2, old: oldSettings{roles: map[As]string{}}}
	err := up.read(above)
	down := reader{tool: l, name: name, line: 4 + strings.Count(above, "\n"), frame: up.frame,
		old: oldSettings{roles: map[As]string{}}}
	err = cmp.Or(err, down.read(below))
	f := &migrationFile{up: up.actions, down: down.actions}
	f.kind, f.index = kindOfFile(l, body)
	if up.frame == nil {
		f.readOld(up.old, down.old, above)
		return f, err
	}
	f.frame, f.roles = *up.frame, map[As]string{}
	p := part{noTransaction: f.kind.noTransaction, opt: NextOptions{Roles: f.creators()}}
	for _, a := range slices.Concat(f.up, f.down) {
		f.roles[a.object.As] = p.roleOf(a.object)
	}
	return f, err
}

// creators returns the roles that create the objects of the file.
func (f frame) creators() policy.Roles {
	return policy.Roles{Owner: f.Owner, Runner: f.Runner, None: f.Owner == "" && f.Runner == ""}
}

// reader parses the Up or the Down part of a file.
type reader struct {
	tool    tool
	name    string
	line    int // line of the current mark
	actions []action
	frame   *frame      // nil in a file of an earlier version
	old     oldSettings // of a file of an earlier version
	chapter string      // current chapter of the runtime
	object  *action     // object whose text is being read; nil between objects; of kind KindRuntime below runtimeMark
	parts   string      // line with the parts of the object; "" if there is none
	text    string
}

// read parses marks with the texts below them. The heading of a chapter may stand between two
// objects of the runtime.
func (r *reader) read(text string) error {
	for i, part := range strings.Split("\n"+r.tool.unescape.Replace(text), "\n"+ourPrefix+" ") {
		mark, below, more := strings.Cut(part, "\n")
		verb, what, _ := strings.Cut(mark, " ")
		r.line += min(i, 1)
		var err error
		switch {
		case mark == "end":
			err = r.close()
		case verb == "file" && r.object == nil && r.frame == nil:
			r.frame = &frame{}
			if json.Unmarshal([]byte(what), r.frame) != nil {
				err = r.malformed("this line does not describe the file")
			}
		case verb == "parts" && r.object != nil:
			r.parts = what
		case verb == "chapter":
			err = r.begin(mark)
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
			r.between(below)
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

// begin begins a chapter of the runtime, below its heading. If the objects above the heading have
// no marks, the objects of the chapter need no marks either.
func (r *reader) begin(title string) error {
	unmarked := r.object != nil && r.object.object.Kind == KindRuntime && !r.object.drops
	err := r.close()
	if unmarked {
		r.object, r.text = &action{object: Object{Kind: KindRuntime}}, ""
	}
	r.chapter = ""
	for _, chapter := range sqlfiles.Chapters() {
		if first, _, _ := strings.Cut(heading(chapter), "\n"); first == ourPrefix+" "+title {
			r.chapter = chapter
		}
	}
	return err
}

// open begins an object below a line that action.mark wrote.
func (r *reader) open(word, what string) error {
	name, what, _ := strings.Cut(what, " ")
	kind := Kind(name)
	r.object, r.text, r.parts = &action{object: Object{Kind: kind, Chapter: r.chapter}}, "", ""
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
	r.object.object.Name, _ = strconv.Unquote(quoted) // the pattern matches a quoted string
	r.object.object.As = cmp.Or(As(strings.TrimSpace(what[len(quoted):])), defaultRole(kind))
	return nil
}

// frameLine matches a line that only goose reads.
var frameLine = regexp.MustCompile(`(?m)^-- \+goose Statement.*\n`)

// close ends the present object, or the objects of the runtime that have no marks. A switch of the
// role for the next object may end the text.
func (r *reader) close() error {
	a, text := r.object, r.text
	if r.object = nil; a == nil || text == "" && a.object.Kind == KindRuntime && !a.drops {
		return nil
	}
	switched := text[strings.LastIndex(strings.TrimSuffix(text, "\n"), "\n")+1:]
	if switched == switchRole("") || strings.HasPrefix(switched, "SET LOCAL ROLE ") {
		text = strings.TrimSuffix(text, switched)
		defer r.between(switched)
	}
	if r.tool.framed && strings.Contains(text, "-- +goose Statement") {
		text = frameLine.ReplaceAllString(text, "")
	}
	switch {
	case a.drops:
		if !strings.HasPrefix(text, "--") || strings.Count(text, "\n") > 1 { // not a comment instead of statements
			a.object.Drop = text
		}
	case a.object.Kind != KindRuntime:
		a.object.SQL = text
		if r.parts != "" && !a.object.readParts(r.parts) {
			return r.malformed("the object above this line does not have the parts that its mark names")
		}
	default:
		r.old.roles[AsOwner] = r.old.role
		return r.oldRuntime(text)
	}
	r.old.roles[a.object.As] = r.old.role
	r.actions = append(r.actions, *a)
	return nil
}

// between reads lines between objects. Only files of earlier versions need them.
func (r *reader) between(lines string) {
	if r.frame == nil {
		r.old.read(lines)
	}
}

func (r *reader) malformed(what string) error {
	return historyError(ErrMalformed, fmt.Sprintf("line %d: %s", r.line, what), r.name)
}
