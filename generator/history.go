package generator

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"pgretain/internal/diag"
)

// Problem is a kind of error in a migration directory, with the usual hint.
type Problem struct{ what, hint string }

func (p *Problem) Error() string { return p.what }

// These are the kinds of errors. A HistoryError wraps one of them.
var (
	ErrEdited = &Problem{"a generated migration was edited by hand",
		"Restore the file from version control, and change the policy file instead. Write statements that pgretain " +
			"does not generate into a migration of your own."}
	ErrGap   = &Problem{"a migration is missing", "Restore the missing file from version control."}
	ErrHalf  = &Problem{"a file that belongs to a migration is missing", ErrGap.hint}
	ErrOrder = &Problem{"migrations are out of order",
		"Give the files the numbers with which they were generated. Tools apply migrations in the order of their " +
			"numbers."}
	ErrFork = &Problem{"two migrations follow the same state",
		"Two branches each added a step. Rewrite the side that no database has applied: run \"pgretain generate " +
			"--rebase=%s\" or \"pgretain generate --rebase=%s\"."}
	ErrDuplicate = &Problem{"two migrations have the same number",
		"Give another number to the migration that no database has applied."}
	ErrMalformed = &Problem{"a generated migration cannot be read",
		"Use the pgretain version that wrote the file, or a later one."}
	// Both branches wrote a file of this name, so a database has applied at most one of the two
	// versions.
	ErrConflict = &Problem{"a generated migration has conflict markers",
		"Restore the whole file of one side with \"git checkout --ours FILE\" or \"git checkout --theirs FILE\". " +
			"If a database has applied one side, use that side. Then run \"pgretain generate\", which writes the " +
			"other changes as the next step."}
	ErrNoFork = &Problem{"the migrations do not fork there",
		"If no database has applied the file, give it another number."}
	ErrFormat = &Problem{"the directory has files of two migration tools",
		"Keep the files of the tool that applies them. Move the files of the other tool into another directory."}
	ErrNewer = &Problem{"a generated migration comes from a newer pgretain",
		"Use the pgretain version that wrote the file, or a later one. An older one would install an older runtime."}
)

// HistoryError is an error in files of a migration directory. Kind is one of the sentinels above.
// Message is a diagnostic without a position. Hint is a whole sentence.
type HistoryError struct {
	Kind    error
	Files   []string
	Line    int // line in the last file; 0 if the whole file is wrong
	Column  int // column in characters; 0 if the whole line is wrong
	Message string
	Hint    string
}

func (e *HistoryError) Error() string { return strings.Join(e.Files, ", ") + ": " + e.Message }

func (e *HistoryError) Unwrap() error { return e.Kind }

// Diagnostic returns the error as a diagnostic in its last file. The message names the other files.
func (e *HistoryError) Diagnostic() diag.Diagnostic {
	return diag.Diagnostic{
		Position: diag.Position{File: e.Files[len(e.Files)-1], Line: max(e.Line, 1), Column: max(e.Column, 1)},
		Severity: diag.Error, Message: e.Message, Hint: e.Hint,
	}
}

func historyError(kind *Problem, message string, files ...string) *HistoryError {
	return hinted(kind, kind.hint, message, files...)
}

func hinted(kind *Problem, hint, message string, files ...string) *HistoryError {
	return &HistoryError{Kind: kind, Files: files, Message: message, Hint: hint}
}

// History is the result of all migrations of a directory. The directory is the only state. Nothing
// else records what was generated.
type History struct {
	tool     tool
	files    []Migration
	objects  []Object         // in the order of their first creation; a removed object has no kind
	indexOf  map[ID]int       // index of each object in objects
	sums     map[ID]string    // hash of kind, name and content of each installed object
	keptData map[ID]bool      // objects with data that stay in the database although the migrations removed them
	path     string           // search_path of the last file, as in SET; "" if there is none
	roles    map[As]string    // names of the creating roles; "" for the migrating role
	last     int64            // greatest number in the directory
	width    int              // digits of the next number
	lastFile map[ID]int       // index of the file that wrote each object last
	read     []*migrationFile // all generated files
	own      []numbered       // files of the user
	step     []*migrationFile // files of the step that is being read
}

// Migration is one generated file. State is the state after the file, and After the state before
// it.
type Migration struct {
	Name    string
	Version int64
	State   string
	After   string
	Part    int // number of the file in its step, from 1
}

// none is the state of a directory without generated files.
const none = "none"

// Read calls ReadFormat with the format of the generated files. Without generated files it is
// goose.
func Read(dir fs.FS) (*History, error) { return ReadFormat(dir, "") }

// ReadFormat replays the generated migrations of dir in the order of their numbers. A file without
// pgretain's first line belongs to the user; only its number counts. format is the tool for a
// directory without generated files; "" means goose. The error is a *HistoryError if files
// contradict each other or format, if one is missing, or if one was edited.
func ReadFormat(dir fs.FS, format Format) (*History, error) {
	d, err := openDir(dir, format)
	if err != nil {
		return nil, err
	}
	return d.read()
}

