package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// table prints aligned columns; a name that begins with ">" is aligned to the right.
type table struct {
	columns []string
	rows    [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) print(w io.Writer) {
	widths := make([]int, len(t.columns))
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = strings.TrimPrefix(c, ">")
	}
	for _, row := range append([][]string{names}, t.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range append([][]string{names}, t.rows...) {
		fmt.Fprintln(w, strings.TrimRight(t.line(row, widths), " "))
	}
}

func (t *table) line(row []string, widths []int) string {
	parts := make([]string, len(row))
	for i, cell := range row {
		space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if strings.HasPrefix(t.columns[i], ">") {
			parts[i] = space + cell
		} else {
			parts[i] = cell + space
		}
	}
	return strings.Join(parts, "  ")
}
