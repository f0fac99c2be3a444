"""The embedded log cluster: values, pure cores and the shells that run them."""
