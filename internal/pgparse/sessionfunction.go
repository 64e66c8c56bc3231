package pgparse

import query "github.com/pganalyze/pg_query_go/v6"

// sessionWords are SQL's own words for who asks and where, even where a column has that name.
// https://www.postgresql.org/docs/current/functions-info.html
var sessionWords = map[query.SQLValueFunctionOp]string{
	query.SQLValueFunctionOp_SVFOP_USER:            "user",
	query.SQLValueFunctionOp_SVFOP_CURRENT_USER:    "current_user",
	query.SQLValueFunctionOp_SVFOP_CURRENT_ROLE:    "current_role",
	query.SQLValueFunctionOp_SVFOP_SESSION_USER:    "session_user",
	query.SQLValueFunctionOp_SVFOP_CURRENT_CATALOG: "current_catalog",
	query.SQLValueFunctionOp_SVFOP_CURRENT_SCHEMA:  "current_schema",
}

// sessionFunctions go by default_text_search_config where they have that many arguments.
// https://www.postgresql.org/docs/current/functions-textsearch.html
var sessionFunctions = map[string]int{
	"to_tsvector": 1, "to_tsquery": 1, "plainto_tsquery": 1, "phraseto_tsquery": 1, "websearch_to_tsquery": 1,
	"json_to_tsvector": 2, "jsonb_to_tsvector": 2, "ts_headline": 2,
}

func (w *walker) session(name string, location int32) {
	offset := w.offset(location)
	if w.expr.Session == "" || offset < w.expr.SessionOffset {
		w.expr.Session, w.expr.SessionOffset = name, offset
	}
}
