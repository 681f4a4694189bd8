// uWebSockets.js is not on the npm registry and its binaries need glibc 2.38. The service image
// replaces this folder by the upstream release; everywhere else the Node adapter serves HTTP.
const error = new Error(
  'uWebSockets.js is not installed: the Node http adapter is used instead (see docs/architecture.md)',
);
error.code = 'ERR_UWEBSOCKETS_PLACEHOLDER';
throw error;
