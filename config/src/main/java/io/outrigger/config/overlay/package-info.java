/**
 * What local policy has changed in the control plane's resources (CONTRACT section 11), as others
 * are told of it. Immutable; any thread.
 */
@NullMarked
package io.outrigger.config.overlay;

import org.jspecify.annotations.NullMarked;
