-- vouched has a row for each policy for which a run asked all questions of _obstacle, and found no
-- obstacle. While mark is the result of _marks(), the answers are still the same, and nobody asks
-- again.
-- table_schemas, table_names: the tables on which the policy's SQL depends. If a name has several
--   dots, there is an entry for each way to read it.
-- schemas: the schemas in which names are looked up, except those of the search path
-- found: names of types and relations that PostgreSQL finds by the name alone
-- classes, ids: the objects of the catalog that _reached() found for the tables, and the schemas of
--   these objects, as in pg_depend
-- mark: the result of _marks() before the questions
-- asked_at: when the run asked them
CREATE TABLE IF NOT EXISTS retention.vouched (
    policy text PRIMARY KEY, table_schemas name[] NOT NULL, table_names name[] NOT NULL, schemas name[] NOT NULL,
    found name[] NOT NULL, classes oid[] NOT NULL, ids oid[] NOT NULL, mark text NOT NULL, asked_at timestamptz NOT NULL
);
