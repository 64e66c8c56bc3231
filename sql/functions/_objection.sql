-- Why a run of a policy must not start, as far as tables are concerned: a protected table, or one
-- that nobody named, is within reach of its deletes. NULL when nothing objects. A partition that
-- is detached or dropped reaches nothing: rows that refer to it keep it.
CREATE OR REPLACE FUNCTION retention._objection(p_policy text) RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    v_policy retention.policy;
    v_protect text[];
    v_start text[];
    v_row record;
BEGIN
    SELECT * INTO STRICT v_policy FROM retention.policy WHERE name = p_policy;
    SELECT i.protect INTO v_protect FROM retention.install i;
    v_start := v_policy.deletes;
    IF v_start && v_protect OR v_policy.related && v_protect THEN
        RETURN format('the policy changes rows of a protected table (%s)',
                      array_to_string(v_protect, ', '));
    END IF;
    IF v_policy.partitions THEN
        SELECT n.nspname || '.' || c.relname AS name INTO v_row
        FROM pg_partition_tree(retention._table(v_policy.table_name)) x
        JOIN pg_class c ON c.oid = x.relid JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname || '.' || c.relname = ANY (v_protect) LIMIT 1;
        IF FOUND THEN
            RETURN format('partition "%s" is protected', v_row.name);
        END IF;
    END IF;
    FOR v_row IN
        SELECT retention._table_name(r.reached) AS name, r.path
        FROM retention._reach(ARRAY(SELECT retention._table(s) FROM unnest(v_start) s)) r
    LOOP
        IF v_row.name = ANY (v_protect) THEN
            RETURN format('protected table "%s" would be reached: %s', v_row.name, v_row.path);
        ELSIF v_row.name <> ALL (v_policy.reach) THEN
            RETURN format('table "%s" would be reached and is not in "cascades": %s',
                          v_row.name, v_row.path);
        END IF;
    END LOOP;
    RETURN NULL;
END
$function$;
REVOKE ALL ON FUNCTION retention._objection(text) FROM PUBLIC;
