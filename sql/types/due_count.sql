-- How many rows of a policy are due and what keeps the others. "capped" is true when counting
-- stopped at the limit; "kept_null" is the part of "kept" whose guard was NULL, neither true nor false.
CREATE TYPE retention.due_count AS (
    due bigint, kept jsonb, oldest text, newest text, capped boolean, kept_null jsonb
);
