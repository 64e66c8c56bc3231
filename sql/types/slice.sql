-- Which rows of a policy are meant. <policy>_rows reads when (as_of), by which window (older_than), narrowed to what
-- (scope), by which entry of "due" (pass, NULL: any), and for ranks whose groups are asked (those of rels and tids, NULL:
-- all). <policy>_take takes the rows of the table from one position of the cursor to another (lo, hi), or the given ones
-- (rels, tids), which are locked and judged then. inputs is what the run read when it started; NULL: there is none, and
-- queries are asked. last: nothing due is left behind hi. prove: there is no row, only the statements are gone through.
-- retention.at() makes one.
CREATE TYPE retention.slice AS (
    as_of timestamptz,
    older_than interval,
    scope jsonb,
    run_id bigint,
    reason text,
    inputs jsonb,
    pass integer,
    groups jsonb,
    lo jsonb,
    hi jsonb,
    rels oid[],
    tids tid[],
    last boolean,
    prove boolean
);
