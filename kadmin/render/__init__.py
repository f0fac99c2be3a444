"""Tables, plain lines and documents; the only importer of rich."""
