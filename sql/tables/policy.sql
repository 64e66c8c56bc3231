-- The registry: one row per policy, written by migrations; and one per report, which has a name, a hash, and no table,
-- passes or steps. SQL in it is over a row t of the policy's table, and over a slice as $1.
CREATE TABLE IF NOT EXISTS retention.policy (
    name text PRIMARY KEY, table_name text NOT NULL DEFAULT '', hash text NOT NULL,
    words text,                                 -- what all of it does
    partitions boolean NOT NULL DEFAULT false,  -- its rows are the table's partitions
    owns text[] NOT NULL DEFAULT '{}',          -- its tables for joins
    grants jsonb NOT NULL DEFAULT '{}',         -- who else may call its functions: {claim or touch: [role, ...]}
    -- How a run walks through the rows, an entry of "due" each, in order. cursor: [expression, type] each; range: one
    -- statement may take the rows between two positions; ranked: by a rank, groups: by it alone, indexed: by an index;
    -- bound: what ends the walk on the clock; guarded: the one statement leaves rows that guards keep, share: under
    -- locks on what they read; whole: no row may be passed by, since a watermark moves past it; undone: an error of a row undoes the batch; below: steps copy rows that foreign keys
    -- lead to, which are locked.
    passes jsonb NOT NULL DEFAULT '[]',
    report boolean NOT NULL DEFAULT false,
    prepares boolean NOT NULL DEFAULT false,    -- <policy>_start reads something when a run starts
    scope text[] NOT NULL DEFAULT '{}',
    window_own interval, window_at_least interval, window_at_most interval,  -- own: NULL where it may not be set
    -- What restore() can bring back, a step each; NULL: nothing. An archive ("from") of whole rows of "table", with the
    -- run's number in the column "run", constants in others ("same"), rows in "document"; they stay there ("stays");
    -- "columns" of the table, with types, what the archive calls some ("names"), the table's "key". Of an update with
    -- "undo" "from" is the table undo, "columns" are the key's and what it sets, "set" what is to be set.
    restores jsonb,
    deletes text[] NOT NULL DEFAULT '{}',       -- the tables that steps delete from
    unguarded text[] NOT NULL DEFAULT '{}',     -- that statements of the policy's own words change, or archives replace
    related text[] NOT NULL DEFAULT '{}',       -- that steps act on besides the policy's own
    changes text[] NOT NULL DEFAULT '{}',       -- whose rows steps change or take
    statement_deletes text[] NOT NULL DEFAULT '{}',  -- that statements of the policy's own words delete from
    reach text[] NOT NULL DEFAULT '{}',         -- that foreign keys may change from there
    -- What it relies on in the catalog, by relation, see _changed_dependencies(): kind (a table, if none is given), columns with
    -- types, whole (it has no others), key (which is unique), cascades (keys to it, as "table (columns) action").
    expects jsonb NOT NULL DEFAULT '{}',
    schemas text[] NOT NULL DEFAULT '{}',       -- those that its expressions name for functions, types and operators
    names jsonb NOT NULL DEFAULT '{}',          -- in its SQL, see _names()
    candidates text[] NOT NULL DEFAULT '{}',    -- what these could mean when a migration was applied, see _candidates()
    writes text[] NOT NULL DEFAULT '{}',        -- as in "DELETE public.message": rules may rewrite these
    joined text,                                -- the FROM of its rows t, where that is not the table alone
    -- For facts() and _count(): the clock of a row, as it is shown (value) and compared (at), and its encoding; where;
    -- nulls if rows may have no clock; past which instant one lies far ahead; archives: by table, their run_id; clocks:
    -- those with an encoding, for _clock_sample().
    facts jsonb NOT NULL DEFAULT '{}',
    -- The steps in their order, as [{step, verb, table, ...}], for _step_query() and _effects(); batches have the same
    -- in <policy>_take. Related rows of table "related" as "as", tied by "on"; "where" says which rows, "differs" which
    -- an update changes, "key" is an archive's: by its columns, those of the row; "rest of <table>" is what steps before
    -- leave of it. notes: why numbers are not what a run does; blind: only a batch knows the rows. set: what changes in
    -- rows that are there, {column: SQL of a value, null where it is not the same for all}, of an insert [column, ...];
    -- of statements and a watermark with step 0.
    steps jsonb NOT NULL DEFAULT '[]',
    batch_rows integer NOT NULL DEFAULT 50000 CHECK (batch_rows > 0),
    batch_time_ms integer DEFAULT 50 CHECK (batch_time_ms > 0),  -- how long a batch should take; NULL: of batch_rows
    lock_timeout_ms integer NOT NULL DEFAULT 100 CHECK (lock_timeout_ms > 0), budget_rows bigint,
    budget_time interval DEFAULT '10 minutes', breaker_rows bigint DEFAULT 5000000,
    breaker_fraction double precision DEFAULT 0.5,
    busy double precision NOT NULL DEFAULT 1 CHECK (busy > 0 AND busy <= 1),
    waits jsonb,  -- {replica_lag: milliseconds, pending_archival: files of WAL, wal_rate: bytes a second}
    installed_at timestamptz NOT NULL DEFAULT pg_catalog.now()  -- by a migration; lateness is reckoned from then on
);
