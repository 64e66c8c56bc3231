package generator

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// Rebase reads dir as ReadFormat does, and where its migrations fork it leaves out one side: the one that begins with
// one of files, or, with later, the one whose first file has the greater number. Two files with one number have no
// later one. It returns what is left and the names that were left out, in the order of their numbers; none when
// nothing forks. Nothing is written. The error is a *HistoryError where a fork remains, where one of files is not the
// beginning of a side, or where anything else is wrong with the directory.
func Rebase(dir fs.FS, format Format, files []string, later bool) (*History, []string, error) {
	whole, err := openDir(dir, format)
	if err != nil {
		return nil, nil, err
	}
	r := rebase{dir: whole, files: files, later: later}
	if err := r.exist(); err != nil {
		return nil, nil, err
	}
	for {
		h, err := r.dir.read()
		if err == nil {
			return h, r.removed(), r.unused()
		}
		var fork *HistoryError
		if !errors.As(err, &fork) || fork.Kind != ErrFork && fork.Kind != ErrDuplicate {
			return nil, nil, r.withoutSide(err)
		}
		if err := r.leaveOut(fork); err != nil {
			return nil, nil, err
		}
	}
}

type rebase struct {
	dir   migrationDir
	files []string
	later bool
}

// exist refuses names that are not in the directory.
func (r *rebase) exist() error {
	names, err := r.dir.list()
	if err != nil {
		return err
	}
	for _, file := range r.files {
		if !slices.ContainsFunc(names, func(n numbered) bool { return n.name == file }) {
			return historyError(ErrNoFork, "Name a file of the migration directory.", "there is no such migration", file)
		}
	}
	return nil
}

// leaveOut takes one side of a fork away.
func (r *rebase) leaveOut(fork *HistoryError) error {
	for _, file := range fork.Files {
		if slices.Contains(r.files, file) {
			return r.cut(file)
		}
	}
	if r.later && fork.Kind == ErrFork {
		return r.cut(fork.Files[1])
	}
	return fork
}

// withoutSide explains a gap that the rebase itself would make, where the tool wants all numbers.
func (r *rebase) withoutSide(err error) error {
	var gap *HistoryError
	if len(r.dir.without) == 0 || !r.dir.tool.gapless || !errors.As(err, &gap) || gap.Kind != ErrGap {
		return err
	}
	return historyError(ErrGap, "Give this migration the number of the first file that goes, if it is applied nowhere; or have the other side written again.",
		fmt.Sprintf("without %s there is a gap before this migration, which %s refuses", strings.Join(r.removed(), ", "), r.dir.tool.format),
		gap.Files[len(gap.Files)-1])
}

// cut leaves out head and the files that continue it and nothing else. Files of the user stay.
func (r *rebase) cut(head string) error {
	if !r.dir.isOurs(head) {
		return historyError(ErrNoFork, "Give it another number, if it is applied nowhere.", "this migration was not generated: pgretain does not rewrite it", head)
	}
	names, err := r.dir.list()
	if err != nil {
		return err
	}
	files, err := r.dir.ours(names)
	if err != nil {
		return err
	}
	state, lost := none, map[string]bool{}
	for _, f := range files {
		if f.Name == head {
			lost[f.State] = true
		}
	}
	r.dir.without[head] = true
	for _, f := range files {
		switch {
		case f.Name == head:
		case f.After == state:
			state = f.State
		case lost[f.After]:
			lost[f.State] = true
			r.dir.without[f.Name] = true
		}
	}
	return nil
}

// removed are the names that were left out, by number, each with the files that belong to it.
func (r *rebase) removed() []string {
	names := slices.SortedFunc(maps.Keys(r.dir.without), func(a, b string) int {
		x, _ := r.dir.tool.number(a)
		y, _ := r.dir.tool.number(b)
		return cmp.Or(cmp.Compare(x.version, y.version), cmp.Compare(a, b))
	})
	var all []string
	for _, name := range names {
		all = append(append(all, name), r.dir.companions(name)...)
	}
	return all
}

// unused refuses files that begin no side of a fork: nothing is taken out of the middle of a chain.
func (r *rebase) unused() error {
	for _, file := range r.files {
		if !r.dir.without[file] {
			return historyError(ErrNoFork, "Nothing has to be rewritten; \"pgretain generate\" writes the next step.", "the migrations do not fork at this file", file)
		}
	}
	return nil
}
