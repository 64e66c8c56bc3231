CREATE TABLE public.repository (
    repository_id  bigint PRIMARY KEY,
    project_id     bigint NOT NULL,
    name           text NOT NULL UNIQUE
);

CREATE TABLE public.artifact (
    id             bigint PRIMARY KEY,
    repository_id  bigint NOT NULL REFERENCES public.repository,
    digest         text NOT NULL,
    push_time      timestamp NOT NULL,
    pull_time      timestamp
);
CREATE INDEX artifact_repository ON public.artifact (repository_id, push_time);

CREATE TABLE public.tag (
    id           bigint PRIMARY KEY,
    artifact_id  bigint NOT NULL REFERENCES public.artifact,
    name         text NOT NULL,
    immutable    boolean NOT NULL DEFAULT false,
    push_time    timestamp NOT NULL,
    pull_time    timestamp
);
CREATE INDEX tag_artifact ON public.tag (artifact_id);

-- One policy a project. data is {"rules": [{"template", "n", "repositories", "tags", "exclude", "untagged", "disabled"}, ...]}:
-- patterns with * for any text; exclude turns the tags round; untagged takes artifacts without tags as well.
CREATE TABLE public.retention_policy (
    id     bigint PRIMARY KEY,
    scope  bigint NOT NULL UNIQUE,
    data   jsonb NOT NULL
);

CREATE FUNCTION public.glob(name text, pattern text) RETURNS boolean LANGUAGE sql IMMUTABLE
RETURN name LIKE replace(replace(replace(pattern, '\', '\\'), '_', '\_'), '*', '%');

-- The rules of a policy that are about an artifact.
CREATE FUNCTION public.rules_about(artifact_id bigint, repository_name text, data jsonb)
RETURNS TABLE (number bigint, template text, n integer) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT r.number, r.rule ->> 'template', (r.rule ->> 'n')::integer
    FROM jsonb_array_elements(data -> 'rules') WITH ORDINALITY r(rule, number)
    WHERE NOT coalesce((r.rule ->> 'disabled')::boolean, false)
      AND public.glob(repository_name, r.rule ->> 'repositories')
      AND (EXISTS (SELECT FROM public.tag g WHERE g.artifact_id = rules_about.artifact_id
                     AND public.glob(g.name, r.rule ->> 'tags') <> coalesce((r.rule ->> 'exclude')::boolean, false))
           OR coalesce((r.rule ->> 'untagged')::boolean, false)
              AND NOT EXISTS (SELECT FROM public.tag g WHERE g.artifact_id = rules_about.artifact_id));
END;
