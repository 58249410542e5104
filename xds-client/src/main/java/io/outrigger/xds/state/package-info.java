/**
 * The folder of {@code --state}. The folder contains acknowledged resources. If no control plane
 * answers at the start, these resources are used.
 */
@NullMarked
package io.outrigger.xds.state;

import org.jspecify.annotations.NullMarked;
