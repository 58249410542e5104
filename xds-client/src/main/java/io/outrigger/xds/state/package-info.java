/**
 * The folder of {@code --state}. It contains acknowledged resources, which are used when the
 * process starts while no control plane answers.
 */
@NullMarked
package io.outrigger.xds.state;

import org.jspecify.annotations.NullMarked;
