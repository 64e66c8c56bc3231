-- _means_nothing reports whether an SQLSTATE means that a name, type, constant or syntax in a
-- statement is invalid.
CREATE OR REPLACE FUNCTION retention._means_nothing(p_sqlstate text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    RETURN p_sqlstate ~ '^(42|22|0A)' AND p_sqlstate <> '42501';
END $function$;
