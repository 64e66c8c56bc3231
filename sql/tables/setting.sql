-- setting has what operators set at run time, one row for each policy, or for all policies ('*').
-- "paused": the policy does not run.
-- "accepted": the next run may pass the breaker, once. value: the policy's hash, and the most rows
-- that the run may take. scope: which run may, as _scope_text() writes its scope.
-- "window": value is the window that replaces the policy's own.
-- setting_change has the history of these settings.
CREATE TABLE IF NOT EXISTS retention.setting (
    policy text NOT NULL, name text NOT NULL CHECK (name IN ('paused', 'accepted', 'window')), value text NOT NULL,
    reason text NOT NULL DEFAULT '', set_by text NOT NULL DEFAULT session_user,
    set_at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(), scope text NOT NULL DEFAULT '',
    PRIMARY KEY (policy, name, scope)
);
