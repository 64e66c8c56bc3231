INSERT INTO public.retentionpolicies (id, postduration) VALUES ('p7', 7), ('p30', 30), ('keep', -1), ('null', NULL), ('p400', 400);
INSERT INTO public.channels (id, teamid) VALUES
    ('c7', 'none'), ('c7-in-t30', 't30'), ('keep-in-t30', 't30'), ('null-in-t30', 't30'), ('in-t30', 't30'), ('in-tkeep', 'tkeep'),
    ('c30-in-tkeep', 'tkeep'), ('global', 'none'), ('no-team', NULL), ('in-tnull', 'tnull'), ('in-t400', 't400');
INSERT INTO public.retentionpolicieschannels (channelid, policyid) VALUES
    ('c7', 'p7'), ('c7-in-t30', 'p7'), ('keep-in-t30', 'keep'), ('null-in-t30', 'null'), ('c30-in-tkeep', 'p30'), ('gone7', 'p7'), ('gone-keep', 'keep');
INSERT INTO public.retentionpoliciesteams (teamid, policyid) VALUES ('t30', 'p30'), ('tkeep', 'keep'), ('tnull', 'null'), ('t400', 'p400');

-- Every channel, three of which are gone, by age in milliseconds: on each window's bound and beside it, and NULL.
INSERT INTO public.posts (id, channelid, createat)
SELECT 'p' || row_number() OVER (), channel, 1748779200000 - days * 86400000::bigint - ms
FROM (SELECT id FROM public.channels UNION ALL VALUES ('gone'), ('gone7'), ('gone-keep')) c(channel),
     (VALUES (7), (30), (365), (400), (0), (NULL)) a(days), (VALUES (-1), (0), (1)) b(ms);
INSERT INTO public.channelmemberhistory (channelid, userid, jointime, leavetime) SELECT channelid, id, 0, createat FROM public.posts;
