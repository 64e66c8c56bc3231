package pgparse

import (
	"strings"

	query "github.com/pganalyze/pg_query_go/v6"
)

// timeFunctions read a clock. age(x) with one argument counts from the current date.
// https://www.postgresql.org/docs/current/functions-datetime.html
var timeFunctions = map[string]bool{
	"now": true, "clock_timestamp": true, "statement_timestamp": true, "transaction_timestamp": true, "timeofday": true,
}

var valueFunctions = map[query.SQLValueFunctionOp]string{
	query.SQLValueFunctionOp_SVFOP_CURRENT_DATE:        "current_date",
	query.SQLValueFunctionOp_SVFOP_CURRENT_TIME:        "current_time",
	query.SQLValueFunctionOp_SVFOP_CURRENT_TIME_N:      "current_time",
	query.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP:   "current_timestamp",
	query.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP_N: "current_timestamp",
	query.SQLValueFunctionOp_SVFOP_LOCALTIME:           "localtime",
	query.SQLValueFunctionOp_SVFOP_LOCALTIME_N:         "localtime",
	query.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP:      "localtimestamp",
	query.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP_N:    "localtimestamp",
}

func (w *walker) valueFunction(n *query.SQLValueFunction) {
	if name, ok := valueFunctions[n.Op]; ok {
		w.time(name, n.Location)
	} else if name, ok := sessionWords[n.Op]; ok {
		w.session(name, n.Location)
	}
}

var timeWords = map[string]bool{"now": true, "today": true, "tomorrow": true, "yesterday": true}

var timeTypes = map[string]bool{"date": true, "time": true, "timetz": true, "timestamp": true, "timestamptz": true}

// cast finds 'now'::timestamptz and kin, which are clocks as well (frozen ones, inside a function).
func (w *walker) cast(n *query.TypeCast) {
	value := n.GetArg().GetAConst().GetSval()
	word, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(value.GetSval())), " ")
	if timeWords[word] && timeTypes[lastName(n.GetTypeName().GetNames())] {
		w.time("'"+word+"'", n.Arg.GetAConst().Location)
	}
}
