"""What each message of the protocol holds, in all versions: every class is its own table."""
