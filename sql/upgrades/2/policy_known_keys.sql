-- The foreign keys that the policy's guards follow from held rows: a key that came later is in none of them.
-- NULL for policies that were installed before anybody wrote that down.
ALTER TABLE retention.policy ADD COLUMN IF NOT EXISTS known_keys text[];
