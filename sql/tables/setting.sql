-- What people set at run time; policy is '*' for all. "paused", "accepted" (value: the policy's hash that may pass its
-- breaker once, and how many rows at most), "window" (value: the interval). setting_change is the history.
CREATE TABLE IF NOT EXISTS retention.setting (
    policy text NOT NULL, name text NOT NULL CHECK (name IN ('paused', 'accepted', 'window')), value text NOT NULL,
    reason text NOT NULL DEFAULT '', set_by text NOT NULL DEFAULT session_user,
    set_at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(), PRIMARY KEY (policy, name)
);
