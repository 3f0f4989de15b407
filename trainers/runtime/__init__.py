"""Process-level services: signals, atomic files, terminal, seeding."""
