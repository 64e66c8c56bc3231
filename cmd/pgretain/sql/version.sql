-- Returns the version of the installed runtime.
SELECT i.runtime_version FROM retention.install i;
