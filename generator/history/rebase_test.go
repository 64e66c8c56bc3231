package history_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"pgretain/generator"
)

// branch returns a copy of base with up to three random steps added. Their numbers are greater than
// first.
func branch(t *testing.T, random *rand.Rand, base fstest.MapFS, format generator.Format, label string,
	first int64) fstest.MapFS {
	t.Helper()
	dir := maps.Clone(base)
	for range 1 + random.IntN(3) {
		h := mustReadFormat(t, dir, format)
		index := fmt.Sprint("i", random.Int())
		wanted := []generator.Object{{Kind: generator.KindIndex, Name: "app." + index, As: generator.AsMigrator,
			Policy: "p",
			SQL:    "COMMENT ON INDEX app." + index + " IS 'new';\nSELECT retention._record_index('app', 'i');\n",
			Drop:   "DELETE FROM retention.index_definition WHERE schema_name = 'app' AND index_name = 'i';\n"}}
		for i := range 3 {
			wanted = append(wanted, function(fmt.Sprintf("retention.f%d()", i),
				fmt.Sprintf("CREATE OR REPLACE FUNCTION retention.f%d() "+
					"RETURNS bigint LANGUAGE sql AS $function$ SELECT %d $function$;\n", i, random.Int())))
		}
		files, err := generator.Next(h, wanted, generator.NextOptions{Roles: testRoles, Label: label,
			Version: func(previous int64) int64 { return max(previous, first) + 1 }})
		if err != nil {
			t.Fatal(err)
		}
		addFiles(t, dir, files)
	}
	return dir
}

// added returns the names of the files that are in dir but not in base.
func added(dir, base fstest.MapFS) []string {
	var names []string
	for name := range dir {
		if base[name] == nil {
			names = append(names, name)
		}
	}
	return slices.Sorted(slices.Values(names))
}

// userFiles are name patterns for files of the user, for the tools that allow gaps between numbers.
var userFiles = map[generator.Format]string{
	generator.Goose: "%05d_own.sql", generator.Flyway: "V%05d__own.sql", generator.Psql: "%05d_own.up.sql",
}

// union returns both sides of a fork in one directory. If the tool allows gaps, it adds files of
// the user between the sides and after them.
func union(random *rand.Rand, format generator.Format, sides ...fstest.MapFS) fstest.MapFS {
	all := fstest.MapFS{}
	for _, side := range sides {
		maps.Copy(all, side)
	}
	if own := userFiles[format]; own != "" {
		for _, n := range []int{50, 200} { // between the sides, and after them
			all[fmt.Sprintf(own, n+random.IntN(50))] = &fstest.MapFile{Data: []byte("SELECT 1;\n")}
		}
	}
	return all
}

// TestRebaseLeavesOutOneSide checks that Rebase leaves out all files of the chosen side and the
// files that belong to them, and no other file. The remaining history must be that of the other
// side.
func TestRebaseLeavesOutOneSide(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		for _, format := range generator.Formats {
			random := rand.New(rand.NewPCG(seed, 5))
			base := branch(t, random, fstest.MapFS{}, format, "", 0)
			offset := int64(0) // both sides have the same numbers
			if userFiles[format] != "" && seed%2 == 0 {
				offset = 101
			}
			ours := branch(t, random, base, format, "ours", 0)
			theirs := branch(t, random, base, format, "theirs", offset)
			all := union(random, format, ours, theirs)
			what := fmt.Sprintf("%s, seed %d", format, seed)

			checkRebase(t, what, all, base, theirs, ours)
			checkRebase(t, what, all, base, ours, theirs)
			h, removed, err := generator.Rebase(all, "", nil, true)
			if offset == 0 {
				if !errors.Is(err, generator.ErrDuplicate) {
					t.Errorf("%s: later side, but both have equal numbers: got %v, want ErrDuplicate", what, err)
				}
			} else if err != nil || h.State() != mustReadFormat(t, ours, "").State() {
				t.Errorf("%s: later side left out: got error %v or another state than the earlier side", what, err)
			} else if diff := cmp.Diff(added(theirs, base), slices.Sorted(slices.Values(removed))); diff != "" {
				t.Errorf("%s: files of the later side (-want +got)\n%s", what, diff)
			}
		}
	}
}

