package verifier

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/messages"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// borrowing is a function of the application that runs in batches with the worker's rights. The
// fields Trigger, Table and Event are "" if an expression of the policy calls the function. Path is
// its search path.
type borrowing struct {
	Policy, Event, Trigger, Table, Function, Definition string
	Path                                                []string
}

// bodyRights calls f for each table that one of the functions uses, and on which the worker lacks a
// privilege. PostgreSQL checks such a privilege only when the function does it. The functions are
// read, not executed, so SQL that they put together is not seen. The parameter "given" lists
// privileges that a migration will grant.
func (v *inspection) bodyRights(r reading, list []borrowing, given []generator.Right, f func(message)) error {
	uses := []row{}
	for _, b := range list {
		for _, use := range pgparse.RoutineUses(b.Definition, b.Event) {
			uses = append(uses, row{"policy": b.Policy, "event": b.Event, "trigger": b.Trigger, "on_table": b.Table,
				"function": b.Function, "path": b.Path, "schema": use.Schema, "name": use.Name,
				"privilege": use.Privilege})
		}
	}
	if len(uses) == 0 {
		return nil
	}
	return eachFact(r, "body_privileges", func(b messages.BodyLack) { f(messages.BodyLacks(v.worker(), b)) }, uses,
		v.worker(), given)
}

// invoked returns the trigger functions that run with the worker's rights. The parameter "reach" is
// the answer of query reach.
func (v *inspection) invoked(r reading, reach json.RawMessage) ([]borrowing, error) {
	return collectRows[borrowing](r, "invoked", reach, v.install.SearchPath)
}

// called returns the functions that expressions of policies call with the worker's rights.
func (v *inspection) called(r reading) ([]borrowing, error) {
	calls := []row{}
	for _, p := range v.file.Policies {
		for _, part := range p.Fragments() {
			for _, c := range part.Expr.Parsed().Calls {
				calls = append(calls, row{"schema": c.Schema, "function": c.Name, "arguments": c.Arguments,
					"name": p.Name})
			}
		}
	}
	return collectRows[borrowing](r, "called", calls, v.install.SearchPath, v.install.Schema)
}

// checkTriggerRights checks that the worker may do what triggers of the application do in batches.
func (v *inspection) checkTriggerRights(r reading) error {
	list, err := v.invoked(r, v.reach)
	if err != nil {
		return err
	}
	return v.bodyRights(r, list, []generator.Right{}, v.add)
}

// checkBodyRights checks that the worker may do what functions do that expressions call. It leaves
// out objects on which another finding reports a privilege. That finding comes from a row, so it is
// more certain.
func (v *inspection) checkBodyRights(r reading) error {
	list, err := v.called(r)
	if err != nil {
		return err
	}
	return v.bodyRights(r, list, []generator.Right{}, func(m message) {
		known := func(other Finding) bool { return other.Code == messages.CodeTableRights && other.Object == m.Object }
		if !slices.ContainsFunc(v.report.Findings, known) {
			v.add(m)
		}
	})
}

// BodyRights returns a warning for each function that would need a privilege that the worker lacks
// once the objects are installed: functions of triggers, and functions that expressions call. With
// "roles: none" the migrating role is the worker, and there are no warnings. BodyRights writes
// nothing and takes no locks on tables.
func BodyRights(ctx context.Context, conn *pgx.Conn, file *policy.File, objects []generator.Object,
) (list diag.List, err error) {
	if file.Install.Roles.None {
		return nil, nil
	}
	v := &inspection{file: file, install: file.Install, opt: Options{Timeout: time.Minute}}
	given, positions := []generator.Right{}, map[string]diag.Position{}
	for _, o := range objects {
		given = append(given, o.Rights...)
	}
	for _, p := range file.Policies {
		positions[p.Name] = p.Position
	}
	err = v.read(ctx, conn, func(r reading) error {
		reach, err := collectJSON(r, "reach", v.policyRows())
		if err != nil {
			return err
		}
		triggers, err := v.invoked(r, reach)
		if err != nil {
			return err
		}
		functions, err := v.called(r)
		if err != nil {
			return err
		}
		return v.bodyRights(r, slices.Concat(triggers, functions), given, func(m message) {
			m.Severity, m.Position = diag.Warning, positions[m.Policy]
			list.Add(m)
		})
	})
	return list, err
}
