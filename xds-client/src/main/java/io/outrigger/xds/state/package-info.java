/**
 * The folder of {@code --state}: the acknowledged resources of the control planes, for a start
 * while no control plane answers. Files are read and written on a thread of their own.
 */
@NullMarked
package io.outrigger.xds.state;

import org.jspecify.annotations.NullMarked;
