"""Training over several processes: collectives, FSDP, DeepSpeed ZeRO."""
