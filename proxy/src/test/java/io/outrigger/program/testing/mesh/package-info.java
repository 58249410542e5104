/** Sidecars, or parts of them, with a control plane and routes. */
package io.outrigger.program.testing.mesh;
