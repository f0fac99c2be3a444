"""Which value of a setting wins, and who said it; the configuration file; a user's paths."""
