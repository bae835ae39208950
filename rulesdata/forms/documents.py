"""Documents that people upload: a file, or its text."""

from typing import Any, ClassVar

from django import forms

from accounts.form_fields import DocumentInput
from accounts.forms import RefusalForm
from engine.records import Fields


class DocumentForm(RefusalForm):
    """A document as a file or as text; a form of it says how large it may be."""

    most_bytes: ClassVar[int]
    file_kinds: ClassVar[str]

    file = forms.FileField(label="File", required=False)
    text = forms.CharField(
        label="Or its text",
        required=False,
        strip=False,
        widget=DocumentInput(attrs={"rows": 14, "class": "code"}),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields[
            "file"
        ].help_text = f"{self.file_kinds} With both a file and a text, the file is used."

    def clean_file(self) -> Any:
        """Return the bytes of the file, None without one."""
        upload = self.cleaned_data["file"]
        if upload is None:
            return None
        if upload.size > self.most_bytes:
            raise forms.ValidationError(
                f"File: at most {self.most_bytes:,} bytes; this has {upload.size:,}."
            )
        return upload.read()

    def clean(self) -> Fields:
        """Ask for a file or a text."""
        cleaned = super().clean() or {}
        has_text = bool((cleaned.get("text") or "").strip())
        if not self.errors and not cleaned.get("file") and not has_text:
            self.add_error("text", "Or its text: choose a file, or paste its text here.")
        return cleaned

    @property
    def raw(self) -> bytes | str:
        """What was sent; only of a valid form."""
        raw: bytes | str = self.cleaned_data.get("file") or self.cleaned_data["text"]
        return raw
