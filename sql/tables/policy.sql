-- The registry: one row per policy, written by migrations; and one per report, which has a name, a hash, and no table,
-- passes or steps. owns lists its tables for joins; grants which roles, besides those of retention._close(), may call
-- its functions for applications, as {word of the function's name: [role, ...]}. "passes" say how a run walks through
-- the rows, an entry of "due" each, in the order in which a run goes: the cursor, as expressions on the row t with
-- their types; range: one statement may take the rows between two positions; ranked: by a rank, alone where there are
-- groups and beyond, the functions that find these, indexed: by an index; bound: what ends the walk on the clock,
-- filtered: where rows meet more than that; guarded: the one statement leaves rows that guards keep, share: the
-- function that locks what they read; whole: no row may be passed by, since a watermark moves past it; partitions says
-- that its rows are the table's partitions; deletes lists the tables that steps delete from, reach those that foreign
-- keys may take from there, unguarded those that a statement of the policy's own words changes, related all that steps
-- act on besides the policy's own, changes every table whose rows steps change or take, statement_deletes those that a
-- statement of the policy's own words deletes from. prepares says that <policy>_start reads something when a run
-- starts. restores is what restore() can bring back; NULL: nothing. Per step an archive ("from") of whole rows of
-- "table", with the number of the run in the column "run" and "same" constants in others; "document" is the column
-- that holds rows, "stays" says that they stay there when they are restored; "columns" are the table's, with types,
-- "key" its primary key. Of an update with "undo", "from" is the table undo, "columns" are the key's and what it sets,
-- "set" what is to be set, as SQL over the row t. expects is what the policy relies on in the catalog, by relation,
-- see _unexpected(): kind (a table, if none is given), columns with types, whole (it has no others), key (which is
-- unique), cascades (foreign keys to it, as "table (columns) action"). schemas are those that its expressions name for
-- functions, types and operators. words say what all of it does. window_own is a window that may be set at run time,
-- within window_at_least and window_at_most; NULL: it may not. installed_at is when a migration last wrote the row:
-- lateness is reckoned from then on. batch_time_ms is how long a batch should take; NULL: it has batch_rows, however
-- long. writes is what statements of the policy do to tables, as in "DELETE public.message": rules may rewrite these.
-- sets is what its steps set in rows that are there, as [{"step", "table", "set": {column: value}, "worded"}]: a value
-- is the SQL of one that is the same for all rows, null for any other; worded are statements of the policy's own words;
-- step 0 is its watermark. facts is SQL over the policy's table as t and a slice as $1, for facts() and _count(): the
-- clock of a row, as it is shown (value) and compared (at) where that is another, from and where if the rows are not
-- those of the table alone, nulls if rows may have no clock, and past which instant one lies far ahead; archives: by
-- table, the column with the number of the run. steps are the steps in their order, as [{"step", "verb", "table",
-- ...}], in the same SQL: related rows of table "related" as "as", tied by "on"; "where" says which rows, "differs"
-- which of them an update changes, "key" is that of an archive. A table that steps before delete from is read as "rest
-- of <table>". notes say why numbers are not what a run does, blind that only a batch knows the rows. It is read by
-- _step_query and _effects; batches have the same in their own functions.
CREATE TABLE IF NOT EXISTS retention.policy (
    name text PRIMARY KEY, words text, table_name text NOT NULL DEFAULT '', partitions boolean NOT NULL DEFAULT false,
    hash text NOT NULL, owns text[] NOT NULL DEFAULT '{}', grants jsonb NOT NULL DEFAULT '{}', passes jsonb NOT NULL
    DEFAULT '[]', report boolean NOT NULL DEFAULT false, prepares boolean NOT NULL DEFAULT false, scope text[] NOT NULL
    DEFAULT '{}', window_own interval, window_at_least interval, window_at_most interval, restores jsonb, deletes text[]
    NOT NULL DEFAULT '{}', unguarded text[] NOT NULL DEFAULT '{}', related text[] NOT NULL DEFAULT '{}', changes text[]
    NOT NULL DEFAULT '{}', statement_deletes text[] NOT NULL DEFAULT '{}', reach text[] NOT NULL DEFAULT '{}', expects
    jsonb NOT NULL DEFAULT '{}', schemas text[] NOT NULL DEFAULT '{}', writes text[] NOT NULL DEFAULT '{}', sets jsonb
    NOT NULL DEFAULT '[]', facts jsonb NOT NULL DEFAULT '{}', steps jsonb NOT NULL DEFAULT '[]', batch_rows integer NOT
    NULL DEFAULT 50000 CHECK (batch_rows > 0), batch_time_ms integer DEFAULT 50 CHECK (batch_time_ms > 0),
    lock_timeout_ms integer NOT NULL DEFAULT 100 CHECK (lock_timeout_ms > 0), budget_rows bigint, budget_time interval
    DEFAULT '10 minutes', breaker_rows bigint DEFAULT 5000000, breaker_fraction double precision DEFAULT 0.5, busy
    double precision NOT NULL DEFAULT 1 CHECK (busy > 0 AND busy <= 1), installed_at timestamptz NOT NULL DEFAULT
    pg_catalog.now()
);
