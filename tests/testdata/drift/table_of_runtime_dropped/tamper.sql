DROP TABLE retention.total CASCADE;
