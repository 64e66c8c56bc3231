-- _position returns a position of a pass as a list of SQL values.
CREATE OR REPLACE FUNCTION retention._position(p_policy retention.policy, p_pass integer, p_position jsonb) RETURNS text
LANGUAGE plpgsql IMMUTABLE AS $function$
BEGIN
    RETURN (SELECT string_agg(format('%L::%s', p_position ->> (e.ordinality::integer - 1), e.value ->> 1), ', '
                ORDER BY e.ordinality)
            FROM jsonb_array_elements(p_policy.passes -> (p_pass - 1) -> 'cursor') WITH ORDINALITY e);
END $function$;
