-- _rights returns the privileges in the schema, except the owner's: a role, a privilege, and the
-- name of the object. Privilege OWNER means that the role owns the function.
-- role_kind "application": somebody may have granted EXECUTE by hand, and such a grant stays
-- role_kind "caller": the policy file names the role as a caller of claim or touch
CREATE OR REPLACE FUNCTION retention._rights() RETURNS TABLE (role_kind text, role oid, privilege text, name text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    WITH named (role_kind, name) AS (VALUES
        ('owner', 'retention_owner'), ('worker', 'retention_worker'), ('runner', 'retention_runner'),
        ('operator', 'retention_operator'), ('viewer', 'retention_viewer')
    ), listed (role_kinds, privilege, names) AS (VALUES
        ('runner operator', 'EXECUTE', 'preview_job mark_abandoned run run_if_due run_job'),
        ('operator', 'EXECUTE',
         'accept accept_names adopt pause place_hold release_hold restore resume set_window take_events'),
        ('runner operator viewer', 'EXECUTE',
         'blast_radius health report_rows row_statistics scope_at partitions preview why window_of'),
        ('application', 'EXECUTE', 'take_events window_of'),
        ('worker runner operator viewer', 'SELECT',
         'backlog batch claim descriptions each event goose_db_version hold index_definition install job
          job_status metrics policy probe progress report restored run run_group setting setting_change status
          tick total vouched'),
        ('worker operator', 'SELECT', 'undo'),
        -- The driver calls these functions with its caller's privileges, and views with their
        -- reader's.
        ('runner operator', 'EXECUTE',
         '_ask_again _begin _check_scope _count_left _drive _ensure_instance _expand_instances
          _idle_policies _job _log_dry_run _notify _outcome _purge_cron_log _purge_log _run_all _step
          _throttle_sleep _tick'),
        ('runner operator viewer', 'EXECUTE',
         '_changed_dependencies _clock_evidence _copy _count _count_or_problem _cron_setting _default_rows
          _denied _guard_plans _invalid_hold _is_running _job_scopes _jobs_in_time _lost_rows _mended _paused _plans
          _run_again _scheduler_state _scope_text _scopes _sequences_behind _success_at _table_name _table_rows
          _trip_hint _window_at _window_fault _window_set'),
        ('owner runner operator viewer', 'EXECUTE', '_cron_attempts _cron_jobs _cron_seen'),
        ('runner', 'EXECUTE', '_schedule_job _unschedule_job'),
        ('runner operator viewer', 'EXECUTE',
         '_batch_range _cutoff _local_floor _partitions _snowflake_floor _ulid_floor _uuid_floor'),
        ('worker operator viewer', 'EXECUTE', '_held_partition _held_rows _holds'),
        -- Functions that evaluate policies. The worker also gets all that run as their caller.
        ('worker', 'OWNER', '_execute_as_worker _batch _probe _query_as_worker'),
        ('worker', 'EXECUTE', '_invalid_hold _is_vouched _untrusted window_of'),
        ('worker', 'INSERT', 'claim event hold undo'), ('worker', 'UPDATE', 'undo'), ('worker', 'DELETE', 'undo')
    ), of_policies (role_kinds, privilege, suffixes) AS (VALUES
        ('operator viewer', 'EXECUTE', '{_report,_rows}'::text[]),
        ('worker', 'EXECUTE', '{_drop_table,_partition}'),
        ('operator', 'EXECUTE', '{_advance,_claim,_cursor,_seen,_touch}'),
        ('worker', 'OWNER', '{_advance,_claim,_cursor,_seen,_touch}')
    ), of_joins (role_kinds, privilege) AS (VALUES
        ('worker operator viewer', 'SELECT'), ('worker', 'INSERT'), ('worker', 'DELETE')
    )
    SELECT w.role_kind, nullif(n.name, '')::regrole::oid, l.privilege, l.name
    FROM (
        SELECT x.role_kinds, x.privilege, y.name FROM listed x, regexp_split_to_table(x.names, '\s+') y (name)
        UNION ALL SELECT 'owner', 'EXECUTE', e.name || '_admit' FROM retention.each e
        UNION ALL SELECT x.role_kinds, x.privilege, p.name || s
        FROM retention.policy p, of_policies x, unnest(x.suffixes) s
        UNION ALL SELECT x.role_kinds, x.privilege, c.relname
        FROM retention.policy p, unnest(p.owns) o (name), pg_class c, of_joins x WHERE c.oid = to_regclass(o.name)
    ) l CROSS JOIN regexp_split_to_table(l.role_kinds, ' ') w (role_kind)
    LEFT JOIN named n ON n.role_kind = w.role_kind
    UNION
    SELECT 'caller', quote_ident(r)::regrole::oid, 'EXECUTE', p.name || '_' || w.suffix
    FROM retention.policy p, jsonb_each(p.grants) g (what, roles), jsonb_array_elements_text(g.roles) r,
         unnest(CASE g.what WHEN 'claim' THEN '{advance,claim,cursor,seen}' ELSE '{touch}'::text[] END) w (suffix)
$function$;
