UPDATE cron.job SET schedule = '0 0 29 2 *' WHERE jobname = 'retention.nightly';
