/** Peers that attack a running sidecar over real sockets, from the app's side and the backend's. */
@NullMarked
package io.outrigger.abuse;

import org.jspecify.annotations.NullMarked;
