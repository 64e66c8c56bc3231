-- policy is the registry: one row for each policy and each report. Migrations write it; the first
-- run of an instance writes the row of the instance. A report has a name, a hash and a description,
-- but no table, passes or steps. SQL in this table refers to a row of the policy's table as t, and
-- to a value of type batch_range as $1.
CREATE TABLE IF NOT EXISTS retention.policy (
    name text PRIMARY KEY, table_name text NOT NULL DEFAULT '', hash text NOT NULL,
    description text,                           -- what the policy does, in sentences
    partitions boolean NOT NULL DEFAULT false,  -- true if the policy takes partitions, not rows
    -- Tables that the policy owns: stored results of its joins.
    owns text[] NOT NULL DEFAULT '{}',
    -- Roles that may call its functions for applications: {"claim": [role, ...], "touch": ...}.
    grants jsonb NOT NULL DEFAULT '{}',
    -- How a run walks through the rows: an array with one element (pass) for each entry of "due",
    -- in order. Its keys:
    --   cursor: array of [expression, type], the order in which the run reads the rows
    --   range: true if one statement can take all rows between two positions
    --   ranked: true if the entry has a rank ("beyond")
    --   groups: true if it has a rank and no clock; indexed: true if an index has the order of
    --     the rank
    --   bound: the condition that ends the walk, on the clock
    --   guarded: true if the one statement leaves rows that guards keep
    --   share: true if it locks the tables that guards read
    --   whole: true if no row may be skipped, because a watermark moves past it
    --   undone: true if an error that a row causes undoes the whole batch
    --   below: true if rows that foreign keys lead to are locked, because steps copy some of them
    passes jsonb NOT NULL DEFAULT '[]',
    report boolean NOT NULL DEFAULT false,
    -- True if <policy>_start reads something when a run starts.
    prepares boolean NOT NULL DEFAULT false,
    scope text[] NOT NULL DEFAULT '{}',         -- columns by which a run can be narrowed
    -- The policy's own window and its bounds. window_own is NULL if nobody can set a window at run
    -- time.
    window_own interval, window_at_least interval, window_at_most interval,
    -- What restore() can bring back: one element for each step; NULL if nothing. For an archive of
    -- whole rows:
    --   table: the table whose rows were archived; from: the archive; run: the archive's column
    --     with the run's number
    --   same: constants by which these rows differ from others in the archive
    --   document: the archive's column that has the row as a JSON document
    --   columns: the table's columns with their types; key: the columns of its key
    --   names: columns that have another name in the archive
    --   stays: true if restored rows stay in the archive
    -- For an update with "undo", from is retention.undo, columns are those of the key and those
    -- that the update sets, and set has the values to write.
    restores jsonb,
    deletes text[] NOT NULL DEFAULT '{}',       -- tables that steps delete rows from
    -- Tables that "sql" steps change; archives with replaced rows.
    unguarded text[] NOT NULL DEFAULT '{}',
    related text[] NOT NULL DEFAULT '{}',       -- other tables whose rows steps change or delete
    changes text[] NOT NULL DEFAULT '{}',       -- tables whose rows steps change or delete
    statement_deletes text[] NOT NULL DEFAULT '{}',  -- tables that "sql" steps delete rows from
    reach text[] NOT NULL DEFAULT '{}',         -- tables that foreign keys may change after a step
    -- Dependencies: the objects of the catalog that the policy's SQL uses, by relation.
    -- _changed_dependencies() compares them with the catalog. Keys: kind (a table by default),
    -- columns with their types, whole (the relation has no other columns), key (a unique key),
    -- cascades (foreign keys to it, as "table (columns) action").
    dependencies jsonb NOT NULL DEFAULT '{}',
    -- Schemas that its SQL names for functions, types and operators.
    schemas text[] NOT NULL DEFAULT '{}',
    names jsonb NOT NULL DEFAULT '{}',          -- names in its SQL, as _names() returns them
    -- Objects that these names could mean when the policy was installed.
    candidates text[] NOT NULL DEFAULT '{}',
    -- Statements that rules could rewrite, as in "DELETE public.message".
    writes text[] NOT NULL DEFAULT '{}',
    -- The FROM clause of its rows t; NULL if it is the table alone.
    joined text,
    -- For row_statistics(), _count() and _clock_sample(). Only a policy with one clock has the keys
    -- on the clock:
    --   clock, value: the clock as text for people; at: the clock as it is compared; encoding:
    --     how it encodes time
    --   where: the policy's condition; nulls: true if rows can lack a clock; ahead: clocks beyond
    --     this value are far ahead
    --   archives: archives, each with its column that has the run's number; clocks: the encoded
    --     clocks
    facts jsonb NOT NULL DEFAULT '{}',
    -- The steps, in order, for _step_query() and _effects(). Batches execute the same steps in
    -- <policy>_take. Keys:
    --   step, verb, table: the number of the step, and what it does with which table
    --   related, as, on: another table whose rows it acts on, their alias, and the condition that
    --     joins them to t
    --   where: which rows; differs: which rows an update changes
    --   key: the columns of an archive's key, with the row's columns that they are copied from
    --   set: what changes in rows that exist, as {column: SQL of the value, or null if it differs
    --     by row}; an insert has [column, ...]
    --   name: SQL of the name of a table to drop
    --   notes: why numbers of a preview differ from those of a run; step 0 has those that concern
    --     all numbers
    --   blind: true if only a batch can tell the rows
    -- The SQL may read "rest of <table>": the table without the rows that earlier steps delete.
    steps jsonb NOT NULL DEFAULT '[]',
    batch_rows integer NOT NULL DEFAULT 50000 CHECK (batch_rows > 0),
    -- The target duration of a batch. If it is NULL, each batch reads batch_rows rows.
    batch_time_ms integer DEFAULT 50 CHECK (batch_time_ms > 0),
    lock_timeout_ms integer NOT NULL DEFAULT 100 CHECK (lock_timeout_ms > 0), budget_rows bigint,
    budget_time interval DEFAULT '10 minutes', breaker_rows bigint DEFAULT 5000000,
    breaker_fraction double precision DEFAULT 0.5,
    -- The share of time in which a run works. At 0.5 it sleeps as long as each batch took.
    busy double precision NOT NULL DEFAULT 1 CHECK (busy > 0 AND busy <= 1),
    -- What a run waits for before each batch: {replica_lag: milliseconds, pending_archival: WAL
    -- files, wal_rate: bytes per second}.
    waits jsonb,
    -- When a migration installed the policy. Its lateness counts from then on.
    installed_at timestamptz NOT NULL DEFAULT pg_catalog.now()
);
