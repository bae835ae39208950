"""The warband pages: request in, one domain call, template out."""
