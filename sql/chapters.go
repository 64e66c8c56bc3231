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

// File is an object of the runtime: the chapter is the folder in which it stands.
type File struct{ Chapter, Name, Text string }

// RunsExecute reports whether a run executes what stands in a chapter. Besides the engine these are the types and the tables.
func RunsExecute(chapter string) bool {
	return chapter == "types" || chapter == "tables" || path.Dir(chapter) == "engine"
}

// order has the files of each chapter as they are read, from what people call to what that calls, and such that
// PostgreSQL finds what it looks for when it creates one: all that it names, but of a function in plpgsql what stands
// before its body.
//
//go:embed order.txt
var order string

// Files are all but upgrades, in that order.
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

// Chapters are the folders of the runtime in their order.
func Chapters() []string {
	return slices.Compact(lists.Map(Files(), func(f File) string { return f.Chapter }))
}

// Heading is what a chapter says of itself, in its chapter.sql: its title first, what it does, and who calls it.
func Heading(chapter string) string { return quote.File(Runtime, path.Join(chapter, "chapter.sql")) }
