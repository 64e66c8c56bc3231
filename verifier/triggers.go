package verifier

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// firing is a trigger of the application that fires in batches with the worker's rights. Path is
// the search path of its function.
type firing struct {
	Policy, Event, Trigger, Table, Function, Definition string
	Path                                                []string
}

// triggerRights calls f for each table that a trigger's function uses and on which the worker lacks
// a privilege. PostgreSQL checks such a privilege only when a batch fires the trigger. The functions
// are read, not executed, so SQL that they put together is not seen. The parameter "reach" is the
// answer of query reach. The parameter "given" lists privileges that a migration will grant.
func (v *inspection) triggerRights(r reading, reach json.RawMessage, given []row, f func(finding)) error {
	list, err := collectRows[firing](r, "invoked", reach, v.install.SearchPath)
	if err != nil {
		return err
	}
	uses := []row{}
	for _, t := range list {
		for _, use := range pgparse.TriggerUses(t.Definition, t.Event) {
			uses = append(uses, row{"policy": t.Policy, "event": t.Event, "trigger": t.Trigger, "on_table": t.Table,
				"function": t.Function, "schema": use.Schema, "name": use.Name, "privilege": use.Privilege, "path": t.Path})
		}
	}
	if len(uses) == 0 {
		return nil
	}
	return eachNamed(r, "trigger_privileges", f, uses, v.worker(), given)
}

// checkTriggerRights checks that the worker may do what triggers of the application do in batches.
func (v *inspection) checkTriggerRights(r reading) error {
	return v.triggerRights(r, v.reach, []row{}, func(f finding) { v.find(codeTableRights, nil, f) })
}

// TriggerRights returns a warning for each trigger whose function would need a privilege that the
// worker lacks once the objects are installed. With "roles: none" the migrating role is the worker,
// and there are no warnings. TriggerRights writes nothing and takes no locks on tables.
func TriggerRights(ctx context.Context, conn *pgx.Conn, file *policy.File, roles policy.Roles,
	objects []generator.Object) (list diag.List, err error) {
	if roles.None {
		return nil, nil
	}
	v := &inspection{file: file, install: file.Install, opt: Options{Timeout: time.Minute}}
	v.install.Roles = roles
	given, positions := []row{}, map[string]diag.Position{}
	for _, o := range objects {
		for _, right := range o.Rights {
			if right.Role == roles.Worker {
				given = append(given, row{"kind": right.Kind, "name": right.Name, "needed": right.Needed})
			}
		}
	}
	for _, p := range file.Policies {
		positions[p.Name] = p.Position
	}
	err = v.read(ctx, conn, func(r reading) error {
		reach, err := collectJSON(r, "reach", v.policyRows())
		if err != nil {
			return err
		}
		return v.triggerRights(r, reach, given, func(f finding) {
			list.Add(diag.Diagnostic{Code: codeTableRights, Severity: diag.Warning, Policy: f.Policy, Object: f.Object,
				Position: positions[f.Policy], Message: f.Message, Detail: f.Detail, Hint: f.Hint})
		})
	})
	return list, err
}
