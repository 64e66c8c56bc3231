-- The primary keys by which the policy's guards know held rows, and the foreign keys that they follow from there: a key
-- that came later is in none of them.
-- NULL for policies that were installed before anybody wrote that down.
ALTER TABLE retention.policy ADD COLUMN IF NOT EXISTS known_keys text[];
