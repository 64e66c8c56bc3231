-- Returns the version of the installed runtime, and the fingerprint of its build. Builds before the
-- first release recorded no fingerprint.
SELECT i.runtime_version, coalesce(to_jsonb(i) ->> 'runtime_build', '') FROM retention.install i;
