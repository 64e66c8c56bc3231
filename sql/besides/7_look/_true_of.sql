-- What an expression on columns of a table gives for the constants that a step sets; NULL where it reads other columns,
-- or the values are not of the columns' types.
CREATE OR REPLACE FUNCTION retention._true_of(p_table oid, p_expression text, p_set jsonb, p_as_of timestamptz)
RETURNS boolean LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_columns text;
BEGIN
    SELECT string_agg(format('CAST(%s AS %s) AS %I', CASE lower(s.value)
                                 WHEN 'as_of' THEN '($1 #>> ''{}'')::timestamptz' ELSE s.value END,
                             format_type(a.atttypid, a.atttypmod), a.attname), ', ')
    INTO v_columns FROM jsonb_each_text(p_set) s JOIN pg_attribute a ON a.attrelid = p_table AND a.attname = s.key
    WHERE s.value IS NOT NULL;
    IF v_columns IS NULL THEN RETURN NULL; END IF;
    RETURN retention._look(format('SELECT to_jsonb((%s)::boolean) FROM (SELECT %s) x', p_expression, v_columns),
        to_jsonb(p_as_of));
EXCEPTION WHEN OTHERS THEN RETURN NULL;
END $function$;
