package sqlfiles

import (
	_ "embed" // order.txt
	"path"
	"slices"
	"strings"
	"sync"

	"pgretain/internal/lists"
	"pgretain/internal/quote"
)

// File is the SQL file of one object of the runtime. Chapter is its folder.
type File struct{ Chapter, Name, Text string }

// RunsExecute reports whether a run executes objects of a chapter. A run uses the engine, the types
// and the tables.
func RunsExecute(chapter string) bool {
	return chapter == "types" || chapter == "tables" || path.Dir(chapter) == "engine"
}

// order lists the files of each chapter in reading order: a function comes before the functions
// that it calls. PL/pgSQL looks up the names in a body when the function is called. PostgreSQL
// looks up all other names when it creates an object, so these objects come first.
//
//go:embed order.txt
var order string

// Files returns all files except upgrades, in the order of order.txt.
var Files = sync.OnceValue(func() (files []File) {
	chapter := ""
	for _, word := range strings.Fields(order) {
		if folder, begins := strings.CutSuffix(word, ":"); begins {
			chapter = folder
		} else {
			files = append(files, File{chapter, word, quote.File(Runtime, path.Join(chapter, word+".sql"))})
		}
	}
	return files
})

// Chapters returns the folders of the runtime in their order.
func Chapters() []string {
	return slices.Compact(lists.Map(Files(), func(f File) string { return f.Chapter }))
}

// Heading returns the text of a chapter's chapter.sql: its title, what it does, and who calls it.
func Heading(chapter string) string { return quote.File(Runtime, path.Join(chapter, "chapter.sql")) }
