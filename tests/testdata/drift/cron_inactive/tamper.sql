UPDATE cron.job SET active = false WHERE jobname = 'retention.purge';
