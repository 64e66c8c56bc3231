//go:build !cgo

package pgparse

import (
	"errors"

	query "github.com/pganalyze/pg_query_go/v6"
	wasm "github.com/wasilibs/go-pgquery"
	"github.com/wasilibs/go-pgquery/parser"
)

func grammarParse(sql string) (*query.ParseResult, error) { return wasm.Parse(sql) }
func grammarScan(sql string) (*query.ScanResult, error)   { return wasm.Scan(sql) }
func grammarPLpgSQL(createFunction string) (string, error) {
	return wasm.ParsePlPgSqlToJSON(createFunction)
}

// position is the message of a parser error and its 1-based place in characters, 0 when unknown.
func position(err error) (string, int) {
	var e *parser.Error
	if errors.As(err, &e) {
		return e.Message, e.Cursorpos
	}
	return err.Error(), 0
}
