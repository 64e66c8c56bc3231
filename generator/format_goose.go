package generator

import (
	"fmt"
	"slices"
	"strings"
)

// gooseTool writes one file for both ways, each statement between two lines.
// https://pressly.github.io/goose/documentation/annotations/
var gooseTool = tool{
	format: Goose, width: 5, separator: "_", suffix: ".sql",
	downLine: "-- +goose Down", framed: true,
	frame: gooseFrame, refusal: gooseRefusal,
}

func gooseFrame(l tool, m Migration, p part, place string, w ways) []File {
	head := l.head(p, place, p.forward("Down"))
	if p.noTransaction {
		head += "\n-- +goose NO TRANSACTION\n"
	}
	return []File{{m.Name, sealed(m, slices.Concat(pieces{head, "\n-- +goose Up\n"}, w.up, pieces{"\n" + l.downLine + "\n"}, w.down)...)}}
}

// gooseRefusal: goose takes every comment with +goose in it for an annotation, wherever it stands.
func gooseRefusal(text string, _ bool) string {
	if !strings.Contains(text, "+goose") {
		return ""
	}
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "--") && strings.Contains(trimmed, "+goose") {
			return fmt.Sprintf("line %q would be an annotation of the migration tool", trimmed)
		}
	}
	return ""
}
