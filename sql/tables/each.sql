-- "each" has the policies that exist once for each schema of a pattern, or once for each shard of a
-- table that Citus distributes. An instance is a policy called "name@schema" or "name@102008" (the
-- shard's number).
-- schemas: the pattern, in which * stands for any text. A schema counts if it has the table.
-- script: the SQL that creates an instance. It contains the placeholder where an instance has the
--   name of its schema or shard.
-- registers: the row of retention.policy that an instance gets
-- shards: true if the policy exists once for each shard
CREATE TABLE IF NOT EXISTS retention.each (
    name text PRIMARY KEY, placeholder text NOT NULL, schemas text NOT NULL, description text NOT NULL,
    script text NOT NULL, registers jsonb NOT NULL, shards boolean NOT NULL DEFAULT false
);
