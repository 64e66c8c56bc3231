package history_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"pgretain/generator"
	"pgretain/policy"
)

// TestHeadShowsEveryChangeOfTheInstall changes each field of "install", and "protect". It checks
// that the head of a file, or the refusal of the step, contains the old and the new value.
func TestHeadShowsEveryChangeOfTheInstall(t *testing.T) {
	t.Parallel()
	// "install" before and after, and the expected part of the head or of the refusal, by field
	changes := map[string]struct{ before, after, want string }{
		"Schema": {"{}", "{schema: keeper}",
			`schema "retention" in the migrations, "keeper" in the policy file`},
		"SearchPath": {"{search_path: [public]}", "{search_path: [public, app]}",
			`search_path: "public" -> "public, app"`},
		"TimeZone":  {"{}", "{time_zone: Europe/Berlin}", `time_zone: "UTC" -> "Europe/Berlin"`},
		"Scheduler": {"{}", "{scheduler: none}", `scheduler: "pg_cron" -> "none"`},
		"Database": {"{database: shop, cron_database: postgres}", "{database: mart, cron_database: postgres}",
			`- cron "shop.retention.nightly"`},
		"CronDatabase": {"{database: shop}", "{database: shop, cron_database: postgres}",
			`cron_database: none -> "postgres"`},
		"Trust": {"{trust: [auditor]}", "{trust: [auditor, evil]}", `trust: "auditor" -> "auditor", "evil"`},
		"Roles.None": {"{}", "{roles: none}",
			`owner "retention_owner" in the migrations, roles: none in the policy file`},
		"Roles.Owner": {"{}", "{roles: {owner: boss}}",
			`owner "retention_owner" in the migrations, "boss" in the policy file`},
		"Roles.Worker": {"{}", "{roles: {worker: mule}}", "mule"},
		"Roles.Runner": {"{}", "{roles: {runner: hare}}",
			`runner "retention_runner" in the migrations, "hare" in the policy file`},
		"Roles.Operator": {"{}", "{roles: {operator: hand}}",
			`retention_operator, retention_viewer" in the migrations, "retention_worker, retention_runner, hand,`},
		"Roles.Viewer": {"{}", "{roles: {viewer: eye}}",
			`retention_viewer" in the migrations, "retention_worker, retention_runner, retention_operator, eye"`},
		"protect": {"{}", "{} \nprotect: [app.transfer]", `protect: "app.rolled" -> "app.transfer"`},
	}
	fields := append(fieldsOf(reflect.TypeFor[policy.Install](), ""), "protect")
	for _, field := range fields {
		if field == "Migrations" || field == "Format" { // they say where files are, and install nothing
			continue
		}
		c, known := changes[field]
		if !known {
			t.Errorf("changes has no entry for field %s", field)
			continue
		}
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			if got := headAfter(t, c.before, c.after); !strings.Contains(got, c.want) {
				t.Errorf("%q is missing in\n%s", c.want, got)
			}
		})
	}
}

// fieldsOf returns the names of the fields that a policy file may set.
func fieldsOf(of reflect.Type, prefix string) (names []string) {
	for i := range of.NumField() {
		switch field := of.Field(i); {
		case field.Name == "Position":
		case field.Type.Kind() == reflect.Struct:
			names = append(names, fieldsOf(field.Type, field.Name+".")...)
		default:
			names = append(names, prefix+field.Name)
		}
	}
	return names
}

// headAfter returns the heads of the step from one install to another, or the message that refuses
// it.
func headAfter(t *testing.T, before, after string) string {
	t.Helper()
	fileWith := func(install string) string {
		text := strings.Replace(deltaBefore, "version: 1", "version: 1\ninstall: "+install, 1)
		if strings.Contains(install, "protect:") {
			text = strings.Replace(text, "protect: [app.rolled]\n", "", 1)
		}
		return text
	}
	dir := fstest.MapFS{}
	deltaStep(t, dir, fileWith(before))
	files, list := tryDelta(t, dir, fileWith(after))
	for _, d := range list {
		return d.Message
	}
	var heads []string
	for _, file := range files {
		head, _, _ := strings.Cut(file.Text, "-- +goose Up")
		heads = append(heads, head)
	}
	addFiles(t, dir, files)
	if _, _, err := generator.Rebase(dir, "", nil, false); err != nil {
		var wrong *generator.HistoryError
		t.Errorf("Rebase refuses the files of the step (HistoryError: %t): %v", errors.As(err, &wrong), err)
	}
	return strings.Join(heads, "\n")
}
