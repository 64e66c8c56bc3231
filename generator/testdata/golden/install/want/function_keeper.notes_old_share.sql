-- as migrator
-- Keeps what guards read as it is while a batch judges and takes. Belongs to the role that migrates: SELECT gives no such lock.
CREATE OR REPLACE FUNCTION keeper.notes_old_share() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
    LOCK TABLE app.review IN SHARE MODE NOWAIT;
$function$;

-- to drop it
