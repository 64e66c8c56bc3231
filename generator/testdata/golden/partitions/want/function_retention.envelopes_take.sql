-- as owner
-- Takes the partition ($1).rels[1], which nobody can write into any more, and which was judged then.
CREATE OR REPLACE FUNCTION retention.envelopes_take(retention.slice) RETURNS retention.taken LANGUAGE plpgsql
AS $function$
DECLARE
    v_rel CONSTANT oid := ($1).rels[1];
    v_tids CONSTANT tid[] := ($1).tids;
    v_rows bigint;
    v_out retention.taken := ROW(0, '{}', '{}');
BEGIN
    -- The partition goes with all that it holds.
    IF v_rel IS NOT NULL THEN
        SET CONSTRAINTS ALL IMMEDIATE;  -- ALTER TABLE refuses while checks of earlier steps are pending
        PERFORM retention.envelopes_partition(v_rel, 'drop');
        v_out.taken := v_out.taken + 1;
    END IF;

    RETURN v_out;
END $function$;

-- to drop it
