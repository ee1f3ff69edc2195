// Runs the host, which simulates, as WebAssembly in a web worker, so that no server is needed. Receives
// commands as JSON strings; posts messages of the host as JSON strings and ArrayBuffers.
'use strict';

let host = null;
const earlyCommands = []; // received before the module was loaded

onmessage = ({ data }) => (host ? host.command(data) : earlyCommands.push(data));

function start(wasm) {
  const memory = wasm.memory;
  const bytes = (address, length) => new Uint8Array(memory.buffer, address, length);
  let last = performance.now();
  let timer = 0; // 0: none is set, because the simulation is paused or has blown up

  function postMessages() {
    for (let kind = wasm.take(); kind !== 0; kind = wasm.take()) {
      const message = bytes(wasm.message(), wasm.message_length());
      if (kind === 1) {
        postMessage(new TextDecoder().decode(message));
      } else {
        const copy = message.slice().buffer;
        postMessage(copy, [copy]);
      }
    }
  }

  function tick() {
    const now = performance.now();
    wasm.advance((now - last) / 1000);
    last = now;
    postMessages();
    schedule();
  }

  function schedule() {
    const due = wasm.due();
    timer = due < 0 ? 0 : setTimeout(tick, 1000 * due);
  }

  wasm.begin();
  schedule();
  return {
    command(text) {
      const command = new TextEncoder().encode(text);
      bytes(wasm.command(command.length), command.length).set(command);
      wasm.receive();
      postMessages();
      if (timer === 0) {
        last = performance.now();
        schedule();
      }
    },
  };
}

try {
  const imports = { page: { now: () => performance.now() / 1000 } };
  const { instance } = await WebAssembly.instantiateStreaming(fetch('./taut.wasm'), imports);
  host = start(instance.exports);
  earlyCommands.forEach(host.command);
} catch (error) {
  postMessage(JSON.stringify({ say: 'error', text: `The simulation could not be started: ${error}` }));
}
