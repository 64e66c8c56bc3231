-- What people set at run time; policy is '*' for all. "paused", "accepted" (value: the policy's hash that may pass its
-- breaker once, and how many rows at most; scope: of the run that may, as _scope_text() writes it), "window" (value: the
-- interval). setting_change is the history.
CREATE TABLE IF NOT EXISTS retention.setting (
    policy text NOT NULL, name text NOT NULL CHECK (name IN ('paused', 'accepted', 'window')), value text NOT NULL,
    reason text NOT NULL DEFAULT '', set_by text NOT NULL DEFAULT session_user,
    set_at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(), scope text NOT NULL DEFAULT '',
    PRIMARY KEY (policy, name, scope)
);
