-- _equality_operator returns, as SQL, the operator by which values of a type are equal. It is the
-- operator of the type's default operator class, which does not depend on a search_path. It returns
-- NULL for a type without such a class, and for row types. It reads only the catalog.
CREATE OR REPLACE FUNCTION retention._equality_operator(p_type oid) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_type pg_type; v_family regtype;
BEGIN
    -- The commonest types of keys, without a search in the catalog.
    IF p_type = ANY ('{int2,int4,int8,uuid,text,varchar}'::regtype[]) THEN RETURN 'OPERATOR(pg_catalog.=)'; END IF;
    SELECT * INTO STRICT v_type FROM pg_type y WHERE y.oid = p_type;
    IF v_type.typtype = 'd' THEN RETURN retention._equality_operator(v_type.typbasetype); END IF;
    IF v_type.typtype = 'c' OR v_type.typelem <> 0 AND v_type.typlen = -1
        AND retention._equality_operator(v_type.typelem) IS NULL THEN
        RETURN NULL;
    END IF;
    v_family := CASE v_type.typtype WHEN 'e' THEN 'anyenum' WHEN 'r' THEN 'anyrange' WHEN 'm' THEN 'anymultirange'
                                    ELSE CASE WHEN v_type.typelem <> 0 AND v_type.typlen = -1 THEN 'anyarray' END END;
    RETURN (
        SELECT format('OPERATOR(%I.%s)', n.nspname, o.oprname)
        FROM (SELECT c.opcfamily, c.opcintype, m.amname FROM pg_opclass c
              JOIN pg_am m ON m.oid = c.opcmethod AND m.amname IN ('btree', 'hash') WHERE c.opcdefault
                AND (c.opcintype IN (p_type, v_family)
                     OR EXISTS (SELECT FROM pg_cast k WHERE k.castsource = p_type AND k.casttarget = c.opcintype
                                -- OFFSET 0: evaluated first, since it returns few rows.
                                AND k.castmethod = 'b' AND k.castcontext = 'i')) OFFSET 0) c
        JOIN pg_amop s ON s.amopfamily = c.opcfamily AND s.amoplefttype = c.opcintype AND s.amoprighttype = c.opcintype
                      AND s.amopstrategy = CASE c.amname WHEN 'btree' THEN 3 ELSE 1 END
        JOIN pg_operator o ON o.oid = s.amopopr JOIN pg_namespace n ON n.oid = o.oprnamespace
        ORDER BY c.opcintype = p_type DESC, c.amname LIMIT 1);
END $function$;
