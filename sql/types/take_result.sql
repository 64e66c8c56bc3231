-- take_result is the result of <policy>_take.
-- taken: how many rows of the policy it took
-- related: how many rows of other tables it changed, by table, or NULL
-- kept: how many rows of the policy it left, by what kept them, or NULL
CREATE TYPE retention.take_result AS (
    taken bigint, related jsonb, kept jsonb
);
