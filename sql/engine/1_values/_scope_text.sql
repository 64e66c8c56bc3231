-- _scope_text returns a scope as text: column=value, ordered by column. It returns '' for all rows.
-- People read this text, and tables have it as a key. A number and the same number as a string have
-- the same text. A value that is not a scope is returned as it is.
CREATE OR REPLACE FUNCTION retention._scope_text(p_scope jsonb) RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $function$
    SELECT coalesce(CASE WHEN jsonb_typeof(p_scope) <> 'object' THEN nullif(p_scope, '"all"')::text ELSE (
        SELECT string_agg(quote_ident(e.key) || '=' || CASE WHEN e.value ~ '^[A-Za-z0-9_.:@/+-]+$'
            THEN e.value ELSE quote_nullable(e.value) END, ', ' ORDER BY e.key COLLATE "C")
        FROM jsonb_each_text(p_scope) e) END, '')
$function$;
