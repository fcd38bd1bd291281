"""The evaluation: how well the service finds, abstains, cites and routes over the sample studio."""
