DO $$ BEGIN CREATE ROLE drift_event; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
CREATE FUNCTION app.watch_ddl() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END';
ALTER FUNCTION app.watch_ddl() OWNER TO drift_event;
CREATE EVENT TRIGGER watch_ddl ON ddl_command_end EXECUTE FUNCTION app.watch_ddl();
