-- _put_install writes the row of retention.install with the values of a migration. The first time
-- it also records the server and the database. If the search path or the time zone has changed, it
-- looks up the names in all policies again, and the probes are written in the new zone.
CREATE OR REPLACE FUNCTION retention._put_install(p_row jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_before CONSTANT jsonb := (SELECT jsonb_build_array(i.search_path, i.time_zone) FROM retention.install i);
BEGIN
    INSERT INTO retention.install (runtime_version, runtime_build, search_path, time_zone, scheduler, cron_database,
                                   protect, trust, system_identifier, database_name, server)
    SELECT r.runtime_version, r.runtime_build, r.search_path, r.time_zone, r.scheduler, r.cron_database,
           r.protect, r.trust, c.system_identifier, current_database(), retention._server()
    FROM pg_control_system() c,
         jsonb_populate_record(NULL::retention.install, '{"protect": [], "trust": []}'::jsonb || p_row) r
    ON CONFLICT (only_row) DO UPDATE SET runtime_version = excluded.runtime_version,
        runtime_build = excluded.runtime_build, search_path = excluded.search_path,
        time_zone = excluded.time_zone, scheduler = excluded.scheduler, cron_database = excluded.cron_database,
        protect = excluded.protect, trust = excluded.trust;
    IF v_before <> jsonb_build_array(p_row -> 'search_path', p_row -> 'time_zone') THEN
        PERFORM retention._record_names(NULL);
    END IF;
END $function$;
