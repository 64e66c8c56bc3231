-- due_count is the result of _count: how many rows of a policy are due, and what keeps the others.
-- due: due rows. kept: rows that are kept, by guard. oldest, newest: the clocks of the due rows.
-- capped: true when counting stopped at the limit. kept_null: the part of "kept" whose guard was
-- NULL.
CREATE TYPE retention.due_count AS (
    due bigint, kept jsonb, oldest text, newest text, capped boolean, kept_null jsonb
);
