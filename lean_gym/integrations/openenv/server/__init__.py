"""Server of the OpenEnv package."""
