package pgparse

import (
	"sync"

	query "github.com/pganalyze/pg_query_go/v6"
)

// CountTexts counts how often the parser of PostgreSQL reads each text while f runs.
func CountTexts(f func()) map[string]int {
	counts := map[string]int{}
	var lock sync.Mutex
	defer func(before func(string) (*query.ParseResult, error)) { parseTree = before }(parseTree)
	parseTree = func(text string) (*query.ParseResult, error) {
		lock.Lock()
		counts[text]++
		lock.Unlock()
		return query.Parse(text)
	}
	f()
	return counts
}
