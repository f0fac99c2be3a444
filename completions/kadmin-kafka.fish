kadmin-kafka completion fish | source
