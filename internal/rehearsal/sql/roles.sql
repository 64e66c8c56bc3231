-- Who loads the schema, and who migrates. pg_database_owner has CREATE on schema public.
CREATE ROLE rehearsal_loader SUPERUSER LOGIN;
CREATE ROLE rehearsal_migrator LOGIN;
DO $$
BEGIN
    EXECUTE format('ALTER DATABASE %I OWNER TO rehearsal_migrator', current_database());
END
$$;
