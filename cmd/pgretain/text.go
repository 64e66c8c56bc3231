package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"pgretain/internal/explain"
)

// table prints aligned columns; a name that begins with ">" is aligned to the right.
type table struct {
	columns []string
	rows    [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) print(w io.Writer) {
	head := make([]string, len(t.columns))
	widths := make([]int, len(t.columns)) // negative to the left, as fmt has it
	for i, column := range t.columns {
		head[i] = strings.TrimPrefix(column, ">")
	}
	rows := append([][]string{head}, t.rows...)
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		line := make([]string, len(row))
		for i, cell := range row {
			width := widths[i]
			if head[i] == t.columns[i] {
				width = -width
			}
			line[i] = fmt.Sprintf("%*s", width, cell)
		}
		fmt.Fprintln(w, strings.TrimRight(strings.Join(line, "  "), " "))
	}
}

// write prints the columns, or a table of Markdown.
func (t *table) write(w io.Writer, markdown bool) {
	if !markdown {
		t.print(w)
		return
	}
	escape := strings.NewReplacer("|", "\\|", "<", "&lt;", "\n", " ")
	line := func(cells []string) { fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")) }
	var head, rule []string
	for _, column := range t.columns {
		name, right := strings.CutPrefix(column, ">")
		head, rule = append(head, name), append(rule, map[bool]string{true: "---:", false: "---"}[right])
	}
	line(head)
	line(rule)
	for _, row := range t.rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = escape.Replace(cell)
		}
		line(cells)
	}
}

// plural counts things.
func plural(n int, thing string) string { return explain.Count(n, thing) }

func count(n int64) string { return explain.Number(n) }

// size writes bytes as PostgreSQL does, in units of 1024.
func size(n int64) string {
	units := []string{"bytes", "kB", "MB", "GB", "TB", "PB"}
	i := 0
	for n >= 10*1024 && i < len(units)-1 {
		n = (n + 512) / 1024
		i++
	}
	return count(n) + " " + units[i]
}

func seconds(s float64) string { return explain.Seconds(s) }

func quoted(text string) string { return strconv.Quote(text) }

// orElse writes a value, or says otherwise where there is none.
func orElse[T any](value *T, write func(T) string, otherwise string) string {
	if value == nil {
		return otherwise
	}
	return write(*value)
}

// orNull sends the zero value as NULL.
func orNull[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}
