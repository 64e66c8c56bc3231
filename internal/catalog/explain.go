package catalog

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// explain says in which line of the file decoding went wrong, in words of the file.
func explain(err error, data []byte) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("the file is empty")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("line %d: the file ends too early", lineAt(data, int64(len(data))))
	case errors.As(err, &syntax):
		return fmt.Errorf("line %d: %s", lineAt(data, syntax.Offset), syntax.Error())
	case errors.As(err, &kind):
		return fmt.Errorf("line %d: %s cannot be a JSON %s", lineAt(data, kind.Offset), cmp.Or(kind.Field, "the snapshot"), kind.Value) // the whole file has no path
	}
	return errors.New(strings.Replace(strings.TrimPrefix(err.Error(), "json: "), "unknown field", "unknown key", 1))
}

// lineAt is the line of a byte offset, from 1.
func lineAt(data []byte, offset int64) int {
	offset = min(offset, int64(len(data)))
	return 1 + bytes.Count(data[:offset], []byte("\n"))
}
