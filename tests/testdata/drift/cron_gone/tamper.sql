DELETE FROM cron.job WHERE jobname = 'retention.purge';
