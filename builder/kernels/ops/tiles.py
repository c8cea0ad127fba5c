"""Operations on tiles (see ``special.py``)."""
