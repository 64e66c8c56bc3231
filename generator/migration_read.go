package generator

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"pgretain/internal/pgparse"
	sqlfiles "pgretain/sql"
)

// migrationFile is one parsed file.
type migrationFile struct {
	Migration
	up, down []action
	roles    map[As]string // creating roles; with "roles: none" owner and runner are ""

	texts          []File // the texts as read: Up, or both; then Down if it has a file of its own
	parts          int    // number of files of the step
	what           fileKind
	path, pathDown string   // search_path of Up and of Down as in SET; "" if there is none
	makesSchema    bool     // the file prepares the database
	checksTrust    bool     // the file calls retention._refuse_untrusted()
	schemas, trust []string // arguments of that call
}

// fileKind describes a kind of file in a step.
type fileKind struct {
	index                               int
	what                                string // description in the head
	runtime, noTransaction, lockTimeout bool
	uninstall                           bool // it removes everything
}

// kindOfFile returns the kind of a file. It finds the kind by its description in the head comment.
func kindOfFile(l tool, text string) fileKind {
	for _, cron := range []bool{false, true} {
		for i, p := range emptyParts(l, "", cron) {
			k := fileKind{i, p.what, p.runtime, p.noTransaction, p.lockTimeout, p.uninstall}
			if strings.Contains(text, "\n-- "+p.what+"\n") {
				return k
			}
			if k.what, k.lockTimeout = p.what+waitsForLocks, true; strings.Contains(text, "\n-- "+k.what+"\n") {
				return k
			}
		}
	}
	return fileKind{index: -1}
}

// parseBody parses the objects of a file below its second line, and the settings of its Up part.
func parseBody(l tool, name, body string) (*migrationFile, error) {
	above, below := body, ""
	if !l.separate() {
		above, below, _ = strings.Cut(body, "\n"+l.downLine+"\n")
	}
	up := reader{tool: l, name: name, line: 2, roles: map[As]string{}}
	down := reader{tool: l, name: name, line: 4 + strings.Count(above, "\n"), roles: map[As]string{}}
	err := cmp.Or(up.read(above), down.read(below))
	maps.Copy(down.roles, up.roles)
	f := &migrationFile{up: up.actions, down: down.actions, path: up.path, pathDown: down.path, roles: down.roles,
		what: kindOfFile(l, body), makesSchema: strings.Contains(above, "\nDO $schema$\n")}
	f.readTrust(cmp.Or(up.trust, down.trust))
	return f, err
}

// readTrust reads the schemas and roles in the call of retention._refuse_untrusted().
func (f *migrationFile) readTrust(arguments string) {
	if arrays, err := pgparse.TextArrays(arguments); err == nil && len(arrays) == 2 {
		f.checksTrust, f.schemas, f.trust = true, arrays[0], arrays[1]
	}
}

// reader parses the Up or the Down part of a file.
type reader struct {
	tool    tool
	name    string
	line    int // line of the current mark
	actions []action
	path    string
	roles   map[As]string
	trust   string  // arguments of retention._refuse_untrusted(); "" if it is not called
	chapter string  // current chapter of the runtime
	role    string  // role that creates the next objects
	object  *action // object whose text is being read; nil between objects; of kind KindRuntime below runtimeMark
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
	r.object, r.text = &action{object: Object{Kind: kind, Chapter: r.chapter}}, ""
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
		defer r.settings(switched)
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
	default:
		r.roles[AsOwner] = r.role
		for _, text := range runtimeTexts(text) {
			id, _, ok := created(text)
			if !ok {
				return r.malformed("a text above this line creates no object of the runtime")
			}
			r.actions = append(r.actions, action{object: Object{Kind: id.Kind, Name: id.Name, As: AsOwner, SQL: text,
				Chapter: r.chapter}})
		}
		return nil
	}
	r.roles[a.object.As] = r.role
	r.actions = append(r.actions, *a)
	return nil
}

// settingLine matches a line that sets the role, or the search path, or checks whom to trust.
var settingLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(?:` + regexp.QuoteMeta(strings.TrimSuffix(foundRole(), ";\n")) +
		`|SET LOCAL ROLE (.*)|SET (?:LOCAL )?search_path = (.*)|SELECT .*\._refuse_untrusted\((.*)\));$`)
})

// settings parses lines between objects.
func (r *reader) settings(lines string) {
	for _, m := range settingLine().FindAllStringSubmatch(lines, -1) {
		if m[3] != "" {
			r.trust = cmp.Or(r.trust, m[3])
		} else if m[2] != "" {
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

// runtimeTexts splits the text below runtimeMark. Each object begins with lines of comment.
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
