package inspect

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/lists"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/policy"
	catalogsql "pgretain/sql/catalog"
)

// Answer is the type of an expression, or the error of a server that refuses the expression.
type Answer struct {
	generator.Question
	Type string
	Err  *pgconn.PgError
}

// Types asks the server for the types of expressions that the policies need, in one read-only
// transaction, and puts them into the snapshot. The server parses each expression; it plans and
// executes none. It needs USAGE on the schemas.
func Types(ctx context.Context, conn *pgx.Conn, file *policy.File, s *catalog.Snapshot) (answers []Answer, err error) {
	err = readOnly(ctx, conn, func(tx pgx.Tx) (err error) {
		answers, err = ReadTypes(ctx, tx, file, s)
		return err
	})
	return answers, err
}

// ReadTypes works like Types, in a transaction of the caller after Prepare.
func ReadTypes(ctx context.Context, tx pgx.Tx, file *policy.File, s *catalog.Snapshot) (answers []Answer, err error) {
	schemas, err := exampleSchemas(ctx, tx, file)
	if err != nil {
		return nil, err
	}
	asked := func(q generator.Question) bool {
		return slices.ContainsFunc(answers, func(a Answer) bool { return a.Key == q.Key })
	}
	for {
		questions := slices.DeleteFunc(generator.Questions(file, s), asked)
		if len(questions) == 0 {
			return answers, nil
		}
		more, err := describe(ctx, tx, file.Install.Path(), schemas, questions)
		if err != nil {
			return nil, fmt.Errorf("reading the types of expressions: %w", err)
		}
		if s.Types == nil {
			s.Types = map[string]string{}
		}
		for _, a := range more {
			if a.Err == nil {
				s.Types[a.Key] = a.Type
			}
		}
		answers = append(answers, more...)
	}
}

// exampleSchemas returns one schema for each placeholder of several schemas.
func exampleSchemas(ctx context.Context, tx Querier, file *policy.File) (map[string]string, error) {
	type example struct{ Word, Schema string }
	tables := lists.Map(file.Policies, func(p *policy.Policy) string { return p.Table.String() })
	examples, err := collect[example](ctx, tx, "example", file.SchemaPatterns(), tables)
	schemas := map[string]string{}
	for _, e := range examples {
		schemas[e.Word] = e.Schema
	}
	return schemas, err
}

// describe lets the server parse the expressions, and returns their types.
func describe(ctx context.Context, tx pgx.Tx, path []string, schemas map[string]string,
	questions []generator.Question) (answers []Answer, err error) {
	oids, typmods := make([]uint32, len(questions)), make([]int32, len(questions))
	if err := setPath(ctx, tx, path...); err != nil {
		return nil, err
	}
	for i, q := range questions {
		sql, err := renamed(pgparse.AsStatement, q.SQL, schemas)
		if err != nil {
			return nil, err
		}
		err = pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error {
			statement, err := tx.Prepare(ctx, "", sql)
			if err == nil {
				oids[i], typmods[i] = statement.Fields[0].DataTypeOID, statement.Fields[0].TypeModifier
			}
			return err
		})
		refused, said := errors.AsType[*pgconn.PgError](err)
		if err != nil && !(said && slices.Contains(aboutText, refused.Code[:2])) {
			return nil, err
		}
		answers = append(answers, Answer{Question: q, Err: refused})
	}
	if err := setPath(ctx, tx, "pg_catalog", "pg_temp"); err != nil {
		return nil, err
	}
	names, err := collect[struct{ Name string }](ctx, tx, "format_types", oids, typmods)
	words := map[string]string{}
	for word, schema := range schemas {
		words[schema] = word
	}
	for i, n := range names {
		if answers[i].Err == nil && err == nil {
			answers[i].Type, err = renamed(pgparse.AsType, n.Name, words)
		}
	}
	return answers, err
}

// renamed returns SQL with other names of schemas.
func renamed(prefix, sql string, names map[string]string) (_ string, err error) {
	for from, to := range names {
		if err == nil {
			sql, err = pgparse.RenameSchema(prefix, sql, from, to)
		}
	}
	return sql, err
}

// aboutText lists the classes of errors that an expression can cause. They are about syntax, names,
// types, values or privileges. https://www.postgresql.org/docs/current/errcodes-appendix.html
var aboutText = []string{"0A", "22", "3F", "42"}

func setPath(ctx context.Context, tx pgx.Tx, schemas ...string) error {
	_, err := tx.Exec(ctx, catalogsql.Query("search_path"), quote.Idents(schemas))
	return err
}
