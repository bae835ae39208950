#!/usr/bin/env python
"""Run a management command, such as `manage.py migrate`."""

import os
import sys
from pathlib import Path

from config.env import refuse


def main() -> None:
    # Nobody looks for a database in the folder of a release, where a stray command would make one.
    if not os.environ.get("DATA_DIR") and not (Path(__file__).parent / "var").is_dir():
        refuse(
            "DATA_DIR",
            "is not set, and there is no site in ./var. script/manage runs a command with the "
            "settings of a service; script/server makes a site in ./var.",
        )
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
