-- partition is one partition of a table, as <policy>_rows returns it for a policy on partitions.
-- The bounds lower and upper are texts.
CREATE TYPE retention.partition AS (
    schema text, name text, parent text, value text, lower text, upper text
);
