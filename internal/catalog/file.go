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

// Version is the version of the file format that this program reads and writes.
const Version = 1

// Read decodes a snapshot. It returns an error for an unknown key, another version and any text
// after the snapshot. A snapshot that was read only in part could lead to wrong deletions.
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
	// check the version first, because strict decoding would report the keys of a newer format
	var head struct{ Version *int }
	if err := json.Unmarshal(data, &head); err != nil {
		return explain(err, data)
	}
	if head.Version == nil {
		return errors.New("the file has no version, so it may not be a catalog snapshot")
	}
	if *head.Version != Version {
		return fmt.Errorf("the file has version %d, but this program reads version %d", *head.Version, Version)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(s); err != nil {
		return explain(err, data)
	}
	return s.check()
}

// escapedCharacter matches an escape of JSON, or an escaped backslash.
var escapedCharacter = regexp.MustCompile(`\\(?:u[0-9a-fA-F]{4}|.)`)

// checkVisible refuses invisible characters, plain or escaped. Migrations contain the names of the
// snapshot, and people review both.
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
	return fmt.Errorf("line %d, column %d: invisible character", 1+strings.Count(text[:at], "\n"),
		1+utf8.RuneCountInString(text[start:at]))
}

// explain adds the line of the file to a decoding error.
func explain(err error, data []byte) error {
	line := func(offset int64) int { return 1 + bytes.Count(data[:offset], []byte("\n")) }
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("line %d: %w", line(syntax.Offset), err)
	}
	// an error about the whole file has no path
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("line %d: %s cannot be a JSON %s", line(kind.Offset), cmp.Or(kind.Field, "the snapshot"),
			kind.Value)
	}
	return err
}

// check refuses tables without a name, names that stand for two tables, and invalid type names. The
// names of types become part of SQL, and a person may have edited the file.
func (s *Snapshot) check() error {
	seen, types := map[string]bool{}, map[string]bool{}
	for i, t := range s.Tables {
		if t == nil || t.Schema == "" || t.Name == "" {
			return fmt.Errorf("table %d has no schema or no name", i+1)
		}
		if seen[t.String()] {
			return fmt.Errorf("table %s is listed twice", t)
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

// Text returns the file that Read reads. It is indented by two spaces per level, ends with a line
// break and does not escape "<", because people review it.
func (s *Snapshot) Text() string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(s); err != nil {
		panic(err) // encoding texts, numbers and lists cannot fail
	}
	return text.String()
}
