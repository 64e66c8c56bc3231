-- _refused_by returns the possible cause of an error in a batch:
-- "lock": another session
-- "hold": a hold
-- "server": a server to which dblink or postgres_fdw connects cancelled its statement
-- "row": an attempt with this row alone decides
-- NULL: errors of connections, resources, the system or the runtime itself
-- Any other SQLSTATE 57014 is a cancel, unless code of the application raised it with RAISE. A
-- cancel also has RAISE in its context if it arrives while RAISE evaluates a value. Then its
-- message decides. If messages are translated, such a cancel counts as raised by the application.
CREATE OR REPLACE FUNCTION retention._refused_by(p_sqlstate text, p_context text DEFAULT '', p_message text DEFAULT '')
RETURNS text LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $function$
    SELECT CASE WHEN p_sqlstate IN ('55P03', '40P01', '40001') THEN 'lock'
                WHEN p_sqlstate = 'PR002' THEN 'hold'
                WHEN p_sqlstate = '57014' AND split_part(p_context, E'\n', 1)
                    ~ '^(remote SQL command: |while .* dblink connection)' THEN 'server'
                WHEN p_sqlstate = '57014' AND NOT starts_with(p_message, 'canceling statement due to ')
                        AND regexp_replace(split_part(p_context, E'\n', 1), '"[^"]*"', '', 'g') ~ 'PL/pgSQL.*\mRAISE\M'
                    OR p_sqlstate !~ '^(08|53|57014|58|PR)' THEN 'row' END
$function$;
