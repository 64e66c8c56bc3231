-- Who loads the schema, and who migrates where that names nobody. pg_database_owner has CREATE on schema public.
CREATE ROLE rehearsal_loader SUPERUSER LOGIN;
CREATE ROLE rehearsal_migrator;
