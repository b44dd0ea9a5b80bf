"""The entry point of the command `hotshelf`: says which package is missing, if one is."""

import sys

INSTALL = "`make serve` installs it, and so does pip install --no-deps -r requirements/cpu.lock"
INSTALL_GPU = "`make serve DEVICE=gpu` installs it, and so does pip install '.[gpu]'"
_OWN = ("benchmarks", "catalog", "pipeline", "serving")


def main() -> None:
    """Run the command that the arguments name."""
    try:
        from serving.commands import app

        app()
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if not package or package in _OWN:
            raise
        sys.exit(f"hotshelf: the package {package} is not installed: {INSTALL}")


if __name__ == "__main__":
    main()
