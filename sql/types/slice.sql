-- Which rows of a policy are asked for, as <policy>_rows takes it: those at an instant (as_of), by the window in
-- force or another one (older_than), all of them or what a scope narrows them to.
-- retention.at() makes one.
CREATE TYPE retention.slice AS (
    as_of timestamptz,
    older_than interval,
    scope jsonb
);
