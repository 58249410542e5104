/** Peers that attack a running sidecar over real sockets, from the app's side and the backend's. */
package io.outrigger.abuse;
