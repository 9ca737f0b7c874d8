"""A model as a service: HTTP requests as UDPipe's service takes them, and a page to try it."""
