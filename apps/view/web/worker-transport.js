// Connects to the host as WebAssembly in a worker of this page: the same messages, without a server.

/** Has the parameters and the result of `connectSocket`. */
export function connectWorker(handlers) {
  const worker = new Worker(new URL('worker.js', location.href), { type: 'module' });
  let isOpen = false;
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
    isOpen = false;
    handlers.closed(`The simulation has stopped: ${event.message || 'its worker could not be loaded'}`);
  };
  return {
    send(text) {
      worker.postMessage(text);
      return isOpen;
    },
  };
}
