package generator

import (
	"fmt"
	"slices"
)

// ErrSquash means that the steps of a directory cannot be replaced by one.
var ErrSquash = &Problem{"the steps cannot be replaced by one", ""}

// Squash returns the files of one step that installs what all steps of h install. They have the
// numbers of the last files of h, so a database that has these files has the new ones. If h has one
// step, there are no files. Squash refuses a file of the user between these numbers. The error is a
// *HistoryError, or an error of Next.
func Squash(h *History, wanted []Object, opt NextOptions) ([]File, error) {
	if h.Format() != Goose {
		message := fmt.Sprintf("files for %s cannot be squashed, only those for goose", h.Format())
		return nil, hinted(ErrSquash, "Keep the files.", message, h.files[0].Name)
	}
	empty := &History{tool: h.tool, indexOf: map[ID]int{}, sums: map[ID]string{}, keptData: map[ID]bool{},
		roles: map[As]string{}, width: h.width}
	opt.Version = nil
	files, err := Next(empty, wanted, opt)
	if err != nil {
		return nil, err
	}
	if len(files) == len(h.files) {
		return nil, nil // there is one step
	}
	old := h.files[len(h.files)-len(files):]
	if own := h.ownBetween(old[0].Version, old[len(old)-1].Version); own != "" {
		hint := "Keep generated migrations in a directory of their own, or replace your own files by one as well."
		return nil, hinted(ErrSquash, hint, "its number is between those of the last generated files", own)
	}
	opt.Version = func(previous int64) int64 {
		return old[slices.IndexFunc(old, func(m Migration) bool { return m.Version > previous })].Version
	}
	return Next(empty, wanted, opt)
}

// ownBetween returns the name of a file of the user whose number is between two numbers, or "".
func (h *History) ownBetween(first, last int64) string {
	for _, n := range h.own {
		if n.version > first && n.version < last {
			return n.name
		}
	}
	return ""
}
