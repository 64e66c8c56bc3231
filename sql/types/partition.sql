-- partition is one partition of a table, as <policy>_rows returns it for a policy on partitions.
-- lower, upper: its bounds as text
CREATE TYPE retention.partition AS (
    schema text, name text, parent text, value text, lower text, upper text
);
