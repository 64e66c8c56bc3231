-- What a step of a policy would do, as <policy>_preview finds it: one row that would go or change (rel,
-- tid), or a number of rows. verb: due (step 0: how many rows are) | delete | update | insert | archive | refused |
-- kept | detach | drop | drop table | sql;
-- sets are the columns that an update writes, nulls those that it sets to NULL.
-- "unknown" says in note why numbers of the step, or of all where step is 0, are not what a run would do.
CREATE TYPE retention.effect AS (
    step integer,
    verb text,
    table_name text,
    rel oid,
    tid tid,
    n bigint,
    note text,
    sets text[],
    nulls text[]
);
