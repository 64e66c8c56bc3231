-- setting_change has one row for each change of a setting: who changed it, when and why. Rows are
-- never updated.
-- new: the new value, NULL if the setting was removed
CREATE TABLE IF NOT EXISTS retention.setting_change (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, policy text NOT NULL, name text NOT NULL, old text, new text,
    reason text NOT NULL DEFAULT '', set_by text NOT NULL DEFAULT session_user,
    set_at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(), scope text NOT NULL DEFAULT ''
);
