ALTER TABLE retention.hold DROP COLUMN row_seen, DROP COLUMN release_reason, ALTER COLUMN reason DROP NOT NULL, ALTER COLUMN placed_by DROP DEFAULT, ALTER COLUMN until SET NOT NULL;
ALTER TABLE retention.setting ALTER COLUMN set_at SET DEFAULT '2000-01-01';
ALTER TABLE retention.undo ALTER COLUMN policy TYPE varchar(20);
ALTER TABLE retention.event ALTER COLUMN id SET MAXVALUE 100;
-- Harmless.
ALTER TABLE retention.total ADD COLUMN remark text, ADD COLUMN seen boolean NOT NULL DEFAULT false;
