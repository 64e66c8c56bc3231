-- descriptions describes each policy and report in sentences, and says when jobs run it.
CREATE OR REPLACE VIEW retention.descriptions AS
SELECT p.name AS policy,
       ltrim(replace(concat(p.description, string_agg(j.description, '' ORDER BY j.name)), E'\n\n', E'\n'), E'\n')
           AS description
FROM retention.policy p LEFT JOIN retention.job j ON split_part(p.name, '@', 1) = ANY (j.policies) GROUP BY p.name;
