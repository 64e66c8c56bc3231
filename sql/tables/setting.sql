-- setting has what operators set at run time. The policy '*' stands for all policies. Names of
-- settings:
-- - "paused": the policy does not run.
-- - "accepted": the next run may pass the breaker, once. value has the policy's hash, and the most
--   rows that the run may take. scope is the scope that this run must have, as _scope_text() writes
--   it.
-- - "window": value is the window that replaces the policy's own.
-- setting_change has the history of these settings.
CREATE TABLE IF NOT EXISTS retention.setting (
    policy text NOT NULL, name text NOT NULL CHECK (name IN ('paused', 'accepted', 'window')), value text NOT NULL,
    reason text NOT NULL DEFAULT '', set_by text NOT NULL DEFAULT session_user,
    set_at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(), scope text NOT NULL DEFAULT '',
    PRIMARY KEY (policy, name, scope)
);
