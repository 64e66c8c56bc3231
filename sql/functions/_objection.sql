-- Why a run of a policy must not start, as far as tables are concerned; NULL: nothing objects. A protected table (with
-- all below it, or under its root), or one that the policy does not name, is within reach of its steps, a table
-- inherits from theirs, or a rule rewrites them. Detached partitions reach nothing.
CREATE OR REPLACE FUNCTION retention._objection(p_policy text) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_policy retention.policy; v_protect text[]; v_protected oid[]; v_row record;
BEGIN
    SELECT * INTO STRICT v_policy FROM retention.policy WHERE name = p_policy;
    SELECT i.protect INTO v_protect FROM retention.install i;
    IF v_protect <> '{}' THEN
        v_protected := retention._family(v_protect);
        SELECT s.name INTO v_row FROM unnest(v_policy.changes) WITH ORDINALITY s (name, n)
        WHERE s.name = ANY (v_protect) OR retention._family(ARRAY[s.name]) && v_protected ORDER BY s.n LIMIT 1;
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
            RETURN format('table "%s" would be reached and is not in "cascades": %s', v_row.name, v_row.path);
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
            RETURN format('table "%s" would be changed through a foreign key, and no step changes it: %s', v_row.name,
                v_row.path);
        END IF;
    END LOOP;
    -- What a statement of the policy's own words deletes may reach other tables, no protected one.
    SELECT retention._table_name(r.reached) AS name, r.path INTO v_row
    FROM retention._reach(ARRAY(SELECT retention._table(s) FROM unnest(v_policy.statement_deletes) s), '[]') r
    WHERE r.reached = ANY (v_protected) LIMIT 1;
    IF FOUND THEN RETURN format('protected table "%s" would be reached: %s', v_row.name, v_row.path); END IF;
    -- Statements go into children as well, where keys are not unique, and rows are none of the policy's.
    SELECT retention._table_name(i.inhrelid) AS name, x.name AS above INTO v_row
    FROM unnest(v_policy.related || CASE WHEN v_policy.table_name = ANY (v_policy.changes)
                                         THEN ARRAY[v_policy.table_name] END) x (name)
    JOIN pg_class c ON c.oid = retention._table(x.name) AND c.relkind = 'r'
    JOIN pg_inherits i ON i.inhparent = c.oid ORDER BY 1 LIMIT 1;
    IF FOUND THEN
        RETURN format('table "%s" inherits from "%s", so that steps go into it as well: '
                      'take it out of there (NO INHERIT), and give it a policy of its own', v_row.name, v_row.above);
    END IF;
    RETURN retention._rewritten(p_policy);
END $function$;
