-- What <policy>_take did: how many of the policy's rows it took, how many rows of other tables by table, and how many
-- of its own it left where they were, by what kept them; NULL for none.
CREATE TYPE retention.taken AS (
    taken bigint, related jsonb, kept jsonb
);
