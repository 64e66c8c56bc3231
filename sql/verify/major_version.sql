-- The server's major version.
SELECT (current_setting('server_version_num')::integer / 10000)::text
