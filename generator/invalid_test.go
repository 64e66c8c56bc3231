package generator

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/diag"
)

// TestInvalid holds everything that is said of the policies under testdata/invalid, which the
// reader of the file accepts and the catalog snapshot refutes.
func TestInvalid(t *testing.T) {
	t.Parallel()
	for _, dir := range cases(t, "invalid", 25) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			file, source := parseCase(t, dir)
			objects, list := Compile(file, snapshotOf(t, dir), nil)
			if objects != nil || !list.HasErrors() {
				t.Fatal("the policy is accepted")
			}
			if diff := cmp.Diff(list, Diagnose(file, snapshotOf(t, dir), nil)); diff != "" {
				t.Errorf("without texts something else is said (-want +got):\n%s", diff)
			}
			var out bytes.Buffer
			renderList(t, &out, list, source)
			path := filepath.Join(dir, "stderr.txt")
			if *update {
				if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(readText(t, path), out.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestNoted holds what is said of policies that are accepted, and deserve a look.
func TestNoted(t *testing.T) {
	t.Parallel()
	for _, dir := range cases(t, "noted", 1) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			file, source := parseCase(t, dir)
			if _, list := Compile(file, snapshotOf(t, dir), nil); len(list) > 0 {
				t.Fatal(list)
			}
			var out bytes.Buffer
			renderList(t, &out, Notes(file, snapshotOf(t, dir)), source)
			path := filepath.Join(dir, "stderr.txt")
			if *update {
				if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(readText(t, path), out.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestCodesAreShown fails on a code that no case shows.
func TestCodesAreShown(t *testing.T) {
	t.Parallel()
	var shown strings.Builder
	for _, dir := range append(cases(t, "invalid", 1), cases(t, "noted", 1)...) {
		shown.WriteString(readText(t, filepath.Join(dir, "stderr.txt")))
	}
	for _, code := range ownCodes() {
		if !strings.Contains(shown.String(), "["+code.Name+"]") {
			t.Errorf("no case shows %s, %s", code.Name, code.Title)
		}
	}
}

// ownCodes are the codes of this package.
func ownCodes() []diag.Code {
	var codes []diag.Code
	for _, code := range diag.Codes() {
		if code.Name >= "P050" && code.Name < "P100" {
			codes = append(codes, code)
		}
	}
	return codes
}

func readText(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return unixLines(string(content))
}
