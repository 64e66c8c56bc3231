-- One row when this database is a copy of the one that was installed or adopted.
SELECT i.database_name, i.system_identifier::text, c.system_identifier::text
FROM retention.install i, pg_control_system() c
WHERE i.system_identifier <> c.system_identifier OR i.database_name <> current_database()
