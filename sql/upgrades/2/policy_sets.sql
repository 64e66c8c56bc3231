-- What the steps of a policy set in rows that are there, as [{"step", "table", "set": {column: value}, "worded"}]: a value
-- is the SQL of one that is the same for all rows, null for any other; worded are statements of the policy's
-- own words; step 0 is its watermark. Foreign keys and constraints that come later are held against it.
ALTER TABLE retention.policy ADD COLUMN IF NOT EXISTS sets jsonb NOT NULL DEFAULT '[]';
