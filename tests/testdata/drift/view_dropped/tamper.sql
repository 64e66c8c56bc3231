DROP VIEW retention.metrics;
