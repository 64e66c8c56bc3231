ALTER TABLE retention.policy DROP CONSTRAINT policy_batch_rows_check, DROP CONSTRAINT policy_busy_check;
ALTER TABLE retention.policy ADD CONSTRAINT policy_busy_check CHECK (busy > 0 AND busy <= 1) NOT VALID;
ALTER TABLE retention.undo DROP CONSTRAINT undo_pkey;
ALTER TABLE retention.hold ADD CONSTRAINT known CHECK (table_name <> 'app.message');
