package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"pgretain/internal/quote"
	"pgretain/policy"
)

// margin is the column at which texts begin. width is the maximum length of a line in characters,
// and narrow is the maximum on the narrowest terminal.
const (
	margin = 10
	width  = 120
	narrow = 40
)

// Page returns the text of the lines for a script and the registry. Each line has its key at the
// margin, and long lines continue below.
func Page(lines []Line) string {
	return Text("", slices.DeleteFunc(slices.Clone(lines), func(l Line) bool { return l.Extra }))
}

// Text formats lines with an indentation.
func Text(indent string, lines []Line) string { return TextIn(width, indent, lines) }

// TextIn formats lines for a terminal of "room" characters. It uses at least narrow and at most
// width characters. If room is 0, there is no terminal, and it uses width.
func TextIn(room int, indent string, lines []Line) string {
	room = min(max(cmp.Or(room, width), narrow), width)
	var b strings.Builder
	for _, l := range lines {
		key := l.Key
		for _, text := range Fold(l.Text, room-len(indent)-margin) {
			b.WriteString(indent + key + strings.Repeat(" ", margin-len(key)) + text + "\n")
			key = ""
		}
	}
	return b.String()
}

// Fold splits a text into lines of at most "room" characters, at commas or blanks. It does not
// split a longer word.
func Fold(text string, room int) (lines []string) {
	for {
		cut := breakOf(text, room)
		lines = append(lines, text[:cut])
		if cut == len(text) {
			return lines
		}
		text = text[cut+1:]
	}
}

// breakOf returns the offset at which to break a text, so that the first line has at most "room"
// characters. It prefers the last comma within that room to the last blank. If there is no blank
// within the room, it returns the offset of the first blank. If the text fits or has no blank, it
// returns the end of the text.
func breakOf(text string, room int) int {
	if utf8.RuneCountInString(text) <= room {
		return len(text)
	}
	last, comma, count := 0, 0, 0
	for i, r := range text {
		if r == ' ' && i > 0 {
			if count > room && last > 0 {
				break
			}
			if last = i; strings.IndexByte(",;:", text[i-1]) >= 0 && count > room*2/3 {
				comma = i
			}
		}
		count++
	}
	switch {
	case comma > 0:
		return comma
	case last == 0:
		return len(text)
	}
	return last
}

// Read parses the output of Page.
func Read(page string) []Line {
	var lines []Line
	for line := range strings.Lines(page) {
		line = strings.TrimSuffix(line, "\n")
		if len(line) < margin {
			continue
		}
		key, text := strings.TrimRight(line[:margin], " "), line[margin:]
		if last := len(lines) - 1; key == "" && last >= 0 {
			lines[last].Text += " " + text
		} else {
			lines = append(lines, Line{Key: key, Text: text})
		}
	}
	return lines
}

// Changes describes how one page differs from another, for example "due: ... 7 days back -> ... 3
// days back". It returns "" if the pages are equal.
func Changes(before, after string) string {
	return Differences(withDefaults(Read(before)), withDefaults(Read(after)))
}

// Differences is like Changes, but compares two lists of lines.
func Differences(was, is []Line) string {
	var list, keys []string
	for _, l := range slices.Concat(was, is) {
		key := l.Key
		if slices.Contains(keys, key) {
			continue
		}
		keys = append(keys, key)
		old, new := without(was, is, key), without(is, was, key)
		if len(old) == len(new) {
			for i, text := range old {
				from, to := shortened(text, new[i])
				list = append(list, key+": "+from+" -> "+to)
			}
			continue
		}
		for _, text := range old {
			list = append(list, "without "+key+": "+text)
		}
		for _, text := range new {
			list = append(list, "with "+key+": "+text)
		}
	}
	return strings.Join(list, "; ")
}

// without lists the texts of a key that the other lines do not have.
func without(lines, others []Line, key string) []string {
	var list []string
	for _, l := range lines {
		if l.Key == key && !slices.Contains(others, l) {
			list = append(list, l.Text)
		}
	}
	return list
}

// withDefaults adds the default bounds, which a policy's page leaves out.
func withDefaults(lines []Line) []Line {
	has := func(key string) bool { return slices.ContainsFunc(lines, func(l Line) bool { return l.Key == key }) }
	if !has("takes") { // the page describes a report, which has no bounds
		return lines
	}
	usual := policy.Default()
	usual.Partitions = has("drops") || has("detaches")
	if slices.ContainsFunc(lines, func(l Line) bool {
		return strings.HasPrefix(l.Key, "step ") && strings.Contains(l.Text, dropTable)
	}) {
		usual.Then = []policy.Step{{DropTable: &policy.Expr{}}}
	}
	for _, l := range bounds(usual) {
		if !has(l.Key) {
			lines = append(lines, Line{Key: l.Key, Text: l.Text})
		}
	}
	return lines
}

// dropTable begins the text of a step whose batches read few rows.
const dropTable = "drop the table that "

// shown is the number of equal words to show next to the difference. Three dots replace further
// equal words.
const shown = 2

func shortened(before, after string) (string, string) {
	a, b := strings.Split(before, " "), strings.Split(after, " ")
	most, first, last := min(len(a), len(b)), 0, 0
	for first < most && a[first] == b[first] {
		first++
	}
	for last < most-first && a[len(a)-1-last] == b[len(b)-1-last] {
		last++
	}
	if first+last == most { // one of the texts only has additional words
		first = max(first-shown, 0)
	}
	cut := func(words []string) (text string) {
		end := ""
		if last > shown+1 {
			words, end = words[:len(words)-last+shown], " ..."
		}
		if first > shown {
			words, text = words[first:], "... "
		}
		return text + strings.Join(words, " ") + end
	}
	return cut(a), cut(b)
}

// oneLine returns text as one line that cannot contain an annotation of a migration tool.
func oneLine(text string) string {
	text = quote.Comment(strings.TrimSpace(quote.OneLine(text)))
	return strings.ReplaceAll(text, "+goose", "(+)goose")
}

func percent(share float64) string { return strconv.FormatFloat(share*100, 'g', 6, 64) + "%" }

// Count returns a number with its noun, as in "1 policy" and "2,000 policies".
func Count[N int | int64](n N, thing string) string {
	switch {
	case n == 1:
	case thing == "policy":
		thing = "policies"
	default:
		thing += "s"
	}
	return Number(int64(n)) + " " + thing
}

// Number returns a number with commas between thousands.
func Number(n int64) string {
	if n < 0 {
		return "-" + Number(-n)
	}
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Seconds formats a duration in seconds.
func Seconds(s float64) string {
	switch {
	case s < 1:
		return fmt.Sprintf("%.0f ms", s*1000)
	case s < 60:
		return fmt.Sprintf("%.1f s", s)
	}
	return time.Duration(s * float64(time.Second)).Round(time.Second).String()
}

// Duration formats a duration in words, in the largest unit that divides it.
func Duration(d time.Duration) string {
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}, {time.Millisecond, "ms"}} {
		if n := int64(d / unit.of); n > 0 && d%unit.of == 0 {
			if n > 1 && unit.name != "ms" {
				unit.name += "s"
			}
			return fmt.Sprintf("%d %s", n, unit.name)
		}
	}
	return d.String()
}
