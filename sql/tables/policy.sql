-- policy is the registry. It has one row for each policy and each report. Migrations write the
-- rows, but the first run of an instance writes the row of the instance. A report has a name, a
-- hash and a description, but no table, passes or steps.
-- In the SQL of this table, t is a row of the policy's table, and $1 is a value of type
-- batch_range.
CREATE TABLE IF NOT EXISTS retention.policy (
    name text PRIMARY KEY, table_name text NOT NULL DEFAULT '', hash text NOT NULL,
    description text,                           -- sentences that describe the policy
    partitions boolean NOT NULL DEFAULT false,  -- true if the policy takes partitions, not rows
    -- Tables that the policy owns: stored results of its joins.
    owns text[] NOT NULL DEFAULT '{}',
    -- Roles that may call the policy's functions for applications, as
    -- {"claim": [role, ...], "touch": ...}.
    grants jsonb NOT NULL DEFAULT '{}',
    -- How a run walks through the rows: an array with one element (pass) for each entry of "due",
    -- in order. Its keys:
    --   cursor: array of [expression, type], the order in which the run reads the rows
    --   range: true if one statement can take all rows between two positions
    --   ranked: true if the entry has a rank ("beyond")
    --   groups: true if the entry has a rank and no clock
    --   indexed: true if an index has the order of the rank
    --   bound: the condition on the clock that ends the walk
    --   guarded: true if the policy has guards
    --   lock: true if a batch locks its rows before that statement, because guards read tables
    --   whole: true if no row may be skipped, because a watermark moves past it
    --   undone: true if an error that a row causes undoes the whole batch
    --   below: true if a batch locks the rows that foreign keys lead to, because steps copy them
    --   together: true if no expression decides which partitions are taken, so a batch checks
    --     several at once
    passes jsonb NOT NULL DEFAULT '[]',
    report boolean NOT NULL DEFAULT false,
    -- True if <policy>_start evaluates inputs when a run starts.
    prepares boolean NOT NULL DEFAULT false,
    scope text[] NOT NULL DEFAULT '{}',         -- columns by which a run can be narrowed
    -- The policy's own window and its bounds. window_own is NULL if nobody can set a window at run
    -- time.
    window_own interval, window_at_least interval, window_at_most interval,
    -- What restore() can restore, with one element for each step. NULL if it can restore nothing.
    -- Keys for an archive of whole rows:
    --   table: the table whose rows were archived
    --   from: the archive
    --   run: the archive's column with the run's number
    --   same: constants by which these rows differ from other rows of the archive
    --   document: the archive's column that has the row as a JSON document
    --   columns: the table's columns with their types
    --   key: the columns of the table's key
    --   names: columns that have another name in the archive
    --   stays: true if restored rows stay in the archive
    -- Keys that differ for an update with "undo":
    --   from: retention.undo
    --   columns: the columns of the key, and the columns that the update sets
    --   set: the values to write
    restores jsonb,
    deletes text[] NOT NULL DEFAULT '{}',       -- tables that steps delete rows from
    -- Tables that "sql" steps change, and archives whose rows steps replace.
    unguarded text[] NOT NULL DEFAULT '{}',
    related text[] NOT NULL DEFAULT '{}',       -- other tables whose rows steps change or delete
    changes text[] NOT NULL DEFAULT '{}',       -- tables whose rows steps change or delete
    statement_deletes text[] NOT NULL DEFAULT '{}',  -- tables that "sql" steps delete rows from
    reach text[] NOT NULL DEFAULT '{}',         -- tables that foreign keys may change after a step
    -- Dependencies: the objects of the catalog that the policy's SQL uses, by relation.
    -- _changed_dependencies() compares them with the catalog. Keys:
    --   kind: the kind of the relation, a table by default
    --   columns: columns with their types
    --   whole: true if the relation must have no other columns
    --   key: a unique key
    --   cascades: foreign keys to the relation, as "table (columns) action"
    dependencies jsonb NOT NULL DEFAULT '{}',
    -- Schemas by which the policy's SQL qualifies functions, types and operators.
    schemas text[] NOT NULL DEFAULT '{}',
    names jsonb NOT NULL DEFAULT '{}',          -- names in the policy's SQL, as _names() returns them
    -- Objects that these names could mean when the policy was installed.
    candidates text[] NOT NULL DEFAULT '{}',
    -- Statements that rules could rewrite, as "DELETE public.message".
    writes text[] NOT NULL DEFAULT '{}',
    -- The FROM clause that returns the rows t. NULL if it is the table alone.
    joined text,
    -- For row_statistics(), _count() and _clock_sample(). Only a policy with one clock has the keys
    -- on the clock:
    --   clock, value: the clock as text for people
    --   at: the clock as it is compared
    --   encoding: how the clock encodes time
    --   where: the policy's condition
    --   nulls: true if rows can lack a clock
    --   ahead: clocks beyond this value are far ahead
    -- Keys that each policy may have:
    --   archives: archives, each with its column that has the run's number
    --   clocks: the encoded clocks
    facts jsonb NOT NULL DEFAULT '{}',
    -- What the steps do, in order. Functions of the policy have their SQL: <policy>_take executes
    -- it, and <policy>_effects and <policy>_related say on which rows. Keys:
    --   step: the number of the step, or 0. An entry 0 with the verb "note" says that
    --     <policy>_effects has notes on all numbers. An entry 0 with the verb "set" says what an
    --     SQL step or a watermark sets.
    --   verb, table: what the step does, and with which table
    --   related: another table, whose rows the step changes, deletes or copies
    --   where: true if the step takes only rows that meet a condition
    --   set: what changes in existing rows, as {column: SQL of the value}. The SQL is null if the
    --     value differs by row. For an insert, set is [column, ...].
    steps jsonb NOT NULL DEFAULT '[]' CHECK (pg_catalog.jsonb_path_query_array(steps, '$[*].verb')
        <@ '["archive", "delete", "detach", "drop", "drop table", "insert", "note", "set", "sql", "update"]'),
    -- The bounds of a policy. A bound that is NULL does not apply. A report has none.
    batch_rows integer CHECK (batch_rows > 0),
    -- The target duration of a batch. If it is NULL, each batch reads batch_rows rows.
    batch_time_ms integer CHECK (batch_time_ms > 0), lock_timeout_ms integer CHECK (lock_timeout_ms > 0),
    budget_rows bigint, budget_time interval, breaker_rows bigint, breaker_fraction double precision,
    -- The share of time in which a run works. At 0.5 it sleeps as long as each batch took.
    busy double precision CHECK (busy > 0 AND busy <= 1),
    -- Limits beyond which a run waits before its next batch. Keys:
    --   replica_lag: milliseconds
    --   pending_archival: number of WAL files
    --   wal_rate: bytes per second
    waits jsonb,
    -- The table for which the functions of an instance were created. NULL for other policies. If
    -- another table has its name, the next run creates the instance again.
    table_oid oid,
    -- When a migration installed the policy. The policy cannot be late before that time.
    installed_at timestamptz NOT NULL DEFAULT pg_catalog.now(),
    -- _begin_policy() writes a row with an empty hash, which the rest of the script replaces.
    CHECK (report OR hash = '' OR pg_catalog.num_nulls(batch_rows, lock_timeout_ms, busy) = 0)
);
