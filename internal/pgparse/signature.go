package pgparse

import (
	"slices"
	"sync"

	query "github.com/pganalyze/pg_query_go/v6"
)

// Signature is how a routine is called and what it answers.
type Signature struct {
	Parameters []Parameter
	Returns    string // a type
	Set        bool   // SETOF, or TABLE
}

// Result writes the result as CREATE FUNCTION takes it.
func (s Signature) Result() string {
	if s.Set {
		return "RETURNS SETOF " + s.Returns
	}
	return "RETURNS " + s.Returns
}

// SameAs says whether two signatures are one. Types of input parameters are left out: by these the server finds
// routines.
func (s Signature) SameAs(other Signature) bool {
	return s.Result() == other.Result() && slices.EqualFunc(s.Parameters, other.Parameters, Parameter.SameAs)
}

// ParseSignature reads what pg_get_function_arguments and pg_get_function_result print of a routine; a
// procedure has no result. Nobody may change what it refers to. The error is an *Error.
func ParseSignature(arguments, result string) (Signature, error) {
	sql := "CREATE PROCEDURE x(" + arguments + ") AS ''"
	if result != "" {
		sql = "CREATE FUNCTION x(" + arguments + ") RETURNS " + result + " AS ''"
	}
	if known, ok := signatures.Load(sql); ok {
		return known.(Signature), nil
	}
	r, err := parseRoutine(sql)
	if err != nil {
		return Signature{}, err
	}
	signatures.Store(sql, r.Signature)
	return r.Signature, nil
}

// signatures are what ParseSignature has read: the functions of many policies share a few.
var signatures sync.Map

func signature(create *query.CreateFunctionStmt, tokens []token, sql string) Signature {
	var s Signature
	for _, node := range create.Parameters {
		s.Parameters = append(s.Parameters, parameter(node.GetFunctionParameter(), tokens, sql))
	}
	s.Returns, s.Set = s.implied(create.IsProcedure), create.ReturnType.GetSetof()
	if create.ReturnType != nil {
		s.Returns = typeSQL(create.ReturnType)
	}
	return s
}

// implied is the type that a routine without RETURNS has from its output parameters.
// https://www.postgresql.org/docs/current/sql-createfunction.html
func (s Signature) implied(procedure bool) string {
	var out []string
	for _, p := range s.Parameters {
		if p.Mode == "OUT" || p.Mode == "INOUT" {
			out = append(out, p.Type)
		}
	}
	switch {
	case len(out) == 0:
		return "void"
	case len(out) == 1 && !procedure:
		return out[0]
	}
	return "record"
}
