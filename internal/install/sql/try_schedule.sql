-- $1: a schedule. For a transaction that is rolled back.
SELECT cron.schedule('pgretain tries a schedule', $1, 'SELECT 1');