func (dir migrationDir) read() (*History, error) {
	names := dir.remaining()
	if err := dir.checkNumbers(names); err != nil {
		return nil, err
	}
	files, err := dir.ours(names)
	h := &History{tool: dir.tool, indexOf: map[ID]int{}, sums: map[ID]string{}, keptData: map[ID]bool{},
		lastFile: map[ID]int{}, roles: map[As]string{}, width: dir.tool.width}
	if len(names) > 0 {
		h.last, h.width = names[len(names)-1].version, names[len(names)-1].digits
	}
	h.own = slices.DeleteFunc(slices.Clone(names), func(n numbered) bool {
		return slices.ContainsFunc(files, func(f *migrationFile) bool { return f.Name == n.name })
	})
	for i := 0; i < len(files) && err == nil; i++ {
		err = h.follow(files[i], files)
	}
	if err == nil {
		err = h.checkSettings(h.step)
	}
	return h, err
}

// follow replays a file. Before that, it checks that no newer pgretain wrote the file and that the
// file continues the chain. Afterwards it checks that the objects have the state that the file
// names.
func (h *History) follow(file *migrationFile, all []*migrationFile) error {
	if err := checkVersion(file); err != nil {
		return err
	}
	if file.After != h.State() {
		return chainError(h.files, file, all)
	}
	if err := cmp.Or(file.checkText(h.written(file)), h.checkActions(file)); err != nil {
		return err
	}
	h.replay(file)
	if file.Path != ownPath {
		h.path = file.Path
	}
	maps.Copy(h.roles, file.roles)
	if got := stateOf(h.sums); got != file.State {
		message := fmt.Sprintf("the state in its first lines is %s, but its objects have state %s", file.State, got)
		return historyError(ErrEdited, message, file.Name)
	}
	h.files = append(h.files, file.Migration)
	h.read, h.step = append(h.read, file), append(h.step, file)
	if file.Part < file.parts {
		return nil
	}
	defer func() { h.step = nil }()
	return h.checkSettings(h.step)
}

// chainError returns the reason why file does not continue the files before it.
func chainError(before []Migration, file *migrationFile, all []*migrationFile) error {
	for _, rival := range slices.Backward(before) {
		if rival.After == file.After {
			return hinted(ErrFork, fmt.Sprintf(ErrFork.hint, rival.Name, file.Name),
				"this migration follows the same state as "+rival.Name, rival.Name, file.Name)
		}
	}
	for _, parent := range all {
		if parent.State == file.After {
			message := "this migration must come after " + parent.Name + ", which it continues"
			return historyError(ErrOrder, message, parent.Name, file.Name)
		}
	}
	if len(before) == 0 {
		return historyError(ErrGap, "a migration before this one is missing", file.Name)
	}
	previous := before[len(before)-1].Name
	return historyError(ErrGap, "a migration between "+previous+" and this one is missing", previous, file.Name)
}

// State returns the hash of everything that is installed; "none" if there is no generated file.
func (h *History) State() string {
	if len(h.files) == 0 {
		return none
	}
	return h.files[len(h.files)-1].State
}

// stateOf returns a hash over kind, name and content of all objects. The order of creation does not
// matter.
func stateOf(sums map[ID]string) string { return Hash(slices.Sorted(maps.Values(sums))...) }

// sumOf returns the text that stateOf hashes for one object. hash is the hash of its SQL. For an
// object outside the runtime, the text also contains the statement that removes the object.
func sumOf(o *Object, hash string) string {
	sum := string(o.Kind) + "\x00" + o.Name + "\x00" + hash
	if rank(o.Kind) > rank(KindView) {
		sum += "\x00" + o.Drop
	}
	return sum
}

// Object returns the latest object that the migrations installed under id, with its texts as
// generated. It does not know Policy, Table and Position.
func (h *History) Object(id ID) (Object, bool) {
	if !h.Has(id) {
		return Object{}, false
	}
	return h.objects[h.indexOf[id]], true
}

// Has reports whether the migrations install id.
func (h *History) Has(id ID) bool { return h.sums[id] != "" }

// applied reports whether a database in the given state has the latest text of an object.
func (h *History) applied(id ID, state string) bool {
	for at, file := range slices.Backward(h.files) {
		if file.State == state {
			return h.Has(id) && h.lastFile[id] <= at
		}
	}
	return false
}

// FileOf returns the name of the last file that writes an object; "" if the migrations do not
// install it.
func (h *History) FileOf(id ID) string {
	if !h.Has(id) {
		return ""
	}
	return h.files[h.lastFile[id]].Name
}

// Objects returns all installed objects in the order of their first creation.
func (h *History) Objects() []Object {
	return slices.DeleteFunc(slices.Clone(h.objects), func(o Object) bool { return o.Kind == "" })
}

// OnlyCron reports whether the migrations install jobs and nothing else. Such a directory is for
// the database that has schema cron.
func (h *History) OnlyCron() bool { return len(h.sums) > 0 && !h.HasMore() }

// HasMore reports whether the migrations install anything but jobs.
func (h *History) HasMore() bool {
	return slices.ContainsFunc(h.Objects(), func(o Object) bool { return o.Kind != KindCron })
}

