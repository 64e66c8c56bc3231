package generator

import (
	"fmt"
	"strings"
)

// gooseTool writes one file for both ways, each statement between two lines.
// https://pressly.github.io/goose/documentation/annotations/
var gooseTool = tool{
	format: Goose, width: 5, separator: "_", suffix: ".sql",
	downLine: "-- +goose Down", framed: true,
	frame: gooseFrame, refusal: gooseRefusal,
}

func gooseFrame(l tool, p part, w ways) []File {
	head := l.head(p, p.forward("Down"))
	if p.noTransaction {
		head += "\n-- +goose NO TRANSACTION\n"
	}
	return []File{{p.Name, p.sealed(pieces{head, "\n-- +goose Up\n"}, w.up, pieces{"\n" + l.downLine + "\n"}, w.down)}}
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
