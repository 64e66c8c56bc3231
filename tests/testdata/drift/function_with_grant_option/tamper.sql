GRANT EXECUTE ON FUNCTION retention.adopt(text) TO retention_operator WITH GRANT OPTION;
