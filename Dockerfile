# The command and the studio: docs/how-to/containers.md shows how to run it.
FROM python:3.13-slim-bookworm AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY unweave unweave
RUN python -m venv /opt/unweave \
 && /opt/unweave/bin/pip install --no-cache-dir --disable-pip-version-check ".[studio]"

FROM python:3.13-slim-bookworm
COPY --from=build /opt/unweave /opt/unweave
RUN useradd --uid 10001 --home-dir /pages --no-create-home --shell /usr/sbin/nologin unweave \
 && mkdir /pages \
 && chown unweave /pages
ENV PATH=/opt/unweave/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
USER unweave
WORKDIR /pages
EXPOSE 8000
ENTRYPOINT ["unweave"]
CMD ["--help"]
