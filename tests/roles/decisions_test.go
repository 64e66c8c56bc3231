package roles

// decision says who may use an object of the schema: r is the runner, o the operator, v the viewer,
// a the roles that a policy names under "grant". The owner may do everything, PUBLIC nothing. Each
// new object needs a line here.
type decision struct{ name, who, why string }

// calls lists the functions for people and applications. docs/roles.md shows them.
var calls = []decision{
	{"run", "ro", "runs a policy"},
	{"run_job", "ro", "runs a job"},
	{"preview_job", "ro", "runs a job and undoes it"},
	{"mark_abandoned", "ro", "ends runs in the log that are not in progress"},
	{"preview", "rov", "counts what is due"},
	{"blast_radius", "rov", "counts what steps and foreign keys would do to it"},
	{"health", "rov", "returns what needs attention"},
	{"window_of", "rov", "returns the window in force"},
	{"pause", "o", "stops runs"},
	{"resume", "o", "lets runs continue"},
	{"set_window", "o", "sets another window, within the policy's bounds"},
	{"place_hold", "o", "keeps rows"},
	{"release_hold", "o", "ends a hold"},
	{"accept", "o", "lets a run pass the breaker once"},
	{"accept_names", "o", "lets names in a policy mean other objects"},
	{"adopt", "o", "lets runs start in this copy of the database"},
	{"restore", "o", "brings back what a run took"},
	{"take_events", "o", "removes and returns events; can be granted to roles of the application"},
	{"<policy>_rows", "ov", "returns the rows and what keeps each, with the caller's own privileges on the tables"},
	{"scope_at", "rov", "returns the argument of `<policy>_rows`"},
	{"why", "rov", "returns whether a run would take a row, and what keeps it"},
	{"row_statistics", "rov", "returns the numbers of a policy's rows that verify reads"},
	{"partitions", "rov", "returns the partitions and what keeps each"},
	{"report_rows", "rov", "returns a report's rows"},
	{"<report>_report", "ov", "the same, with the caller's own privileges on the tables"},
	{"<policy>_claim", "oa", "claims keys"},
	{"<policy>_seen", "oa", "returns whether a key is claimed"},
	{"<policy>_advance", "oa", "moves a cursor forward"},
	{"<policy>_cursor", "oa", "returns the position of a cursor"},
	{"<policy>_touch", "oa", "says that rows are in use"},
	{"<policy>_take", "", "takes rows; a batch calls it as the worker"},
	{"<policy>_groups", "", "finds groups with too many rows"},
	{"<policy>_beyond", "", "finds the rows of these groups that are too many"},
	{"<policy>_start", "", "reads the inputs of a run when it starts"},
	{"<policy>_share", "", "locks the tables that guards read, as the role that migrates"},
	{"<policy>_admit", "", "grants the worker what it needs in a schema, as the role that migrates"},
	{"<policy>_partition", "", "detaches or drops a partition, as the role that migrates"},
	{"<policy>_drop_table", "", "drops a table, as the role that migrates"},
}

// inner lists the internal functions that roles other than the owner may call. The driver and the
// views run with their caller's rights: a procedure that commits cannot be SECURITY DEFINER, and a
// view calls functions as its reader.
var inner = []decision{
	{"_drive", "ro", "run"}, {"_run_all", "ro", "run"}, {"_begin", "ro", "run"}, {"_check_scope", "ro", "run"},
	{"_step", "ro", "run"}, {"_throttle_sleep", "ro", "run"}, {"_outcome", "ro", "run"}, {"_count_left", "ro", "run"},
	{"_job", "ro", "run_job"}, {"_expand_instances", "ro", "run"}, {"_idle_policies", "ro", "run"}, {"_log_dry_run",
		"ro", "run"}, {"_ensure_instance", "ro", "run"},
	{"_notify", "ro", "run"}, {"_purge_log", "ro", "run"}, {"_purge_cron_log", "ro", "run_job"},
	{"_copy", "rov", "verify"}, {"_is_running", "rov", "status"}, {"_paused", "rov", "status"}, {"_window_at", "rov",
		"backlog"}, {"_table_rows", "rov", "metrics"},
	{"_window_set", "rov", "status"}, {"_window_fault", "rov", "status"}, {"_cron_jobs", "rov",
		"verify"}, {"_cron_seen", "rov", "verify"}, {"_scheduler_state", "rov", "metrics"}, {"_cron_setting", "rov", "verify"}, {"_cron_attempts", "rov", "verify"}, {"_run_again", "rov", "verify"}, {"_mended", "rov", "status"}, {"_lost_rows", "rov", "verify"}, {"_plans", "rov", "verify"}, {"_sequences_behind", "rov", "verify"},
	{"_count", "rov", "verify"}, {"_count_or_problem", "rov", "backlog"}, {"_scopes", "rov",
		"backlog"}, {"_success_at", "rov", "verify"}, {"_job_scopes", "rov", "backlog"}, {"_table_name", "rov", "verify"}, {"_partitions", "rov", "<policy>_rows"},
	{"_clock_evidence", "rov", "verify"}, {"_scope_text", "rov", "status"}, {"_trip_hint", "rov", "verify"},
	{"_batch_range", "rov", "scope_at"}, {"_cutoff", "rov", "<policy>_rows"}, {"_snowflake_floor", "rov", "<policy>_rows"},
	{"_local_floor", "rov", "<policy>_rows"}, {"_ulid_floor", "rov", "<policy>_rows"}, {"_uuid_floor", "rov",
		"<policy>_rows"},
	{"_held_rows", "ov", "<policy>_rows"}, {"_held_partition", "ov", "<policy>_rows"}, {"_holds", "ov",
		"<policy>_rows"}, {"_invalid_hold", "rov", "verify"}, {"_changed_dependencies", "rov", "verify"},
}

