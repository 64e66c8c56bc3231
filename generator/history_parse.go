package generator

import (
	"fmt"
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

// blockReader walks through one file.
type blockReader struct {
	tool      tool
	name      string
	line      int
	up, down  []action
	inDown    bool
	block     *action // nil between blocks
	text      string  // of the block; mostly a part of the file's, which is not copied
	statement bool
}

// parseBody reads the blocks of a file below its second line.
func parseBody(l tool, name, body string) (up, down []action, err error) {
	if l.unescape != nil {
		body = l.unescape.Replace(body)
	}
	r := &blockReader{tool: l, name: name, line: 2}
	for body != "" {
		lines := body[:r.next(body)]
		r.line++
		if err := r.read(lines); err != nil {
			return nil, nil, err
		}
		r.line += max(strings.Count(lines, "\n")-1, 0)
		body = body[len(lines):]
	}
	if r.block != nil {
		return nil, nil, r.malformed("the last block does not end")
	}
	return r.up, r.down, nil
}

// next is how much of a text is read at once: a line, or all lines of a statement.
func (r *blockReader) next(text string) int {
	n := 0
	switch {
	case r.statement:
		n = untilLine(text, endLine)
	case r.block != nil && !r.tool.framed && !strings.HasPrefix(text, removalLine):
		n = untilLine(text, blockEnd)
	}
	if n == 0 {
		_, rest, _ := strings.Cut(text, "\n")
		n = len(text) - len(rest)
	}
	return n
}

// untilLine is how much of a text comes before a line, all of it where that is missing.
func untilLine(text, line string) int {
	if text == line || strings.HasPrefix(text, line+"\n") {
		return 0
	}
	if i := strings.Index(text, "\n"+line+"\n"); i >= 0 {
		return i + 1
	}
	if before, found := strings.CutSuffix(text, "\n"+line); found {
		return len(before) + 1
	}
	return len(text)
}

func (r *blockReader) read(lines string) error {
	bare := strings.TrimSuffix(lines, "\n")
	switch {
	case r.statement && bare != endLine:
		r.text += lines
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

// inside reads what of a block is not part of a framed statement.
func (r *blockReader) inside(bare string) (err error) {
	framed := r.tool.framed
	switch {
	case framed && bare == beginLine:
		r.statement = true
	case framed && bare == endLine:
		r.statement = false
	case framed && bare == nextLine:
		r.text += nextLine + "\n"
	case bare == blockEnd:
		return r.close()
	case strings.HasPrefix(bare, removalLine):
		text, err := strconv.Unquote(bare[len(removalLine):])
		if err != nil {
			return r.malformed("the removal is not a quoted text")
		}
		r.block.removal = &text
	case !framed:
		r.text += bare + "\n"
	}
	return nil
}

func (r *blockReader) open(bare string) error {
	block, ok := blockHead(bare)
	if !ok {
		return r.malformed("this is not the first line of a block")
	}
	if rank(block.object.Kind) < 0 {
		return r.unknown(string(block.object.Kind))
	}
	r.block, r.text = &block, ""
	return nil
}

// blockHead reads the first line of a block: verb, kind, quoted name, whose it is, and the object's hash
// where it is put.
func blockHead(line string) (block action, ok bool) {
	rest, ours := strings.CutPrefix(line, ourPrefix+" ")
	what, rest, _ := strings.Cut(rest, " ")
	kind, rest, _ := strings.Cut(rest, " ")
	quoted, err := strconv.QuotedPrefix(rest)
	if !ours || what != string(verbPut) && what != string(verbDrop) || err != nil || quoted[0] != '"' {
		return action{}, false
	}
	name, err := strconv.Unquote(quoted)
	after, spaced := strings.CutPrefix(rest[len(quoted):], " ")
	as, sum, _ := strings.Cut(after, " ")
	block = action{verb: verb(what), object: Object{Kind: Kind(kind), Name: name, As: As(as)}, sum: sum}
	return block, spaced && as != "" && err == nil && !strings.Contains(sum, " ")
}

func (r *blockReader) close() error {
	if r.block.verb == verbPut {
		r.block.object.SQL = r.text
		if r.block.object.Hash() != r.block.sum {
			return r.malformed("the block differs from the hash in its first line")
		}
	} else if hasStatement(r.text) { // not the comment in place of statements
		r.block.object.Drop = r.text
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
