"""All programs, subject by subject."""

from __future__ import annotations

from tests.reference import programs_custom_gradient, programs_gradient, programs_recording, programs_variables

SUBJECTS = (programs_recording, programs_gradient, programs_variables, programs_custom_gradient)
PROGRAMS = {
    name: function
    for subject in SUBJECTS
    for name, function in vars(subject).items()
    if getattr(function, "is_program", False)
}
