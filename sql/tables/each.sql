-- Policies for each schema of a pattern (* is any text) that has their table, or for each shard here of the table that
-- Citus distributes in a schema; and the page of their members, which have a schema's name, or a shard's, wherever the
-- word stands in it. A member is a policy "name@schema" or "name@102008"; registers is its row.
CREATE TABLE IF NOT EXISTS retention.each (
    name text PRIMARY KEY, word text NOT NULL, schemas text NOT NULL, words text NOT NULL, page text NOT NULL,
    registers jsonb NOT NULL, shards boolean NOT NULL DEFAULT false
);