// checkRebase lets Rebase leave out the files of the parameter "side". It gives Rebase the name of
// the first of these files. Then it checks that the result equals the history of the files in the
// parameter "left".
func checkRebase(t *testing.T, what string, all, base, side, left fstest.MapFS) {
	t.Helper()
	head := mustReadFormat(t, side, "").Files()[len(mustReadFormat(t, base, "").Files())].Name
	h, removed, err := generator.Rebase(all, "", []string{head}, false)
	if err != nil {
		t.Errorf("%s: Rebase without %s: %v", what, head, err)
		return
	}
	if want := mustReadFormat(t, left, "").State(); h.State() != want {
		t.Errorf("%s: Rebase without %s: got state %s, want %s", what, head, h.State(), want)
	}
	if diff := cmp.Diff(added(side, base), slices.Sorted(slices.Values(removed))); diff != "" {
		t.Errorf("%s: Rebase without %s: files left out (-want +got)\n%s", what, head, diff)
	}
	rest := maps.Clone(all)
	for _, name := range removed {
		delete(rest, name)
	}
	if diff := cmp.Diff(h.Objects(), mustReadFormat(t, rest, "").Objects()); diff != "" {
		t.Errorf("%s: Rebase and Read of the remaining files differ\n%s", what, diff)
	}
}

// TestRebaseRefuses checks that Rebase refuses a directory with a damaged file on either side or in
// the common part.
func TestRebaseRefuses(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 9))
	base := branch(t, random, fstest.MapFS{}, generator.Goose, "", 0)
	ours := branch(t, random, base, generator.Goose, "ours", 0)
	theirs := branch(t, random, base, generator.Goose, "theirs", 101)
	all := union(random, generator.Goose, ours, theirs)
	for addition, kind := range map[string]error{
		"\n-- more\n":      generator.ErrEdited,
		"\n<<<<<<< HEAD\n": generator.ErrConflict,
	} {
		for _, side := range []fstest.MapFS{base, ours, theirs} {
			damaged := maps.Clone(all)
			file := added(side, nil)[len(added(side, nil))-1]
			damaged[file] = &fstest.MapFile{Data: []byte(string(all[file].Data) + addition)}
			if _, _, err := generator.Rebase(damaged, "", nil, true); !errors.Is(err, kind) ||
				!strings.Contains(err.Error(), file) {
				t.Errorf("%s: got %v, want %v", file, err, kind)
			}
		}
	}
}

// TestRebaseLeavesNoGap checks that Rebase refuses to leave out a side if a file of the user
// follows it. tern needs every number, so that file would come after a gap.
func TestRebaseLeavesNoGap(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 9))
	base := branch(t, random, fstest.MapFS{}, generator.Tern, "", 0)
	n := int64(len(mustReadFormat(t, base, "").Files()))
	side := branch(t, random, base, generator.Tern, "theirs", 0)
	own := fmt.Sprintf("%03d_own.sql", len(side)+1)
	side[own] = &fstest.MapFile{Data: []byte("SELECT 1;\n")}
	ours := maps.Clone(base)
	addFiles(t, ours, mustNext(t, mustReadFormat(t, base, ""),
		[]generator.Object{function("retention.f()", "SELECT 1;\n")})[:1])
	all := union(random, generator.Tern, ours, side)
	head := mustReadFormat(t, side, "").Files()[n].Name
	_, _, err := generator.Rebase(all, "", []string{head}, false)
	var got *generator.HistoryError
	if !errors.As(err, &got) || got.Kind != generator.ErrGap || got.Files[len(got.Files)-1] != own ||
		!strings.Contains(got.Hint, "give it the number of the first file that is left out") {
		t.Errorf("got %v, want ErrGap at %s with a hint", err, own)
	}
}
