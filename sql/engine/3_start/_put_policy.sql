-- _put_policy replaces the registry's row of a policy or report. A column that p_row leaves out has
-- the default of the table. If a report replaces a policy of the same name, the function deletes
-- the policy's settings.
CREATE OR REPLACE FUNCTION retention._put_policy(p_row jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_name CONSTANT text := p_row ->> 'name'; v_row jsonb; v_change text;
BEGIN
    PERFORM retention._change_setting(s.policy, s.name, NULL, 'the policy was dropped', s.scope)
    FROM retention.setting s JOIN retention.policy p ON p.name = s.policy
    WHERE s.policy = v_name AND NOT p.report AND p_row ? 'report';
    v_row := p_row || jsonb_build_object(
        'description', (SELECT p.description FROM retention.policy p WHERE p.name = v_name));
    DELETE FROM retention.policy p WHERE p.name = v_name;
    EXECUTE (SELECT format('INSERT INTO retention.policy (%s) SELECT %1$s FROM jsonb_populate_record(
        NULL::retention.policy, $1)', string_agg(quote_ident(k), ', ')) FROM jsonb_object_keys(v_row) k) USING v_row;
    PERFORM retention._record_names(v_name);
    IF p_row ? 'report' THEN RETURN; END IF;
    -- _validate needs these privileges. _apply_privileges grants them only at the end of the
    -- migration.
    FOR v_change IN
        SELECT format(CASE WHEN w.name IS NULL THEN 'REVOKE ALL ON FUNCTION %s FROM PUBLIC'
                      ELSE 'GRANT EXECUTE ON FUNCTION %s TO %I' END, f.oid::regprocedure, w.name)
        FROM unnest('{beyond,effects,groups,related,rows,start,take}'::text[]) x (suffix)
        JOIN pg_proc f ON f.proname = v_name || '_' || x.suffix
        JOIN pg_class c ON c.oid = 'retention.policy'::regclass AND c.relnamespace = f.pronamespace
            AND f.proowner = c.relowner
        JOIN (SELECT r.rolname AS name FROM pg_roles r WHERE r.rolname IN ('retention_worker', 'retention_operator',
                  'retention_viewer') UNION ALL SELECT NULL) w
            ON x.suffix = 'rows' OR coalesce(w.name, 'retention_worker') = 'retention_worker'
        UNION ALL
        SELECT format('GRANT SELECT, INSERT, DELETE ON %s TO %I', o.name, w.rolname)
        FROM retention.policy p CROSS JOIN unnest(p.owns) o (name)
        JOIN pg_roles w ON w.rolname = 'retention_worker' WHERE p.name = v_name
        UNION ALL  -- functions for applications get the settings with which policies are evaluated
        SELECT format('ALTER FUNCTION %s SET %I TO %L', f.oid::regprocedure, s[1], s[2])
        FROM pg_proc e, unnest(e.proconfig) c, regexp_match(c, '^([^=]+)=(.*)') s,
             unnest('{advance,claim,cursor,seen,touch}'::text[]) x (suffix)
        JOIN pg_proc f ON f.proname = v_name || '_' || x.suffix AND f.prosecdef
        WHERE e.oid = 'retention._evaluate_as_worker(text, jsonb, text)'::regprocedure
            AND f.pronamespace = e.pronamespace
          AND f.proowner = e.proowner AND s[1] NOT IN ('search_path', 'TimeZone')
    LOOP
        EXECUTE v_change;
    END LOOP;
END $function$;
