CREATE TABLE public.workspace_builds (
    id            uuid PRIMARY KEY,
    workspace_id  uuid NOT NULL,
    build_number  integer NOT NULL,
    job_id        uuid NOT NULL UNIQUE,
    UNIQUE (workspace_id, build_number)
);

CREATE TABLE public.workspace_resources (
    id      uuid PRIMARY KEY,
    job_id  uuid NOT NULL
);

CREATE TABLE public.workspace_agents (
    id                 uuid PRIMARY KEY,
    resource_id        uuid NOT NULL REFERENCES public.workspace_resources ON DELETE CASCADE,
    created_at         timestamptz NOT NULL,
    last_connected_at  timestamptz
);

CREATE TABLE public.workspace_agent_logs (
    id        bigint PRIMARY KEY,
    agent_id  uuid NOT NULL REFERENCES public.workspace_agents ON DELETE CASCADE,
    output    text NOT NULL
);
CREATE INDEX workspace_agent_logs_agent_id ON public.workspace_agent_logs (agent_id);

CREATE TABLE public.workspace_agent_stats (
    id          uuid PRIMARY KEY,
    created_at  timestamptz NOT NULL,
    rx_bytes    bigint NOT NULL DEFAULT 0
);
CREATE INDEX idx_agent_stats_created_at ON public.workspace_agent_stats (created_at);

CREATE TABLE public.template_usage_stats (
    start_time   timestamptz NOT NULL,
    template_id  uuid NOT NULL,
    PRIMARY KEY (start_time, template_id)
);

CREATE TABLE public.provisioner_daemons (
    id            uuid PRIMARY KEY,
    created_at    timestamptz NOT NULL,
    last_seen_at  timestamptz
);

CREATE TABLE public.api_keys (
    id          text PRIMARY KEY,
    expires_at  timestamptz NOT NULL
);

CREATE TABLE public.aibridge_interceptions (
    id          uuid PRIMARY KEY,
    started_at  timestamptz NOT NULL
);

-- Three children without foreign keys.
CREATE TABLE public.aibridge_token_usages (
    id               uuid PRIMARY KEY,
    interception_id  uuid NOT NULL
);
CREATE INDEX ON public.aibridge_token_usages (interception_id);

CREATE TABLE public.aibridge_user_prompts (
    id               uuid PRIMARY KEY,
    interception_id  uuid NOT NULL
);
CREATE INDEX ON public.aibridge_user_prompts (interception_id);

CREATE TABLE public.aibridge_tool_usages (
    id               uuid PRIMARY KEY,
    interception_id  uuid NOT NULL
);
CREATE INDEX ON public.aibridge_tool_usages (interception_id);

CREATE TABLE public.connection_logs (
    id            uuid PRIMARY KEY,
    connect_time  timestamptz NOT NULL
);

CREATE TABLE public.audit_logs (
    id    uuid PRIMARY KEY,
    time  timestamptz NOT NULL
);

CREATE TABLE public.telemetry_locks (
    event_type        text NOT NULL,
    period_ending_at  timestamptz NOT NULL,
    PRIMARY KEY (event_type, period_ending_at)
);
