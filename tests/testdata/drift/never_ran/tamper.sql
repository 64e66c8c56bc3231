DELETE FROM retention.run;
DELETE FROM retention.total;
UPDATE retention.install SET adopted_at = now() - interval '1 day';
UPDATE retention.policy SET installed_at = now() - interval '3 hours';
UPDATE retention.job SET installed_at = now() - interval '3 hours';
