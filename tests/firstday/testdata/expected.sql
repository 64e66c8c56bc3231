-- What is to remain, in the words of the policies and in plain SQL. "expected" has a copy of each table, named schema.table, without
-- keys, triggers and partitions, and from these go the rows that the policies are about.

-- A visit goes 120 days after it was finished, with its parts and notes, but for one with a complaint and one with a note of the court.
CREATE TEMPORARY TABLE gone AS
SELECT v.id, v.technician_id FROM crm.visit v
WHERE v.finished_at < now() - interval '120 days'
  AND NOT EXISTS (SELECT FROM crm.complaint c WHERE c.visit_id = v.id)
  AND NOT EXISTS (SELECT FROM crm.visit_note n WHERE n.visit_id = v.id AND n.author = 'court');
DELETE FROM expected."crm.visit" WHERE id IN (SELECT id FROM gone);
DELETE FROM expected."crm.visit_part" WHERE visit_id IN (SELECT id FROM gone);
DELETE FROM expected."crm.visit_note" WHERE visit_id IN (SELECT id FROM gone);
UPDATE expected."crm.technician_load" l SET visits = visits - (SELECT count(*) FROM gone g WHERE g.technician_id = l.technician_id);

-- A lead goes 90 days after it was closed, but for one that was won.
DELETE FROM expected."crm.lead" WHERE closed_at < now() - interval '90 days' AND stage <> 'won';
DELETE FROM expected."crm.activity" WHERE occurred_at < now() - interval '30 days';
-- A quote goes a week after its end unless a contract came of it.
DELETE FROM expected."crm.quote" q WHERE valid_until < current_date - 7 AND id NOT IN (SELECT quote_id FROM crm.contract WHERE quote_id IS NOT NULL);
-- Mails go with their attachments; an answer forgets what it answered.
DELETE FROM expected."crm.email_message" WHERE sent_at < (now() - interval '90 days') AT TIME ZONE 'UTC';
UPDATE expected."crm.email_message" SET answers = NULL WHERE answers NOT IN (SELECT id FROM expected."crm.email_message");
DELETE FROM expected."crm.attachment" WHERE email_id NOT IN (SELECT id FROM expected."crm.email_message");
DELETE FROM expected."crm.web_session" WHERE "expiresAt" < now() - interval '7 days';
DELETE FROM expected."crm.gps_fix" WHERE to_timestamp(ctime / 1000.0) < now() - interval '90 days';
DELETE FROM expected."crm.click" WHERE at < now() - interval '90 days';
DELETE FROM expected."crm.search_cache" WHERE last_used_at < now() - interval '90 days';
DELETE FROM expected."Ops.import_row" WHERE processed_on < current_date - 90;
DELETE FROM expected."Ops.webhook_delivery" WHERE "deliveredAt" < now() - interval '90 days';
-- Partitions go as a whole: those that end 90 days ago or earlier, which are 15 days off.
DELETE FROM expected."Ops.telemetry" WHERE at < current_date - 105;
-- A job goes 7 days after it ended, a failed one too.
DELETE FROM expected."Ops.Job Queue" WHERE "finishedAt" < now() - interval '7 days';
