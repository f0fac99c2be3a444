eval "$("${1:-kadmin-kafka}" completion bash)"
