/** Sidecars, or parts of them, with a control plane and routes. */
@NullMarked
package io.outrigger.program.testing.mesh;

import org.jspecify.annotations.NullMarked;
