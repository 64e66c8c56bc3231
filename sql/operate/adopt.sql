-- adopt lets runs start in this database, after the database was restored from a backup, cloned, or
-- promoted from a standby. It returns a sentence with the name of the database.
-- retention.setting_change keeps the reason. Only operators may call it.
CREATE OR REPLACE FUNCTION retention.adopt(reason text DEFAULT '') RETURNS text
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
    INSERT INTO retention.setting_change (policy, name, new, reason)
    VALUES ('*', 'adopted', current_database(), coalesce(adopt.reason, ''));
    UPDATE retention.install
    SET system_identifier = c.system_identifier, database_name = current_database(), server = retention._server(),
        adopted_at = clock_timestamp(), adopted_by = session_user
    FROM pg_control_system() c
    RETURNING format('database "%s" adopted by %s', database_name, adopted_by)
$function$;
