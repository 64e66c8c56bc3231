package generator

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	sqlfiles "pgretain/sql"
)

// The lines that frame one object; the first two are goose's. Everything between blockEnd and the next block is ignored on
// reading: comments and the role's switching.
const (
	beginLine   = "-- +goose StatementBegin"
	endLine     = "-- +goose StatementEnd"
	nextLine    = "-- next"
	blockEnd    = "-- pgretain: end"
	ourPrefix   = "-- pgretain:"
	removalLine = "-- pgretain: removal "
)

var blockLine = regexp.MustCompile(`^-- pgretain: (put|drop) ([a-z]+) ("(?:[^"\\]|\\.)*") ([a-z]+)(?: ([0-9a-f]{12}))?$`)

// verb is what a block does.
type verb string

const (
	verbPut  verb = "put"
	verbDrop verb = "drop"
)

// action is one block: object.SQL is set for put, object.Drop for drop. removal is how a put
// object is removed where the Down part does not say so.
type action struct {
	verb    verb
	object  Object
	removal *string
	note    string // a comment in place of statements
	sum     string // the object's hash, of what is written
}

// text is what the block executes.
func (a action) text() string {
	if a.verb == verbDrop {
		return a.object.Drop
	}
	return a.object.SQL
}

// blockReader walks the lines of one file.
type blockReader struct {
	tool      tool
	name      string
	line      int
	up, down  []action
	inDown    bool
	block     *action // nil between blocks
	hash      string
	text      strings.Builder
	statement bool
}

// parseBody reads the blocks of a file below its second line.
func parseBody(l tool, name, body string) (up, down []action, err error) {
	if l.unescape != nil {
		body = l.unescape.Replace(body)
	}
	r := &blockReader{tool: l, name: name, line: 2}
	for line := range strings.Lines(body) {
		r.line++
		if err := r.read(line); err != nil {
			return nil, nil, err
		}
	}
	if r.block != nil {
		return nil, nil, r.malformed("the last block does not end")
	}
	return r.up, r.down, nil
}

func (r *blockReader) read(line string) error {
	bare := strings.TrimSuffix(line, "\n")
	switch {
	case r.statement && bare != endLine:
		r.text.WriteString(line)
		return nil
	case r.block != nil:
		return r.inside(bare)
	case bare == r.tool.downLine && bare != "":
		r.inDown = true
	case strings.HasPrefix(bare, "-- pgretain: put "), strings.HasPrefix(bare, "-- pgretain: drop "):
		return r.open(bare)
	}
	return nil
}

// inside reads a line of a block that is not part of a statement.
func (r *blockReader) inside(bare string) (err error) {
	framed := r.tool.framed
	switch {
	case framed && bare == beginLine:
		r.statement = true
	case framed && bare == endLine:
		r.statement = false
	case framed && bare == nextLine:
		r.text.WriteString(nextLine + "\n")
	case bare == blockEnd:
		return r.close()
	case strings.HasPrefix(bare, removalLine):
		text, err := strconv.Unquote(bare[len(removalLine):])
		if err != nil {
			return r.malformed("the removal is not a quoted text")
		}
		r.block.removal = &text
	case !framed:
		r.text.WriteString(bare + "\n")
	}
	return nil
}

func (r *blockReader) open(bare string) error {
	m := blockLine.FindStringSubmatch(bare)
	if m == nil {
		return r.malformed("this is not the first line of a block")
	}
	name, err := strconv.Unquote(m[3])
	if err != nil {
		return r.malformed("the name is not a quoted text")
	}
	if rank(Kind(m[2])) < 0 {
		return r.unknown(m[2])
	}
	r.block = &action{verb: verb(m[1]), object: Object{Kind: Kind(m[2]), Name: name, As: As(m[4])}}
	r.hash = m[5]
	r.text.Reset()
	return nil
}

func (r *blockReader) close() error {
	if r.block.verb == verbPut {
		r.block.object.SQL = r.text.String()
		if r.block.object.Hash() != r.hash {
			return r.malformed("the block differs from the hash in its first line")
		}
	} else if text := r.text.String(); hasStatement(text) { // not the comment in place of statements
		r.block.object.Drop = text
	}
	if r.inDown {
		r.down = append(r.down, *r.block)
	} else {
		r.up = append(r.up, *r.block)
	}
	r.block = nil
	return nil
}

// unknown refuses a kind of object that this pgretain cannot place.
func (r *blockReader) unknown(kind string) error {
	return &HistoryError{
		Kind: ErrNewer, Files: []string{r.name},
		Message: fmt.Sprintf("line %d: it holds an object of kind %q, which this pgretain (runtime %s) does not know",
			r.line, kind, sqlfiles.Version),
		Hint: newerHint,
	}
}

func (r *blockReader) malformed(what string) error {
	return &HistoryError{
		Kind: ErrMalformed, Files: []string{r.name},
		Message: fmt.Sprintf("line %d: %s", r.line, what),
		Hint:    "The file may come from a newer pgretain; use the version that wrote it, or a later one.",
	}
}
