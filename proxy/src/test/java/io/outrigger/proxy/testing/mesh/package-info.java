/** Sidecars, or parts of them, with a control plane and routes. */
@NullMarked
package io.outrigger.proxy.testing.mesh;

import org.jspecify.annotations.NullMarked;
