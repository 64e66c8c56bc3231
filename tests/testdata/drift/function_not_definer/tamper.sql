ALTER FUNCTION retention.pause(text, text) SECURITY INVOKER;
