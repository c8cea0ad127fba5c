from .subject import Subject
from .verdict import NOT_APPLICABLE, Verdict


def differentiate(subject: Subject) -> Verdict:
    return Verdict(NOT_APPLICABLE, "todo")
