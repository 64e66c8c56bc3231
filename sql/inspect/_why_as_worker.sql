-- _why_as_worker evaluates why() as the worker. It calls <policy>_rows for each row. If the row is
-- not due, it calls <policy>_rows with later times to find the time at which the row becomes due.
CREATE OR REPLACE FUNCTION retention._why_as_worker(p_policy text, p_key text, p_as_of timestamptz)
RETURNS TABLE (due boolean, kept_by text, until timestamptz) LANGUAGE plpgsql STABLE AS $function$
DECLARE
    v_policy CONSTANT retention.policy := retention._get_policy(p_policy, true);
    v_table CONSTANT regclass := retention._table(v_policy.table_name);
    v_verdict_query CONSTANT text := format('
        SELECT true, CASE WHEN s.scoped THEN rtrim(d.verdict, ''?'') ELSE ''scope'' END
        FROM (SELECT retention._batch_range($1, $4, x.scope) AS batch, true AS scoped
              FROM retention._scopes($5) x (scope)
              UNION ALL SELECT retention._batch_range($1, $4), false
              WHERE EXISTS (SELECT FROM retention._scopes($5) x (scope) WHERE x.scope IS NOT NULL)) s
        CROSS JOIN LATERAL %s WHERE d.rel = $2 AND d.tid = $3 ORDER BY s.scoped DESC LIMIT 1',
                                    retention._rows_call(v_policy, 's.batch'));
    v_window CONSTANT interval := retention.window_of(v_policy.name);
    v_given record; v_rel oid; v_tid tid; v_found boolean; v_keeper text; v_before timestamptz; v_middle timestamptz;
BEGIN
    IF v_policy.partitions OR v_policy.report THEN
        RAISE invalid_parameter_value USING MESSAGE = format('"%s" takes no rows', v_policy.name),
            HINT = CASE WHEN v_policy.partitions THEN format('SELECT * FROM retention.partitions(%L, now()).',
                v_policy.name) END;
    END IF;
    SELECT string_agg(format('t.%I = %L::%s', a.attname, k.value, format_type(a.atttypid, -1)), ' AND ')
               FILTER (WHERE a.attnum IS NOT NULL) AS matches,
           min(k.key) FILTER (WHERE a.attnum IS NULL) AS unknown
    INTO v_given FROM jsonb_each_text(retention._parse_row_values(v_table, p_key)) k
    LEFT JOIN pg_attribute a ON a.attrelid = v_table AND a.attname = k.key AND a.attnum > 0 AND NOT a.attisdropped;
    IF v_given.unknown IS NOT NULL THEN
        RAISE undefined_column USING MESSAGE = format('table "%s" has no column "%s"', v_policy.table_name,
            v_given.unknown);
    END IF;
    FOR v_rel, v_tid IN EXECUTE format('SELECT t.tableoid AS rel, t.ctid AS tid FROM %s t WHERE %s', v_table,
        coalesce(v_given.matches, 'false')) LOOP
        kept_by := NULL; until := NULL;
        EXECUTE v_verdict_query INTO v_found, kept_by USING p_as_of, v_rel, v_tid, v_window, v_policy.name;
        IF v_found AND kept_by IS NULL
           AND EXISTS (SELECT FROM retention._held(v_policy.name, ARRAY[v_rel], ARRAY[v_tid], p_as_of, false)) THEN
            kept_by := 'hold';
        END IF;
        due := coalesce(v_found AND kept_by IS NULL, false);
        IF v_found IS NULL THEN
            kept_by := 'not due'; v_before := p_as_of; v_middle := p_as_of + interval '1000 years';
            EXECUTE v_verdict_query INTO v_found, v_keeper USING v_middle, v_rel, v_tid, v_window, v_policy.name;
            IF v_keeper = 'scope' THEN
                kept_by := 'scope';
            ELSIF v_found THEN
                until := v_middle;
                WHILE until - v_before > interval '1 second' LOOP
                    v_middle := v_before + (until - v_before) / 2;
                    EXECUTE v_verdict_query INTO v_found USING v_middle, v_rel, v_tid, v_window, v_policy.name;
                    IF v_found THEN until := v_middle; ELSE v_before := v_middle; END IF;
                END LOOP;
                until := date_trunc('second', until);
            END IF;
        END IF;
        RETURN NEXT;
    END LOOP;
END $function$;
