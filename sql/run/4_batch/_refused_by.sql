-- What an error in a batch says of its rows: "lock" (another session), "hold", "row" (a constraint, trigger, or data;
-- SQLSTATEs of a trigger's own count); NULL: it is no row's.
CREATE OR REPLACE FUNCTION retention._refused_by(p_sqlstate text) RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $function$
    SELECT CASE WHEN p_sqlstate IN ('55P03', '40P01', '40001') THEN 'lock'
                WHEN p_sqlstate = 'PR002' THEN 'hold'
                WHEN p_sqlstate ~ '^(2[237]|3[89]|4[45]|54|P0|[6-9A-EG-Z])'
                    AND p_sqlstate !~ '^(HV|PR|XX)' THEN 'row' END
$function$;
