package generator

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"pgretain/internal/pgparse"
)

// TestInsertedStatements inserts statements and random characters into the migrations of golden
// cases, and checks that each changed file is refused. Statements go to the ends of lines and
// behind semicolons outside literals. The first case tries all of these places, other cases one
// third. The test computes checksum and state again, as a person would who forges a file.
func TestInsertedStatements(t *testing.T) {
	t.Parallel()
	for _, format := range Formats {
		for i, name := range []string{"ensure", "partitioned", "drop_table"} {
			if format != Goose && i > 0 {
				continue
			}
			t.Run(string(format)+"/"+name, func(t *testing.T) {
				t.Parallel()
				dir := goldenDir(t, name, format)
				random := rand.New(rand.NewPCG(43, uint64(i)))
				tried := 0
				for _, file := range slices.Sorted(maps.Keys(dir)) {
					text := string(dir[file].Data)
					for n, at := range insertions(t, text) {
						if (format != Goose || i > 0) && n%3 != i {
							continue
						}
						statement := []string{"DROP TABLE app.victim;\n",
							"-- a comment\rDROP TABLE app.victim;\n"}[tried%2]
						checkRefused(t, dir, format, file, text[:at]+statement+text[at:], true)
						tried++
					}
					outside := insertions(t, text)
					for range 8 {
						at := outside[random.IntN(len(outside))]
						inserted := string(rune(32 + random.IntN(95)))
						checkRefused(t, dir, format, file, text[:at]+inserted+text[at:], false)
					}
				}
				if tried < 50 {
					t.Errorf("got %d places for statements, want at least 50", tried)
				}
			})
		}
	}
}

// goldenDir returns the migrations of a golden case. Of the runtime they contain the types and one
// table.
func goldenDir(t *testing.T, name string, format Format) fstest.MapFS {
	t.Helper()
	dir := fstest.MapFS{}
	for _, c := range cases(t, "golden", 24) {
		if c.Name != name {
			continue
		}
		file, _ := parseCase(t, c)
		objects, _ := Compile(file, snapshotOf(t, c), nil)
		objects = slices.DeleteFunc(objects, func(o Object) bool {
			return isRuntime(&o) && o.Kind != KindType && !strings.HasSuffix(o.Name, ".install")
		})
		in := file.Install
		files, err := Next(mustReadFormat(t, dir, format), objects,
			NextOptions{Roles: in.Roles, SearchPath: in.Path(), Trust: in.Trust, Schema: in.Schema})
		if err != nil {
			t.Fatal(err)
		}
		addFiles(t, dir, files)
	}
	if _, _, err := Rebase(dir, format, nil, false); err != nil || len(dir) == 0 {
		t.Fatalf("the %d files are refused before any change: %v", len(dir), err)
	}
	return dir
}

// insertions returns the offsets at the ends of lines and behind semicolons, outside literals.
func insertions(t *testing.T, text string) (places []int) {
	t.Helper()
	sql := strings.ReplaceAll(text, "\n\\set", "\n--et") // a command of psql is not SQL
	inside := map[int]bool{}
	tokens, err := pgparse.Tokens(sql)
	if err != nil {
		t.Fatal(err)
	}
	for _, token := range tokens {
		for i := token.Offset + 1; i < token.Offset+len(token.Text) && !token.Comment; i++ {
			inside[i] = true
		}
		if token.Text == ";" {
			places = append(places, token.Offset+1)
		}
	}
	for i := range text {
		if text[i] == '\n' && !inside[i+1] {
			places = append(places, i+1)
		}
	}
	return places
}

// checkRefused checks that a directory is refused after one file was changed to text. The first
// lines of the file get the checksum and, with newState, the state of the text.
func checkRefused(t *testing.T, dir fstest.MapFS, format Format, name, text string, newState bool) {
	t.Helper()
	changed := maps.Clone(dir)
	first, rest, _ := strings.Cut(text, "\n")
	head, body, _ := strings.Cut(rest, "\n")
	m := stateLine.FindStringSubmatch(head)
	if m == nil { // a configuration file, or the change is in the line with the state
		changed[name] = &fstest.MapFile{Data: []byte(text)}
		if _, _, err := Rebase(changed, format, nil, false); err == nil {
			t.Errorf("%s is accepted as\n%s", name, text)
		}
		return
	}
	state := m[1]
	if newState {
		state = stateWith(t, dir, format, name, body, state)
	}
	line := fmt.Sprintf("-- pgretain: state %s after %s sum %s", state, m[2], Hash(body))
	changed[name] = &fstest.MapFile{Data: []byte(first + "\n" + line + "\n" + body)}
	if state != m[1] { // the files after it continue another state
		for other := range dir {
			if other > name && other[0] == name[0] {
				delete(changed, other)
			}
		}
	}
	if _, _, err := Rebase(changed, format, nil, false); err == nil {
		t.Errorf("%s is accepted:\n%s", name, text)
	}
}

// stateWith returns the state after a file with another body; the old state if the body cannot be
// parsed.
func stateWith(t *testing.T, dir fstest.MapFS, format Format, name, body, old string) string {
	t.Helper()
	d, err := openDir(dir, format)
	if err != nil {
		t.Fatal(err)
	}
	h := &History{tool: d.tool, indexOf: map[ID]int{}, sums: map[ID]string{}, keptData: map[ID]bool{},
		lastFile: map[ID]int{}, roles: map[As]string{}}
	files, err := d.ours(d.list())
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if file.Name != name {
			h.replay(file)
			continue
		}
		edited, err := parseBody(d.tool, name, body)
		if err != nil {
			return old
		}
		if d.tool.separate() {
			edited.down = file.down
		}
		h.replay(edited)
		return stateOf(h.sums)
	}
	return old
}
