"""Operations on memory: array views, atomics that give the old value, searches (see ``special.py``)."""
