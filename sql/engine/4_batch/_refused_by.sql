-- _refused_by returns the possible cause of an error in a batch: "lock" (another session), "hold",
-- or "row". For "row", an attempt with this row alone decides. It returns NULL for errors that no
-- row causes: errors of connections, resources, the system or the runtime itself.
-- SQLSTATE 57014 is a cancel, unless a RAISE raised it. A RAISE cannot be cancelled, so then code
-- of the application raised it. Only _process_batch raises it for a cancel.
CREATE OR REPLACE FUNCTION retention._refused_by(p_sqlstate text, p_context text DEFAULT '') RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $function$
    SELECT CASE WHEN p_sqlstate IN ('55P03', '40P01', '40001') THEN 'lock'
                WHEN p_sqlstate = 'PR002' THEN 'hold'
                WHEN p_sqlstate = '57014' AND split_part(p_context, E'\n', 1) ~ '\mRAISE\M'
                        AND strpos(split_part(p_context, E'\n', 1), 'retention._process_batch(') = 0
                    OR p_sqlstate !~ '^(08|53|57014|58|PR)' THEN 'row' END
$function$;
