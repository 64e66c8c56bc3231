-- $1: indexes that a file builds, $2: indexes that it drops, both as schema.index. Whether it has begun
-- to: one of the first is there, or set aside, or one of the second is not there as it should be.
WITH live (name, valid) AS (
    SELECT n.nspname || '.' || c.relname, i.indisvalid
    FROM pg_catalog.pg_index i
    JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
)
SELECT EXISTS (SELECT FROM live l, unnest($1::text[]) b (name) WHERE l.name IN (b.name, b.name || '_invalid'))
    OR EXISTS (
        SELECT FROM unnest($2::text[]) d (name)
        WHERE NOT EXISTS (SELECT FROM live l WHERE l.name = d.name AND l.valid)
    );
