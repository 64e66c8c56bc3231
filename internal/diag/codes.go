package diag

import (
	"fmt"
	"slices"
	"strings"
)

// Code is a stable name of a kind of diagnostic. Its page is docs/checks/<Name>.md.
type Code struct {
	Name  string // "P014"
	Title string // one line, lower case
}

var codes = map[string]string{}

// Register makes a code known and returns its name; it is called from package variables only. It
// panics when the code exists, because a code has one meaning for ever. P001 to P049 belong to
// policy, P050 to P099 to the generator, L0xx to internal/lint, V0xx to the verifier.
func Register(name, title string) string {
	if _, ok := codes[name]; ok {
		panic(fmt.Sprintf("diag: code %s is registered twice", name))
	}
	codes[name] = title
	return name
}

// Codes lists what the packages of this program registered, sorted by name.
func Codes() []Code {
	list := make([]Code, 0, len(codes))
	for name, title := range codes {
		list = append(list, Code{Name: name, Title: title})
	}
	slices.SortFunc(list, func(a, b Code) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Title is what a code stands for, "" for one that nobody registered.
func Title(code string) string { return codes[code] }
