package lint

import (
	"fmt"

	"pgretain/policy"
)

var _ = register("L015", "an archive that keeps its rows no longer than the table", checkArchives)

// checkArchives warns of an archive whose own policy takes the rows by the clock that they bring along,
// and at the same age or earlier: they go as soon as they arrive.
func checkArchives(l *linter) {
	policies := clockedPolicies(l.file.Policies)
	for _, from := range policies {
		for _, s := range from.Then {
			if s.Archive == nil || s.Related != nil {
				continue
			}
			for _, archive := range policies {
				if archive.Table.String() != s.Archive.Into.String() || guarded(archive.Policy) || archive.Where != nil || archive.unlimited || archive.clock.UpTo != nil ||
					!bringsClock(from, s.Archive, archive) || !notLonger(archive.longest, from.shortest) {
					continue
				}
				l.warn(finding{at: archive.clock.Window.Position, policy: archive.Name,
					message: fmt.Sprintf("policy %q takes rows of the archive %q as soon as they arrive", archive.Name, archive.Table),
					detail: fmt.Sprintf("They bring %q along, by which they are older than %s when policy %q archives them. ", archive.clock.Column,
						from.shortest.Text, from.Name) + place(from.Policy),
					hint: "Make the window of the archive longer, or let it run from the day of archiving: set: {archived_at: as_of}."})
			}
		}
	}
}

// bringsClock says whether the archive's clock is the one that the rows were archived by.
func bringsClock(from clocked, a *policy.Archive, archive clocked) bool {
	if from.clock.Encoding.Kind != archive.clock.Encoding.Kind {
		return false
	}
	for _, set := range a.Set {
		if set.Column == archive.clock.Column {
			return bare(set.Value) == from.clock.Column
		}
	}
	return a.Document == "" && archive.clock.Column == from.clock.Column
}
