package generator

import (
	"cmp"
	"fmt"
	"maps"
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
	roles    map[As]string // that create objects; with "roles: none" owner and runner are role ""

	texts          []File // as they were read: Up, or both; Down where it has a file of its own
	parts          int    // how many files its step has
	what           fileKind
	path, pathDown string // search_path of Up and of Down, as SET has it, "" for none
	makesSchema    bool   // which another tool than ours needs
	checksTrust    bool   // it asks for the owners of schemas
	schemas, trust []string
}

// fileKind says which file of a step one is.
type fileKind struct {
	index                               int
	what                                string // for its head
	runtime, noTransaction, lockTimeout bool
}

// kindOf tells the kind of a file from the line that says what the file is for.
func kindOfFile(text string) fileKind {
	for _, cron := range []bool{false, true} {
		for i, p := range emptyParts("", cron) {
			k := fileKind{i, p.what, i == 0, p.noTransaction, p.lockTimeout}
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

// parseBody reads the objects of a file below its second line, and the settings of its Up part.
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
		what: kindOfFile(body), makesSchema: strings.Contains(above, "\nDO $schema$\n")}
	f.trusts(cmp.Or(up.trust, down.trust))
	return f, err
}

// trusts reads the schemas and roles that the call of retention._refuse_untrusted() names.
func (f *migrationFile) trusts(arguments string) {
	if arrays, err := pgparse.TextArrays(arguments); err == nil && len(arrays) == 2 {
		f.checksTrust, f.schemas, f.trust = true, arrays[0], arrays[1]
	}
}

type reader struct {
	tool    tool
	name    string
	line    int // of the mark under way
	actions []action
	path    string
	roles   map[As]string
	trust   string  // the arguments of retention._refuse_untrusted(), "" for none
	chapter string  // of the runtime, under way
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

// begin begins with a chapter of the runtime. An object that needs no mark may stand below its heading.
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

// open begins with an object below what action.mark writes.
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
	r.object.object.Name, _ = strconv.Unquote(quoted) // it is
	r.object.object.As = cmp.Or(As(strings.TrimSpace(what[len(quoted):])), usually(kind))
	return nil
}

// frameLine is a line that goose alone reads.
var frameLine = regexp.MustCompile(`(?m)^-- \+goose Statement.*\n`)

// close ends the object under way, if there is one, or those of the runtime. The role may be switched for the next one.
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
			r.actions = append(r.actions, action{object: Object{Kind: id.Kind, Name: id.Name, As: AsOwner, SQL: text, Chapter: r.chapter}})
		}
		return nil
	}
	r.roles[a.object.As] = r.role
	r.actions = append(r.actions, *a)
	return nil
}

var settingLine = regexp.MustCompile(`(?m)^(?:RESET ROLE|SET LOCAL ROLE (.*)|SET (?:LOCAL )?search_path = (.*)|SELECT .*\._refuse_untrusted\((.*)\));$`)

// settings reads lines between objects.
func (r *reader) settings(lines string) {
	for _, m := range settingLine.FindAllStringSubmatch(lines, -1) {
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
