/**
 * Why a request would go where it goes, without sending it (CONTRACT section 6, {@code /explain}).
 * The published selector and pickers are asked themselves, with a trace and with draws that are
 * decided beforehand (decision proxy-0010). Made on the control loop; what is made is immutable.
 */
@NullMarked
package io.outrigger.observe.explain;

import org.jspecify.annotations.NullMarked;