// closed lists the internal functions that only the owner and the worker may call.
var closed = []string{
	"_refuse_after_write", "_run_step", "_distributed", "_sum_of_batches", "_attach_index", "_from_run_job", "_record_batch", "_batch", "_batch_partitions", "_batch_size", "_descendants", "_breaker_limit",
	"_change_setting", "_changed_rows", "_checked", "_checked_scope", "_clock_fault", "_clock_readings", "_clock_sample", "_fail",
	"_hold_owners", "_obstacle", "_table_wait_limit", "_prepared", "_record",
	"_begin_page", "_check_types", "_fails_without_rows", "_apply_privileges", "_drop_each", "_distributed_table", "_next_instances", "_lock_shard", "_instances", "_put_each", "_local_holds_and_settings", "_instantiate", "_count_claims", "_count_in_table", "_cursor", "_droppable", "_drop_dependents", "_drop_refusal", "_drop_policy", "_dry_run", "_effects", "_estimated_rows", "_partition_tree",
	"_finish", "_check_grant", "_half_upgraded", "_hold_target",
	"_use_one_statement", "_index_later_partitions", "_is_held", "_lock_and_recheck", "_count_kept", "_lock_for_change", "_share", "_decode_clock", "_key_columns", "_keys_to", "_keys_reached", "_get_policy",
	"_retry_batch", "_resolve_tables", "_new_run", "_next", "_next_of_groups", "_next_rows", "_not_null", "_is_row_array",
	"_skip_row", "_position", "_validate", "_prove_statements", "_put_install", "_radius_query", "_record_index", "_register", "_refused_by", "_find_failing_row", "_related",
	"_execute_as_worker", "_restore_key", "_restore_sql", "_resume_point", "_notify_events", "_row_bytes", "_row_triggers",
	"_refuse_down", "_refuse_untrusted", "_run_report", "_running", "_server", "_set_aside_invalid_index", "_index_target_path", "_start", "_step_query", "_stop_reason",
	"_add_counts", "_blocking_sessions", "_check_breaker", "_table", "_process_batch", "_take_table", "_trusted", "_foreign_code", "_untrusted", "_attempt_batch", "_ttl",
	"_candidates", "_resolve_names", "_names", "_refused_expression", "_means_nothing", "_pin_settings", "_record_names",
	"_pin", "_check_search_path", "_discard_effects", "_query_as_worker", "_query_tables_as_worker", "_refuse_other_roles",
	"_batch_as_worker", "_count_as_worker", "_due", "_due_as_worker", "_put_policy", "_row_statistics_as_worker", "_idle_policies_as_worker",
	"_plans_as_worker", "_restore_as_worker", "_why_as_worker",
	"_equality_operator", "_held", "_held_below", "_held_columns", "_held_here", "_held_keys", "_held_query", "_place_hold_again", "_parse_hold_values", "_hold_kinds", "_hold_match", "_hold_tables", "_hold_terms", "_is_any_held", "_canonical", "_refuse_held_rows", "_blocking_hold", "_evaluate_as_worker", "_rights",
}

// reads lists the tables and views that may be read. Nobody may write to them.
var reads = []decision{
	{"status", "rov", "the worst job of each policy"}, {"job_status", "rov",
		"the last run of each policy and job"}, {"progress", "rov", "runs in progress"},
	{"backlog", "rov", "what is due now"}, {"words", "rov", "what policies do, in words"}, {"metrics", "rov",
		"numbers for monitoring"},
	{"install", "rov", "this install"}, {"policy", "rov", "the registry of policies"}, {"job", "rov",
		"the registry of jobs"}, {"each", "rov", "the registry of policies for each schema"},
	{"run", "rov", "the run log"}, {"batch", "rov", "the batches of runs"}, {"run_group", "rov",
		"groups of a run in progress"},
	{"total", "rov", "counters"}, {"setting", "rov", "settings"}, {"setting_change", "rov", "who changed a setting"},
	{"hold", "rov", "holds"}, {"restored", "rov", "calls of `restore`"}, {"event", "rov", "events"},
	{"report", "rov", "answers of reports"}, {"claim", "rov", "statistics of claims"},
	{"index_definition", "rov", "indexes that migrations built"}, {"undo", "o",
		"values that an update with `undo` wrote"},
	{"<policy>_<join>", "ov", "what a join read for the run: rows of your tables"},
	{"goose_db_version", "rov", "migrations that were applied"},
}
