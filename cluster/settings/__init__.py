"""`server.properties`, checked and typed; reads no file and no environment."""
