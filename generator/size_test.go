package generator

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// sizes are the most lines that reviewers have to read, of 120 characters each: a longer one counts as several.
var sizes = struct {
	runtime, file, plain, richest int
	pages                         []string // of plain policies: an age, a cap
}{runtime: 5367, file: 163, plain: 60, richest: 170, pages: []string{"enqueued_messages_ttl", "enqueued_messages_cap"}}

var pageMark = regexp.MustCompile(`(?m)^-- pgretain: (?:put|drop|end)`)

func TestSizes(t *testing.T) {
	t.Parallel()
	atMost := func(what string, got, most int) {
		t.Helper()
		if got > most {
			t.Errorf("%s has %d lines of %d, more than %d", what, got, textWidth, most)
		}
	}
	atMost("the runtime's migration", linesOf(readSized(t, "../migrations/00001_pgretain_runtime.sql")), sizes.runtime)
	files, err := filepath.Glob("../examples/*/migrations/*_policies.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	found := map[string]int{}
	for _, file := range files {
		text := readSized(t, file)
		if strings.Contains(file, "bot-queue") {
			atMost(file, linesOf(text), sizes.file)
		}
		up, _, _ := strings.Cut(text, "\n"+gooseTool.downLine)
		for _, object := range pageMark.Split(up, -1) {
			if name, page := strings.CutPrefix(object, ` policy "`); page {
				name, _, _ = strings.Cut(name, `"`)
				found[name] = linesOf(object)
				atMost(file+": page of "+name, found[name], sizes.richest)
			}
		}
	}
	for _, name := range sizes.pages {
		if found[name] == 0 {
			t.Errorf("no page of %s", name)
		}
		atMost("page of "+name, found[name], sizes.plain)
	}
}

func readSized(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func linesOf(text string) int {
	n := 0
	for line := range strings.Lines(strings.TrimSuffix(text, "\n")) {
		n += max(1, (utf8.RuneCountInString(strings.TrimSuffix(line, "\n"))+textWidth-1)/textWidth)
	}
	return n
}
