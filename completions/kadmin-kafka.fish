complete -c kadmin-kafka -w kadmin
