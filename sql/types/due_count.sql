-- due_count is the result of _count: how many rows of a policy are due, and what keeps the others.
-- due: how many rows are due
-- kept: how many rows are kept, by guard
-- oldest, newest: the oldest and newest clock of the due rows
-- capped: true if counting stopped at the limit
-- kept_null: the part of kept for which the guard's condition was NULL
CREATE TYPE retention.due_count AS (
    due bigint, kept jsonb, oldest text, newest text, capped boolean, kept_null jsonb
);
