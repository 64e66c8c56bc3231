package diag

import (
	"fmt"
	"maps"
	"slices"
)

// Code is the stable name of a kind of diagnostic, such as "P014", with its group and its title.
// Only Declare and SQLState make codes. So a code that does not exist does not compile. The zero
// Code means that there is none.
type Code struct {
	name  string
	group Group
	title string
}

// Group is a set of checks of the verifier on one subject.
type Group string

// declared maps names to codes.
var declared = map[string]Code{}

// Declare adds a code. The title is one line in lower case. The group is "" except for checks of
// the verifier. Each code has a page in docs/checks. Package messages declares all codes, as
// variables. Declare panics if the name exists, because a code never changes its meaning. P001 to
// P049 belong to package policy, P050 to P099 to the generator, L0xx to lint, V0xx to the verifier.
func Declare(name string, group Group, title string) Code {
	if _, ok := declared[name]; ok {
		panic(fmt.Sprintf("diag: code %s is declared twice", name))
	}
	declared[name] = Code{name, group, title}
	return declared[name]
}

// SQLState returns the code of an error of the server. It has no group and no title.
func SQLState(name string) Code { return Code{name: name} }

// Codes returns all declared codes, sorted by name.
func Codes() (list []Code) {
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		list = append(list, declared[name])
	}
	return list
}

// Find returns the declared code of a name, for example from a policy file. It returns the zero
// Code if there is none.
func Find(name string) Code { return declared[name] }

// String returns the name of a code, or "" for the zero Code.
func (c Code) String() string { return c.name }

// MarshalText returns the name of a code.
func (c Code) MarshalText() ([]byte, error) { return []byte(c.name), nil }

// Group returns the group of a check of the verifier, or "".
func (c Code) Group() Group { return c.group }

// Title returns what a diagnostic with this code is about, in one line.
func (c Code) Title() string { return c.title }
