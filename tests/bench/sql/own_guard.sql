DELETE FROM public.message WHERE ts < $1 AND device <> 'vip'
