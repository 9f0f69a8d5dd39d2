// `import SallyportRelay` brings the addresses of its listeners.

@_exported public import ServiceSockets
