package catalog

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

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
