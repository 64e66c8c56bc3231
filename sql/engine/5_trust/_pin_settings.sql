-- _pin_settings sets the install's search path and time zone. The function that evaluates has SET
-- clauses for both, so PostgreSQL resets them when that function ends.
-- Expressions can depend on other settings, too. If any role may change such a setting,
-- _pin_settings sets it to its built-in value until the transaction ends.
-- default_text_search_config gets the value of the session that installed.
-- It leaves out settings in the SET clauses of its callers, settings of clients, timeouts,
-- tablespaces and settings of Citus. Settings that only superusers may change keep the server's
-- value.
CREATE OR REPLACE FUNCTION retention._pin_settings() RETURNS void
LANGUAGE plpgsql AS $function$
BEGIN
    -- pg_settings has an extension's settings only after its library is loaded, which a batch may
    -- cause.
    PERFORM pg_catalog.set_config(x.name, x.value, true) FROM (VALUES ('pg_trgm.similarity_threshold', '0.3'),
        ('pg_trgm.word_similarity_threshold', '0.6'), ('pg_trgm.strict_word_similarity_threshold', '0.5')) x (name,
            value)
    WHERE pg_catalog.current_setting(x.name, true) IS DISTINCT FROM x.value;
    PERFORM pg_catalog.set_config(s.name, x.value, true)
    FROM pg_catalog.pg_settings s CROSS JOIN LATERAL (SELECT CASE s.name
        WHEN 'timezone_abbreviations' THEN 'Default'
        WHEN 'default_text_search_config' THEN (SELECT i.text_search_config FROM retention.install i)
        ELSE s.boot_val END) x (value)
    WHERE s.context = 'user' AND s.setting <> x.value
      AND s.category = ANY (ARRAY['Client Connection Defaults / Locale and Formatting',
          'Client Connection Defaults / Statement Behavior', 'Client Connection Defaults / Other Defaults',
          'Version and Platform Compatibility / Previous PostgreSQL Versions',
          'Version and Platform Compatibility / Other Platforms and Clients', 'Customized Options'])
      AND s.name !~ '^(DateStyle|TimeZone|search_path|row_security|client_.*|.*timeout|.*transaction_.*|.*tablespaces?|citus[.].*)$';
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, ' || (SELECT string_agg(pg_catalog.quote_ident(x), ', ')
                FROM pg_catalog.unnest(pg_catalog.string_to_array(i.search_path, ', ')) x) || ', pg_temp', true),
            pg_catalog.set_config('timezone', i.time_zone, true) FROM retention.install i;
END $function$;
