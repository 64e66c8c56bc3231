package sqlfiles

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"pgretain/internal/quote"
)

// File is an object of the runtime: the chapter is the folder in which it stands.
type File struct {
	Chapter, Name, Text string

	Uses  []string // the names in the runtime's schema that it has outside comments, in their order
	needs []string // those that PostgreSQL looks for when it creates the object
}

// folders are in the order of creation, and of reading. What matches is a chapter each; upgrades are none.
var folders = []string{"types", "tables", Run + "/*", Besides + "/*", "views"}

// Types, tables and the chapters of Run are all that a run executes.
const (
	Run     = "run"
	Besides = "besides"
	heading = "chapter.sql" // in a chapter: its title, what it does, and who calls it
)

// Chapters are the folders of the runtime in their order.
func Chapters() []string {
	var chapters []string
	for _, folder := range folders {
		found, _ := fs.Glob(Runtime, folder) // embedded
		chapters = append(chapters, found...)
	}
	return chapters
}

// Heading is what a chapter says of itself: lines of comment, its title first.
func Heading(chapter string) string { return quote.File(Runtime, path.Join(chapter, heading)) }

// Files are all but upgrades, in the order of chapters, and in each of them in reading order.
var Files = sync.OnceValue(func() []File {
	var files []File
	for _, chapter := range Chapters() {
		names, _ := fs.Glob(Runtime, chapter+"/*.sql") // embedded
		var found []File
		for _, name := range names {
			if path.Base(name) != heading {
				found = append(found, newFile(chapter, name))
			}
		}
		files = append(files, inReadingOrder(files, found)...)
	}
	return files
})

// inReadingOrder sorts the files of a chapter as those above call them; what they do not, that for people first;
// after each the others that it calls, in the order in which it does. What PostgreSQL looks for when it creates an object
// comes before that one: all that it names, but of a function in plpgsql what stands before its body.
func inReadingOrder(above, files []File) []File {
	called, visited, made := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, file := range files {
		for _, other := range among(files, file.Uses) {
			called[other.Name] = called[other.Name] || other.Name != file.Name
		}
	}
	var sorted []File
	var create, visit func(file File)
	create = func(file File) {
		if made[file.Name] {
			return
		}
		made[file.Name] = true
		for _, other := range among(files, file.needs) {
			create(other)
		}
		sorted = append(sorted, file)
	}
	visit = func(file File) {
		if visited[file.Name] {
			return
		}
		visited[file.Name] = true
		create(file)
		for _, other := range among(files, file.Uses) {
			visit(other)
		}
	}
	for _, file := range above {
		for _, other := range among(files, file.Uses) {
			visit(other)
		}
	}
	for _, first := range []func(f File) bool{
		func(f File) bool { return !called[f.Name] && !strings.HasPrefix(f.Name, "_") },
		func(f File) bool { return !called[f.Name] },
		func(File) bool { return true },
	} {
		for _, file := range files {
			if first(file) {
				visit(file)
			}
		}
	}
	return sorted
}

var (
	comment   = regexp.MustCompile(`(?m)--.*$|('(?:[^']|'')*')`) // not in strings
	bodyStart = regexp.MustCompile(`(?s)\sAS \$.*`)
	use       = regexp.MustCompile(`\bretention\.([A-Za-z0-9_]+)`)
)

func newFile(chapter, name string) File {
	text := quote.File(Runtime, name)
	code := comment.ReplaceAllString(text, "$1")
	file := File{Chapter: chapter, Name: strings.TrimSuffix(path.Base(name), ".sql"), Text: text, Uses: uses(code)}
	if head := bodyStart.ReplaceAllString(code, ""); strings.Contains(head, "LANGUAGE plpgsql") {
		code = head
	}
	file.needs = uses(code)
	return file
}

func uses(code string) []string {
	var names []string
	for _, found := range use.FindAllStringSubmatch(code, -1) {
		names = append(names, found[1])
	}
	return names
}

// among are the files that hold what is named, in the order of the names.
func among(files []File, names []string) []File {
	var found []File
	for _, name := range names {
		if i := slices.IndexFunc(files, func(f File) bool { return f.Name == name }); i >= 0 {
			found = append(found, files[i])
		}
	}
	return found
}
