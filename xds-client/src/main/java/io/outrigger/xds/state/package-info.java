/**
 * The folder of {@code --state}: the acknowledged resources of the control planes, for a start
 * while no control plane answers.
 */
@NullMarked
package io.outrigger.xds.state;

import org.jspecify.annotations.NullMarked;
