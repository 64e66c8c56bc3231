-- A partition, as <policy>_rows shows those that a policy on partitions is about; the bounds as text.
CREATE TYPE retention.partition AS (
    schema text, name text, parent text, value text, lower text, upper text
);
