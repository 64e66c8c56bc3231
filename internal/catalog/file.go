package catalog

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"pgretain/internal/diag"
	"pgretain/internal/pgparse"
)

// Version is the form of the file that this program reads and writes.
const Version = 1

// Read decodes a snapshot. A key that the form does not have, a missing or other version and
// anything after the snapshot are errors, because a snapshot read in part would let rows go that
// it speaks for.
func Read(text string) (*Snapshot, error) {
	var s Snapshot
	if err := s.read([]byte(text)); err != nil {
		return nil, fmt.Errorf("reading catalog snapshot: %w", err)
	}
	return &s, nil
}

func (s *Snapshot) read(data []byte) error {
	if err := checkVisible(string(data)); err != nil {
		return err
	}
	var head struct{ Version *int } // comes first: a newer form may have keys that strict decoding would complain about
	if err := json.Unmarshal(data, &head); err != nil {
		return explain(err, data)
	}
	if head.Version == nil {
		return errors.New("no version; is this a catalog snapshot?")
	}
	if *head.Version != Version {
		return fmt.Errorf("version %d, this program reads version %d", *head.Version, Version)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(s); err != nil {
		return explain(err, data)
	}
	return s.check()
}

// escapedCharacter is one of JSON's escapes, or a backslash that is escaped.
var escapedCharacter = regexp.MustCompile(`\\(?:u[0-9a-fA-F]{4}|.)`)

// checkVisible refuses characters that are not shown, as they are and as escapes: names of tables and columns are read by
// reviewers and written into migrations.
func checkVisible(text string) error {
	at := strings.IndexFunc(text, func(r rune) bool { return diag.Hidden(r) && !strings.ContainsRune("\t\r\n", r) })
	for _, found := range escapedCharacter.FindAllStringIndex(text, -1) {
		digits, ok := strings.CutPrefix(text[found[0]:found[1]], `\u`)
		if code, err := strconv.ParseUint(digits, 16, 16); ok && err == nil && diag.Hidden(rune(code)) &&
			!strings.ContainsRune("\t\r\n", rune(code)) && (at < 0 || found[0] < at) {
			at = found[0]
			break
		}
	}
	if at < 0 {
		return nil
	}
	start := strings.LastIndex(text[:at], "\n") + 1
	return fmt.Errorf("line %d, column %d: a character that is not shown", 1+strings.Count(text[:at], "\n"), 1+utf8.RuneCountInString(text[start:at]))
}

// explain says in which line of the file decoding went wrong, in words of the file.
func explain(err error, data []byte) error {
	line := func(offset int64) int { return 1 + bytes.Count(data[:offset], []byte("\n")) }
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("line %d: %w", line(syntax.Offset), err)
	}
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok { // the whole file has no path
		return fmt.Errorf("line %d: %s cannot be a JSON %s", line(kind.Offset), cmp.Or(kind.Field, "the snapshot"), kind.Value)
	}
	return err
}

// check refuses tables without a name, names that stand for two tables, and types that are more than a type: they
// become SQL, and the file may have been edited.
func (s *Snapshot) check() error {
	seen, types := map[string]bool{}, map[string]bool{}
	for i, t := range s.Tables {
		if t == nil || t.Schema == "" || t.Name == "" {
			return fmt.Errorf("table %d has no schema or no name", i+1)
		}
		if seen[t.String()] {
			return fmt.Errorf("table %s comes twice", t)
		}
		seen[t.String()] = true
		for _, c := range t.Columns {
			for _, typ := range []string{c.Type, c.Plain()} {
				if !types[typ] && pgparse.TypeName(typ) != nil {
					return fmt.Errorf("column %q of table %s: %q is not the name of a type", c.Name, t, typ)
				}
				types[typ] = true
			}
		}
	}
	for sql, typ := range s.Types {
		if pgparse.TypeName(typ) != nil {
			return fmt.Errorf("expression %q: %q is not the name of a type", sql, typ)
		}
	}
	return nil
}

// Text is what Read reads: two spaces a level, a line break at the end, and "<" as it is, since people review the file.
func (s *Snapshot) Text() string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(s); err != nil {
		panic(err) // texts, numbers and lists of them can be encoded
	}
	return text.String()
}
