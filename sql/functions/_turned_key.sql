-- A hold in force by a key of other columns, or in another order, than the guards of a policy compare it with: in a
-- sentence, NULL for none. No row meets it, or another one. Looks at the p_limit newest holds of each table.
CREATE OR REPLACE FUNCTION retention._turned_key(p_policy text, p_as_of timestamptz, p_limit bigint) RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    v_known CONSTANT text[] := (SELECT p.known_keys FROM retention.policy p WHERE p.name = p_policy);
BEGIN
    RETURN (
        SELECT format('hold %s names a row of "%s" by (%s), and the policy knows rows there by another key, %s: '
                      'run "pgretain snapshot" and "pgretain generate", and migrate, or hold the row once more and release this hold',
                      h.id, k.parts[1], array_to_string(h.columns, ', '), k.parts[2])
        FROM unnest(v_known) AS known (text)
        CROSS JOIN LATERAL (SELECT regexp_match(known.text, '^(.*) PRIMARY KEY (\(.*\))$') AS parts) k
        CROSS JOIN LATERAL (
            SELECT n.id, coalesce(n.key_columns, ARRAY(
                       SELECT a.attname::text FROM retention._key_columns(retention._table(n.table_name)) c
                       JOIN pg_attribute a ON a.attrelid = retention._table(n.table_name) AND a.attnum = c.attnum
                       ORDER BY c.n)) AS columns
            FROM retention.hold n
            WHERE n.table_name = k.parts[1] AND n.by_column IS NULL AND n.released_at IS NULL
              AND (n.until IS NULL OR n.until > p_as_of)
            ORDER BY n.id DESC LIMIT p_limit) h
        WHERE k.parts IS NOT NULL AND format('(%s)', array_to_string(h.columns, ', ')) <> k.parts[2]
        ORDER BY h.id LIMIT 1);
END
$function$;
REVOKE ALL ON FUNCTION retention._turned_key(text, timestamptz, bigint) FROM PUBLIC;
