DELETE FROM retention.install;
