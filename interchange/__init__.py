"""Files of other apps: bytes in, plain values out. No Django, no schema and no document of ours."""
