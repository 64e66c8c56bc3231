ALTER TABLE app.attachment ADD COLUMN owner_id bigint;
SELECT retention.place_hold('app.attachment', '{"owner_id": 7}', 'case 12');
ALTER TABLE app.attachment RENAME COLUMN owner_id TO account_id;