// Files returns the generated migrations in order.
func (h *History) Files() []Migration { return slices.Clone(h.files) }

// FileOfRow returns the name of the last migration that writes the registry row of a policy, a
// report or a job; "" if there is none.
func (h *History) FileOfRow(name string) string {
	for _, file := range slices.Backward(h.read) {
		for _, a := range file.up {
			if !a.drops && a.object.Name == name &&
				slices.Contains([]Kind{KindPolicy, KindEach, KindJob}, a.object.Kind) {
				return file.Name
			}
		}
	}
	return ""
}

// LastStep returns the files of the last step, in order. A step is all files that one call of Next
// writes.
func (h *History) LastStep() []Migration {
	n := len(h.files)
	for n > 0 && h.files[n-1].Part > 1 {
		n--
	}
	return slices.Clone(h.files[max(n-1, 0):])
}

// Last returns the greatest number in the directory, files of the user included; 0 if the directory
// is empty.
func (h *History) Last() int64 { return h.last }

// Format returns the format of the next files.
func (h *History) Format() Format { return h.tool.format }

// replay applies the Up part of a file. The Down part tells how new objects are removed.
func (h *History) replay(file *migrationFile) {
	removal := map[ID]string{}
	for _, a := range file.down {
		if a.drops {
			removal[a.object.ID()] = a.object.Drop
		}
	}
	for _, a := range file.up {
		o, id := a.object, a.object.ID()
		before, had := h.Object(id)
		switch {
		case id.Kind == KindRuntime:
			for _, o := range h.Objects() {
				h.remove(o.ID())
				h.keptData[o.ID()] = o.Kind == KindArchive // a column of "ensure" is dropped
			}
			continue
		case a.drops:
			h.remove(id)
			continue
		case a.removal != nil:
			o.Drop = *a.removal
		case had:
			o.Drop = before.Drop
		case isRuntime(&o) && removal[id] == "":
			o.Drop = dropStatement(id.Kind, id.Name)
		default:
			o.Drop = removal[id]
		}
		if !had { // a replaced object keeps its place
			h.indexOf[id], h.objects = len(h.objects), append(h.objects, o)
		}
		h.objects[h.indexOf[id]], h.sums[id], h.lastFile[id] = o, sumOf(&o, o.Hash()), len(h.files)
	}
}

// remove removes id from the state. It records objects that hold data, because they stay in the
// database. Down must not drop such an object after a policy has added it again.
func (h *History) remove(id ID) {
	if h.Has(id) {
		h.objects[h.indexOf[id]] = Object{}
	}
	delete(h.sums, id)
	h.keptData[id] = storesData(id.Kind)
}

// quoteName quotes a name for a comment. The result is on one line, and no migration tool reads it
// as an annotation.
func quoteName(name string) string {
	return strings.ReplaceAll(strconv.Quote(name), "+goose", `\u002bgoose`)
}

// Rebase reads dir like ReadFormat and leaves out one side of each fork. It leaves out the side
// whose first file is listed in the parameter "heads". If "later" is true, it leaves out the side
// whose first file has the greater number. Two files with the same number have no later one. Unlike
// ReadFormat, Rebase refuses a statement that pgretain never writes for an object of this kind. It
// returns the remaining history and the names of the files that it left out, in the order of their
// numbers. If there is no fork, it leaves out no file. It writes nothing. The error is a
// *HistoryError if a fork remains or a file is wrong.
func Rebase(dir fs.FS, format Format, heads []string, later bool) (*History, []string, error) {
	d, err := openDir(dir, format)
	for err == nil {
		h, wrong := d.read()
		if wrong == nil {
			return h, d.leftOut(), h.checkStatements()
		}
		fork, _ := errors.AsType[*HistoryError](wrong)
		forks := errors.Is(wrong, ErrFork) || errors.Is(wrong, ErrDuplicate)
		switch i := slices.IndexFunc(heads, func(head string) bool {
			return forks && slices.Contains(fork.Files, head)
		}); {
		case i >= 0:
			err = d.leaveOut(heads[i])
		case later && errors.Is(wrong, ErrFork):
			err = d.leaveOut(fork.Files[1])
		default:
			err = wrong
		}
	}
	return nil, nil, err
}

// leaveOut leaves out the file "head" and all files that continue it. Files of the user stay.
func (dir migrationDir) leaveOut(head string) error {
	if !dir.isOurs(head) {
		return historyError(ErrNoFork, "pgretain did not generate this migration and cannot rewrite it", head)
	}
	files, err := dir.ours(dir.remaining())
	state, lost := none, map[string]bool{}
	for _, f := range files {
		switch {
		case f.Name == head || f.After != state && lost[f.After]:
			lost[f.State], dir.without[f.Name] = true, true
		case f.After == state:
			state = f.State
		}
	}
	return err
}

// leftOut returns the names of the files that were left out, sorted by number. The files that
// belong to a migration follow it.
func (dir migrationDir) leftOut() (names []string) {
	for _, n := range dir.list() {
		if dir.without[n.name] {
			names = append(append(names, n.name), dir.companions(n.name)...)
		}
	}
	return names
}
