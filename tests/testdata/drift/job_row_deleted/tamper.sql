DELETE FROM retention.job WHERE name = 'nightly';
