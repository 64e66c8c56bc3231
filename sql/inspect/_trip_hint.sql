-- _trip_hint returns the hint for a run that tripped: the command to type. It depends on what the
-- run was tripped by. A sentence of _obstacle ends with "; " and the remedy, which is a statement
-- or words. For a hold, the statement places the same holds on the present table and releases the
-- old ones. So each row always has a hold.
CREATE OR REPLACE FUNCTION retention._trip_hint(p_tripped_by text, p_policy text, p_message text) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_mend CONSTANT text := substr(p_message, CASE WHEN p_tripped_by IS NOT NULL OR p_message ~ ' is not trusted; '
        THEN nullif(strpos(p_message, '; '), 0) END + 2);
    v_role CONSTANT text := substring(p_message FROM ' belongs to role "(.+)", which is not trusted');
BEGIN
    RETURN CASE
        WHEN p_tripped_by = 'breaker' THEN format('Look with pgretain preview %1$s, or SELECT * FROM '
            'retention.preview(%1$L). If all of these rows may go: pgretain accept %1$s --reason ''...'', or SELECT '
            'retention.accept(%1$L, ''...'').', p_policy)
        WHEN p_tripped_by = 'clock' THEN format('"pgretain preview %s" shows rows; compare them with the table. '
            'Correct the clock in the policy file, then run "pgretain generate", and migrate.', p_policy)
        WHEN v_mend LIKE 'place it again as things are now%' THEN
            coalesce(retention._place_hold_again(substring(p_message FROM '^hold (\d+)')::bigint),
                     'Find the table that has the rows now, and place the hold there, before this one is released.')
        WHEN v_role IS NOT NULL AND (
            SELECT bool_and(pg_get_userbyid(c.relowner) = v_role)
            FROM retention.policy p
            JOIN pg_class c ON c.oid = ANY (retention._resolve_tables(ARRAY[p.table_name]))) THEN
            format('If role "%s" is the new owner of the application, have a DBA run what "pgretain bootstrap '
                '--migrator %s" prints. Otherwise give the objects back to their owner.', v_role,
                CASE WHEN v_role ~ '^[A-Za-z0-9_.-]+$' THEN v_role ELSE quote_literal(v_role) END)
        WHEN v_mend LIKE 'REVOKE %' THEN coalesce(
            (SELECT string_agg(DISTINCT substr(f, strpos(f, '; ') + 2) || ';', ' ')
             FROM retention._foreign_code(ARRAY(SELECT p FROM retention.policy p)) f WHERE f LIKE '%; REVOKE %'),
            v_mend || ';')
        WHEN v_mend ~ '^[A-Z]+ ' THEN v_mend || ';'
        WHEN v_mend IS NOT NULL THEN upper(left(v_mend, 1)) || substr(v_mend, 2) || '.'
        WHEN p_tripped_by = 'hold' THEN
            'The policy waits for the hold. Leave it so; whoever placed the hold decides when it ends.'
    END;
END $function$;
