-- Why a run of a policy must not start, as far as tables are concerned: a protected table, or one
-- that nobody named, is within reach of its steps. NULL when nothing objects. A partition that is
-- detached or dropped reaches nothing: rows that refer to it keep it. Where a table is protected,
-- so are all tables below it, and those that share its root. What foreign keys carry on from columns that are
-- set may reach tables that the policy speaks of.
CREATE OR REPLACE FUNCTION retention._objection(p_policy text) RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    v_policy retention.policy;
    v_protect text[];
    v_protected oid[];
    v_row record;
BEGIN
    SELECT * INTO STRICT v_policy FROM retention.policy WHERE name = p_policy;
    SELECT i.protect INTO v_protect FROM retention.install i;
    IF v_protect <> '{}' THEN
        v_protected := retention._family(v_protect);
        SELECT s.name INTO v_row FROM unnest(v_policy.changes) WITH ORDINALITY s (name, n)
        WHERE s.name = ANY (v_protect) OR retention._family(ARRAY[s.name]) && v_protected
        ORDER BY s.n LIMIT 1;
        IF FOUND THEN
            RETURN format('the policy changes rows of table "%s", which is protected (%s)',
                          v_row.name, array_to_string(v_protect, ', '));
        END IF;
    END IF;
    FOR v_row IN
        SELECT retention._table_name(r.reached) AS name, r.path, r.reached, r.on_update
        FROM retention._reach(ARRAY(SELECT retention._table(s) FROM unnest(v_policy.deletes) s), '[]') r
    LOOP
        IF v_row.reached = ANY (v_protected) THEN
            RETURN format('protected table "%s" would be reached: %s', v_row.name, v_row.path);
        ELSIF v_row.name <> ALL (v_policy.reach) AND NOT v_row.on_update THEN
            RETURN format('table "%s" would be reached and is not in "cascades": %s',
                          v_row.name, v_row.path);
        END IF;
    END LOOP;
    FOR v_row IN
        SELECT retention._table_name(r.reached) AS name, r.path, r.reached
        FROM retention._reach('{}', v_policy.sets) r
    LOOP
        IF v_row.reached = ANY (v_protected) THEN
            RETURN format('protected table "%s" would be changed through a foreign key: %s', v_row.name, v_row.path);
        ELSIF v_row.name <> ALL (v_policy.reach || v_policy.changes) AND EXISTS (
            SELECT FROM retention._reach('{}', jsonb_path_query_array(v_policy.sets, '$[*] ? (!exists(@.worded))')) r
            WHERE r.reached = v_row.reached) THEN
            RETURN format('table "%s" would be changed through a foreign key, and no step changes it: %s', v_row.name, v_row.path);
        END IF;
    END LOOP;
    -- What a statement of the policy's own words deletes may reach other tables, no protected one.
    SELECT retention._table_name(r.reached) AS name, r.path INTO v_row
    FROM retention._reach(ARRAY(SELECT retention._table(s) FROM unnest(v_policy.statement_deletes) s), '[]') r
    WHERE r.reached = ANY (v_protected) LIMIT 1;
    IF FOUND THEN
        RETURN format('protected table "%s" would be reached: %s', v_row.name, v_row.path);
    END IF;
    RETURN coalesce(retention._heir(p_policy), retention._rewritten(p_policy));
END
$function$;
