-- One thing of each group is wrong, for the test of what each role sees of it.
SELECT retention.pause('session_expired', 'audit 12');
ALTER TABLE app.attachment ADD COLUMN owner_id bigint;
SELECT retention.place_hold('app.attachment', '{"owner_id": 7}', 'case 12');
ALTER TABLE app.attachment RENAME COLUMN owner_id TO account_id;
UPDATE retention.install SET adopted_at = now() - interval '9 days', system_identifier = 1;
UPDATE retention.policy SET installed_at = now() - interval '9 days';
UPDATE retention.job SET installed_at = now() - interval '9 days';
INSERT INTO app.message (body, created_at) VALUES ('a', now() - interval '8 days');
UPDATE retention.run SET state = 'failed', message = 'division by zero' WHERE policy = 'message_ttl';
UPDATE retention.total SET last_success_at = now() - interval '1 hour' WHERE policy = 'message_ttl';
UPDATE retention.policy SET batch_rows = 7 WHERE name = 'message_ttl';
DELETE FROM retention.job WHERE name = 'nightly';
DROP FUNCTION retention.pause(text, text);
ALTER FUNCTION retention.resume(text) RESET search_path;
GRANT EXECUTE ON FUNCTION retention.settle() TO PUBLIC;
DROP INDEX app.pgretain_message_a851c807;
ALTER TABLE app.watch RENAME session_id TO of_session;
UPDATE cron.job SET schedule = '0 4 * * *' WHERE jobname = 'retention.nightly';
ALTER TABLE app.unnamed ALTER message_id DROP NOT NULL, ADD CONSTRAINT unnamed_attachment
    FOREIGN KEY (message_id) REFERENCES app.attachment ON DELETE SET NULL;
GRANT DELETE ON retention.run TO retention_operator;
REVOKE DELETE ON app.message FROM retention_worker;
CREATE TABLE app.fresh (id bigint PRIMARY KEY);
