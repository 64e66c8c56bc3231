-- Three roles can create in the path. One of them owns a table of a policy, another one can become the
-- schema's owner.
CREATE ROLE drift_creator;
CREATE ROLE drift_table_owner;
CREATE ROLE drift_schema_owner;
CREATE ROLE drift_deployer IN ROLE drift_schema_owner;
ALTER SCHEMA public OWNER TO drift_schema_owner;
GRANT CREATE ON SCHEMA public TO drift_creator, drift_table_owner, drift_deployer;
ALTER TABLE app.session OWNER TO drift_table_owner;
GRANT ALL ON app.session TO retention_owner;
