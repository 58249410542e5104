/**
 * The folder of the option {@code --state}. The folder contains acknowledged resources, which are
 * used if no control plane answers at the start.
 */
@NullMarked
package io.outrigger.xds.state;

import org.jspecify.annotations.NullMarked;
