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

// branch adds up to three random steps to a copy of base. Numbers go on after first.
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

// added are the names in dir that base has not.
func added(dir, base fstest.MapFS) []string {
	var names []string
	for name := range dir {
		if base[name] == nil {
			names = append(names, name)
		}
	}
	return slices.Sorted(slices.Values(names))
}

// ownFiles are names for files of the user's own, where numbers may be missing.
var ownFiles = map[generator.Format]string{
	generator.Goose: "%05d_own.sql", generator.Flyway: "V%05d__own.sql", generator.Psql: "%05d_own.up.sql",
}

// union is both sides in one directory, with files of the user's own where the tool has room for
// them.
func union(random *rand.Rand, format generator.Format, sides ...fstest.MapFS) fstest.MapFS {
	all := fstest.MapFS{}
	for _, side := range sides {
		maps.Copy(all, side)
	}
	if own := ownFiles[format]; own != "" {
		for _, n := range []int{50, 200} { // between the sides, and after them
			all[fmt.Sprintf(own, n+random.IntN(50))] = &fstest.MapFile{Data: []byte("SELECT 1;\n")}
		}
	}
	return all
}

// Whichever side is chosen, all of its files go, with what belongs to them, and no other file; what
// is left is the other side.
func TestRebaseTakesOneSideWhole(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		for _, format := range generator.Formats {
			random := rand.New(rand.NewPCG(seed, 5))
			base := branch(t, random, fstest.MapFS{}, format, "", 0)
			offset := int64(0) // both sides have the same numbers
			if ownFiles[format] != "" && seed%2 == 0 {
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
					t.Errorf("%s: the later of two equal numbers: %v", what, err)
				}
			} else if err != nil || h.State() != mustReadFormat(t, ours, "").State() {
				t.Errorf("%s: later: %v", what, err)
			} else if diff := cmp.Diff(added(theirs, base), slices.Sorted(slices.Values(removed))); diff != "" {
				t.Errorf("%s: later (-want +got)\n%s", what, diff)
			}
		}
	}
}

// checkRebase takes side away, by its first file.
func checkRebase(t *testing.T, what string, all, base, side, left fstest.MapFS) {
	t.Helper()
	head := mustReadFormat(t, side, "").Files()[len(mustReadFormat(t, base, "").Files())].Name
	h, removed, err := generator.Rebase(all, "", []string{head}, false)
	if err != nil {
		t.Errorf("%s: without %s: %v", what, head, err)
		return
	}
	if want := mustReadFormat(t, left, "").State(); h.State() != want {
		t.Errorf("%s: without %s: state %s, want %s", what, head, h.State(), want)
	}
	if diff := cmp.Diff(added(side, base), slices.Sorted(slices.Values(removed))); diff != "" {
		t.Errorf("%s: without %s (-want +got)\n%s", what, head, diff)
	}
	rest := maps.Clone(all)
	for _, name := range removed {
		delete(rest, name)
	}
	if diff := cmp.Diff(h.Objects(), mustReadFormat(t, rest, "").Objects()); diff != "" {
		t.Errorf("%s: what is left reads otherwise\n%s", what, diff)
	}
}

// Damage anywhere refuses a rebase: half of a directory is not judged.
func TestRebaseRefuses(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 9))
	base := branch(t, random, fstest.MapFS{}, generator.Goose, "", 0)
	ours, theirs := branch(t, random, base, generator.Goose, "ours", 0), branch(t, random, base, generator.Goose,
		"theirs", 101)
	all := union(random, generator.Goose, ours, theirs)
	for name, kind := range map[string]error{"\n-- more\n": generator.ErrEdited,
		"\n<<<<<<< HEAD\n": generator.ErrConflict} {
		for _, side := range []fstest.MapFS{base, ours, theirs} {
			damaged := maps.Clone(all)
			file := added(side, nil)[len(added(side, nil))-1]
			damaged[file] = &fstest.MapFile{Data: []byte(string(all[file].Data) + name)}
			if _, _, err := generator.Rebase(damaged, "", nil, true); !errors.Is(err, kind) ||
				!strings.Contains(err.Error(), file) {
				t.Errorf("%s: got %v, want %v", file, err, kind)
			}
		}
	}
}

// tern wants every number: a file of the user's own behind a side that goes would stand alone.
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
		!strings.Contains(got.Hint, "Give the last of these the number") {
		t.Errorf("got %v", err)
	}
}
