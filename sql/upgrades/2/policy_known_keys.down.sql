ALTER TABLE retention.policy DROP COLUMN IF EXISTS known_keys;
