"""Files: the store of the stages, built folders, token counts and stats."""
