package generator

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// History is what the migrations of a directory install when all of them are applied. The
// directory is the only state: nothing else remembers what was generated.
type History struct {
	tool    tool
	files   []Migration
	objects map[ID]Object
	sums    map[ID]string // kind, name and hash of each of them
	order   []ID          // as first created
	left    map[ID]bool
	path    string        // search_path of the last file, as SET has it, "" for none
	roles   map[As]string // who created what, "" for the migrating role
	last    int64
	width   int
}

// Migration is one file of ours: State is what holds after it, After what must hold before it.
type Migration struct {
	Name    string
	Version int64
	State   string
	After   string
	Part    int // which file of its step, from 1
}

// none is the state of an empty directory.
const none = "none"

// Read is ReadFormat for a directory whose generated files say what they were written for; goose
// where there are none.
func Read(dir fs.FS) (*History, error) { return ReadFormat(dir, "") }

// ReadFormat replays the generated migrations of dir in the order of their numbers. Files without our
// first line belong to the user: only their numbers count. Format says what to write into a directory
// without generated files; "" is goose. The error is a *HistoryError where the files contradict each
// other or format, are not complete, or where one was edited.
func ReadFormat(dir fs.FS, format Format) (*History, error) {
	side, err := side(dir, format)
	if err != nil {
		return nil, err
	}
	return side.read()
}

func (dir sideDir) read() (*History, error) {
	files, last, width, err := dir.load()
	if err != nil {
		return nil, err
	}
	h := &History{tool: dir.tool, objects: map[ID]Object{}, sums: map[ID]string{}, left: map[ID]bool{}, roles: map[As]string{}, last: last, width: width}
	for _, file := range files {
		if err := h.follow(file, files); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// follow checks that file is not from a newer pgretain and continues the chain, replays it and checks
// what it promises.
func (h *History) follow(file migrationFile, all []migrationFile) error {
	if err := checkVersion(file); err != nil {
		return err
	}
	if file.After != h.State() {
		return chainError(h.files, file, all)
	}
	h.replay(file)
	h.path = file.settings.path
	maps.Copy(h.roles, file.settings.roles)
	if got := h.hash(); got != file.State {
		return &HistoryError{
			Kind: ErrEdited, Files: []string{file.Name},
			Message: fmt.Sprintf("its first lines promise state %s, its objects make %s", file.State, got),
			Hint:    restoreHint,
		}
	}
	h.files = append(h.files, file.Migration)
	return nil
}

// State is the hash of everything installed, "none" when there is no generated file.
func (h *History) State() string {
	if len(h.files) == 0 {
		return none
	}
	return h.files[len(h.files)-1].State
}

// hash covers kind, name and content of every object, whatever the order of creation.
func (h *History) hash() string {
	return Hash(slices.Sorted(maps.Values(h.sums))...)
}

// Object is what the migrations installed last under id, with its texts as they were generated.
// Policy, Table and Position are not recorded.
func (h *History) Object(id ID) (Object, bool) {
	object, ok := h.objects[id]
	return object, ok
}

// Has says whether the migrations install id.
func (h *History) Has(id ID) bool {
	_, ok := h.objects[id]
	return ok
}

// Objects are all installed objects in the order of their first creation.
func (h *History) Objects() []Object {
	objects := make([]Object, 0, len(h.order))
	for _, id := range h.order {
		objects = append(objects, h.objects[id])
	}
	return objects
}

// OnlyCron says whether the migrations install jobs and nothing else: they are for the database
// where schema cron lives.
func (h *History) OnlyCron() bool { return len(h.objects) > 0 && !h.HasMore() }

// HasMore says whether the migrations install anything but jobs.
func (h *History) HasMore() bool {
	return slices.ContainsFunc(h.order, func(id ID) bool { return id.Kind != KindCron })
}

// Files are the generated migrations in order.
func (h *History) Files() []Migration { return slices.Clone(h.files) }

// LastStep are the files that were generated together last, in order.
func (h *History) LastStep() []Migration {
	n := len(h.files)
	for n > 0 && h.files[n-1].Part > 1 {
		n--
	}
	return slices.Clone(h.files[max(n-1, 0):])
}

// Last is the greatest number in the directory, user's files included, 0 when it is empty.
func (h *History) Last() int64 { return h.last }

// NextVersion is one more than the greatest number in the directory, user's files included.
func (h *History) NextVersion() int64 { return h.last + 1 }

// Format is what the next files are written for.
func (h *History) Format() Format { return h.tool.format }

// fileName writes version in the width in use.
func (h *History) fileName(version int64, middle string) string {
	return h.tool.name(version, h.width, middle)
}

// replay applies the Up part of a file; its Down part tells how new objects are removed.
func (h *History) replay(file migrationFile) {
	removal := map[ID]string{}
	for _, a := range file.down {
		if a.verb == verbDrop {
			removal[a.object.ID()] = a.object.Drop
		}
	}
	for _, a := range file.up {
		id := a.object.ID()
		switch {
		case id.Kind == KindRuntime:
			for _, o := range h.Objects() {
				if isRuntime(&o) {
					h.remove(o.ID())
				}
			}
		case a.verb == verbDrop:
			h.remove(id)
		case a.removal != nil:
			a.object.Drop = *a.removal
			h.put(a.object, a.sum)
		case h.Has(id):
			a.object.Drop = h.objects[id].Drop
			h.put(a.object, a.sum)
		case isRuntime(&a.object) && removal[id] == "":
			a.object.Drop = dropStatement(id.Kind, id.Name)
			h.put(a.object, a.sum)
		default:
			a.object.Drop = removal[id]
			h.put(a.object, a.sum)
		}
	}
}

// put adds or replaces an object with its hash; a replaced one keeps its place in the order.
func (h *History) put(object Object, sum string) {
	if !h.Has(object.ID()) {
		h.order = append(h.order, object.ID())
	}
	id := object.ID()
	h.objects[id] = object
	h.sums[id] = string(id.Kind) + "\x00" + id.Name + "\x00" + sum
}

// remove forgets id. What holds data stays in the database, which is remembered: whoever asks for it
// again must not drop it on the way back.
func (h *History) remove(id ID) {
	delete(h.objects, id)
	delete(h.sums, id)
	h.order = slices.DeleteFunc(h.order, func(other ID) bool { return other == id })
	if holdsData(id.Kind) {
		h.left[id] = true
	}
}

// clone lets Next walk ahead without touching h.
func (h *History) clone() *History {
	c := *h
	c.objects, c.sums, c.left = copied(h.objects), copied(h.sums), copied(h.left)
	c.order, c.files = slices.Clone(h.order), slices.Clone(h.files)
	return &c
}

// copied is a map of its own, also of none.
func copied[V any](m map[ID]V) map[ID]V {
	c := make(map[ID]V, len(m))
	maps.Copy(c, m)
	return c
}

// quoteName writes a name into a comment: on one line, whatever it holds, and never as something
// that a migration tool takes for an annotation.
func quoteName(name string) string {
	return strings.ReplaceAll(strconv.Quote(name), "+goose", `\u002bgoose`)
}
