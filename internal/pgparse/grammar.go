package pgparse

import (
	"errors"

	query "github.com/pganalyze/pg_query_go/v6"
	"github.com/pganalyze/pg_query_go/v6/parser"
)

func grammarParse(sql string) (*query.ParseResult, error) { return query.Parse(sql) }
func grammarScan(sql string) (*query.ScanResult, error)   { return query.Scan(sql) }
func grammarPLpgSQL(createFunction string) (string, error) {
	return query.ParsePlPgSqlToJSON(createFunction)
}

// position is the message of a parser error and its 1-based place in characters, 0 when unknown.
func position(err error) (string, int) {
	var e *parser.Error
	if errors.As(err, &e) {
		return e.Message, e.Cursorpos
	}
	return err.Error(), 0
}
