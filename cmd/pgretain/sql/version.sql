-- Which version of the runtime the database has.
SELECT i.runtime_version FROM retention.install i;
