-- Whoever looks sees no row, and the run takes one. The viewer may read the tables here.
GRANT USAGE ON SCHEMA app TO retention_viewer;
GRANT SELECT ON ALL TABLES IN SCHEMA app TO retention_viewer;
INSERT INTO app.message (body, created_at) VALUES ('a', now() - interval '8 days');
CREATE OR REPLACE FUNCTION retention.message_ttl_due(p_as_of timestamptz) RETURNS SETOF app.message
LANGUAGE sql STABLE AS 'SELECT t.* FROM app.message t WHERE t.created_at < p_as_of - interval ''9 days''';
