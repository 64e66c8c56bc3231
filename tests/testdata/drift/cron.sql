-- Stands in for pg_cron, which exists in one database of a server only: the same table, row
-- security and functions, as far as migrations and the verifier use them.
CREATE SCHEMA cron;
CREATE TABLE cron.job (
    jobid bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    schedule text NOT NULL,
    command text NOT NULL,
    nodename text NOT NULL DEFAULT 'localhost',
    nodeport integer NOT NULL DEFAULT current_setting('port')::integer,
    database text NOT NULL DEFAULT current_database(),
    username text NOT NULL DEFAULT current_user,
    active boolean NOT NULL DEFAULT true,
    jobname name,
    UNIQUE (jobname, username)
);
ALTER TABLE cron.job ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_jobs ON cron.job USING (username = current_user);
GRANT SELECT ON cron.job TO PUBLIC;

CREATE FUNCTION cron.schedule(p_name text, p_schedule text, p_command text) RETURNS bigint
LANGUAGE sql SECURITY DEFINER AS $$
    INSERT INTO cron.job (jobname, schedule, command, username)
    VALUES (p_name, p_schedule, p_command, current_setting('role'))
    ON CONFLICT (jobname, username) DO UPDATE SET schedule = excluded.schedule, command = excluded.command
    RETURNING jobid
$$;
CREATE FUNCTION cron.unschedule(p_job bigint) RETURNS boolean
LANGUAGE sql SECURITY DEFINER AS $$ DELETE FROM cron.job WHERE jobid = p_job RETURNING true $$;
CREATE FUNCTION cron.unschedule(p_name name) RETURNS boolean
LANGUAGE sql SECURITY DEFINER AS $$ DELETE FROM cron.job WHERE jobname = p_name AND username = current_setting('role') RETURNING true $$;
