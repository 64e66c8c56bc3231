-- words describes each policy and report in sentences, and says when jobs run it.
CREATE OR REPLACE VIEW retention.words AS
SELECT p.name AS policy, ltrim(replace(concat(p.words, string_agg(j.words, '' ORDER BY j.name)), E'\n\n', E'\n'), E'\n')
       AS words
FROM retention.policy p LEFT JOIN retention.job j ON split_part(p.name, '@', 1) = ANY (j.policies) GROUP BY p.name;
