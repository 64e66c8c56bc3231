package generator

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pgretain/internal/diag"
	"pgretain/internal/explain"
	"pgretain/internal/pgparse"
	sqlfiles "pgretain/sql"
)

// Kind is what an Object is. The order of the constants is the order of creation; dropping goes the other way.
type Kind string

// The kinds. Everything from KindPrivilege on may change with a policy.
const (
	KindRuntime   Kind = "runtime"   // all of it, where it is dropped: its schema
	KindType      Kind = "type"      // of the runtime
	KindTable     Kind = "table"     // of the runtime
	KindUpgrade   Kind = "upgrade"   // a change of such a type or table: "version/name"
	KindFunction  Kind = "function"  // name is schema.name(argument types)
	KindProcedure Kind = "procedure" // name is schema.name(argument types)
	KindView      Kind = "view"
	KindArchive   Kind = "archive"   // "schema.table", one that an archive step makes
	KindStored    Kind = "stored"    // a table of ours that holds a join's rows during a run
	KindColumn    Kind = "column"    // "schema.table.column", one that a policy makes sure of
	KindPrivilege Kind = "privilege" // what the worker may do with one table: "schema.table"
	KindIndex     Kind = "index"     // "schema.index", built CONCURRENTLY
	KindInstall   Kind = "install"   // the registry's single row of the install: "install"
	KindPolicy    Kind = "policy"    // a policy's registry row: the policy's name
	KindEach      Kind = "each"      // the page of a policy for each schema: the policy's name
	KindJob       Kind = "job"       // a job's registry row: the job's name
	KindCron      Kind = "cron"      // a pg_cron job: its jobname
)

// As says which role creates an object.
type As string

// The roles of a migration. With "roles: none" all three are the migrating role.
const (
	AsMigrator As = "migrator" // whoever runs the migration: owns the application's tables
	AsOwner    As = "owner"
	AsWorker   As = "worker" // made by the owner; retention._close() hands it over
	AsRunner   As = "runner"
)

// Object is one thing that pgretain wants in the database. SQL creates or replaces it and may be
// run twice; it may hold several statements, each of which ends with a semicolon and a line
// break, grants included. Drop removes it and may be run twice.
type Object struct {
	Kind     Kind
	Name     string
	As       As
	SQL      string
	Drop     string
	Policy   string         // the policy that wants it, "" for the runtime
	Table    string         // "schema.name" of the policy's table, "" otherwise
	Position diag.Position  // of the policy or job, zero for the runtime
	Words    []explain.Line // of a policy, report, job or the install: what it does; a page begins with them

	Chapter string   // of the runtime: the folder in which it stands
	Grants  []string // roles that may call or read it besides its owner
	Writes  []string // of a table: what the worker may do there besides reading

	// These are for the verifier; migrations do not record them.
	Cron       *CronJob                   // of a KindCron object
	Definition string                     // of a KindIndex object: its CREATE INDEX alone
	Content    string                     // of a KindIndex object: what the planner takes it to hold, as EXPLAIN
	Needs      []string                   // of a KindPolicy object: indexes of its table that were there before
	Members    *Members                   // of a KindEach object
	Rights     []Right                    // of a KindPrivilege object
	Row        map[string]json.RawMessage // of a row of the registry: columns that say nothing of where it is
}

// Hash is twelve hexadecimal digits of what makes the object what it is.
func (o Object) Hash() string { return Hash(string(o.As), o.SQL) }

// Hash is twelve hexadecimal digits over parts.
func Hash(parts ...string) string {
	sum := sha256.New()
	for _, part := range parts {
		sum.Write(append([]byte(part), 0))
	}
	return hex.EncodeToString(sum.Sum(nil))[:12]
}

// ID is what makes two objects the same thing.
type ID struct {
	Kind Kind
	Name string
}

// ID of the object.
func (o Object) ID() ID { return ID{o.Kind, o.Name} }

// The lines around objects; the first two are goose's. A mark stands above each object, whose text ends at the next
// line of ours, or where the role is switched for it; what is between endMark and the next mark is no object's, either:
// the search path, and the role's switching.
const (
	beginLine   = "-- +goose StatementBegin"
	endLine     = "-- +goose StatementEnd"
	nextLine    = "-- next"
	endMark     = "-- pgretain: end"
	runtimeMark = "-- pgretain: put runtime" // above several objects of the runtime, each of which tells what it is
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

var markLine = regexp.MustCompile(`^-- pgretain: (put|drop) (\S+) ("(?:[^"\\]|\\.)*")(?: (\S+))?$`)

// readMark reads what action.mark writes.
func readMark(line string) (a action, ok bool) {
	m := markLine.FindStringSubmatch(line)
	if m == nil {
		return a, false
	}
	name, err := strconv.Unquote(m[3])
	kind := Kind(m[2])
	return action{verb: verb(m[1]), object: Object{Kind: kind, Name: name, As: cmp.Or(As(m[4]), usually(kind))}}, err == nil
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
	object *action // nil between objects; of kind KindRuntime below runtimeMark
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
		return r.close()
	case strings.HasPrefix(line, ourPrefix+" put "), strings.HasPrefix(line, ourPrefix+" drop "):
		if err := r.close(); err != nil {
			return err
		}
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

// lastLine is the last line of a text, with its end.
func lastLine(text string) string {
	return text[strings.LastIndex(strings.TrimSuffix(text, "\n"), "\n")+1:]
}

func switchesRole(line string) bool {
	return line == "RESET ROLE;\n" || setRoleLine.MatchString(strings.TrimSuffix(line, "\n"))
}

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
	switch {
	case line == runtimeMark:
		a.object.Kind = KindRuntime
	case !ok:
		return r.malformed("this is not the mark of an object")
	case rank(a.object.Kind) < 0:
		return historyError(ErrNewer, newerHint, fmt.Sprintf("line %d: it holds an object of kind %q, which this pgretain (runtime %s) does not know",
			r.line, a.object.Kind, sqlfiles.Version), r.name)
	}
	r.object, r.text = &a, ""
	return nil
}

// close ends the object under way, if there is one, or those of the runtime. Roles are switched for the next one.
func (r *fileReader) close() error {
	a := r.object
	if a == nil {
		return nil
	}
	var switched []string
	for line := lastLine(r.text); switchesRole(line); line = lastLine(r.text) {
		r.text = strings.TrimSuffix(r.text, line)
		switched = append(switched, line)
	}
	switch {
	case a.verb == verbPut:
		a.object.SQL = r.text
		r.add(*a)
	case a.verb == verbDrop:
		if hasStatement(r.text) { // not the comment in place of statements
			a.object.Drop = r.text
		}
		r.add(*a)
	default:
		for _, text := range runtimeTexts(r.text) {
			id, ok := runtimeID(text)
			if !ok {
				return r.malformed("above it is what is no object of the runtime")
			}
			r.add(action{verb: verbPut, object: Object{Kind: id.Kind, Name: id.Name, As: AsOwner, SQL: text}})
		}
	}
	r.object = nil
	for _, line := range slices.Backward(switched) {
		r.setting(strings.TrimSuffix(line, "\n"))
	}
	return nil
}

func (r *fileReader) add(a action) {
	if a.verb == verbPut {
		a.sum = a.object.Hash()
	}
	if r.inDown {
		r.down = append(r.down, a)
		return
	}
	r.roles[a.object.As] = r.role
	r.up = append(r.up, a)
}

func (r *fileReader) malformed(what string) error {
	return historyError(ErrMalformed, toolHint, fmt.Sprintf("line %d: %s", r.line, what), r.name)
}
