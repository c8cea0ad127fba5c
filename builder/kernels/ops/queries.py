"""Spatial queries on hash grids, bounding volume hierarchies, meshes, volumes, textures (see ``special.py``)."""
