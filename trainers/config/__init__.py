"""Settings: models, configuration files, command line."""
