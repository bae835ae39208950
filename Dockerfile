# The site as one image: the same scripts as on a machine, without root, with everything it keeps in /data.
ARG PYTHON=python:3.11-slim-bookworm
FROM $PYTHON AS packages
WORKDIR /app
COPY requirements/base.txt requirements/
RUN python -m venv .venv \
    && .venv/bin/python -m pip install --no-cache-dir --require-hashes --only-binary :all: -r requirements/base.txt \
    && cp requirements/base.txt .venv/installed-base.txt

FROM $PYTHON
# What WeasyPrint draws with, and pg_dump for backups of PostgreSQL. Versions are those of the Debian release.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        fonts-dejavu-core fonts-noto-cjk fonts-noto-color-emoji fonts-noto-core libharfbuzz-subset0 \
        libpango-1.0-0 libpangoft2-1.0-0 postgresql-client \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 1000 --no-create-home --home-dir /data muster \
    && install --directory --owner=muster --group=muster --mode=700 /data /backups
WORKDIR /app
COPY --from=packages /app/.venv .venv
COPY . .
RUN .venv/bin/python -m compileall -q accounts battles campaigns clubs config engine interchange jobs notices odds rulesdata warbands
USER 1000
ENV DATA_DIR=/data HOST=0.0.0.0 PORT=8000 PYTHONUNBUFFERED=1
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD [".venv/bin/python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
CMD ["script/server"]
