"""Cross-call source dedup: the policy, its facts and its decisions."""
