// Connects to the host in a worker of this page, where it runs as WebAssembly. The messages are the same as with a
// server.

/** Starts the worker. The parameters and the result are those of `connectSocket` in `socket.js`. */
export function connectWorker(handlers) {
  const worker = new Worker(new URL('worker.js', location.href), { type: 'module' });
  let isOpen = false;
  let hasStopped = false;
  // The connection counts as open from the first message on.
  const open = () => {
    if (!isOpen) {
      isOpen = true;
      handlers.open();
    }
  };
  worker.onmessage = ({ data }) => {
    open();
    if (typeof data === 'string') handlers.text(data);
    else handlers.binary(data);
  };
  worker.onerror = (event) => {
    hasStopped = true;
    handlers.closed(`The simulation has stopped: ${event.message || 'its worker could not be loaded'}`);
  };
  return {
    send(text) {
      worker.postMessage(text); // the worker keeps commands until it has loaded the module
      return !hasStopped;
    },
  };
}
