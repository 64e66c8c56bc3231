-- Returns the shards on this server of a table that Citus distributes. The second column is the
-- schema of the shard's tables. The third maps the tables that Citus distributes to those of the
-- shard.
-- $1: the table, as schema.name
SELECT s.shardid::text, o.relnamespace::regnamespace::text,
       jsonb_object_agg(c.relname, substring(shard_name(c.oid, r.shardid), '[^.]*$'))
  FROM pg_dist_partition AS p
  JOIN pg_dist_shard AS s USING (logicalrelid)
  JOIN pg_dist_placement AS l ON l.shardid = s.shardid AND l.shardstate = 1
  JOIN pg_dist_local_group USING (groupid)
  JOIN pg_class AS o ON o.oid = p.logicalrelid
  JOIN pg_class AS c ON c.relnamespace = o.relnamespace AND c.relname = quote_ident(c.relname)
  JOIN pg_dist_partition AS q ON q.logicalrelid = c.oid AND (q.partmethod = 'h' AND q.colocationid = p.colocationid
       OR q.partmethod = 'n' AND q.repmodel = 't')
  JOIN pg_dist_shard AS r ON r.logicalrelid = c.oid AND (q.partmethod = 'n' OR r.shardminvalue = s.shardminvalue)
 WHERE p.logicalrelid = to_regclass($1::text) AND p.partmethod = 'h' AND p.repmodel = 's'
 GROUP BY s.shardid, o.relnamespace ORDER BY s.shardid;
