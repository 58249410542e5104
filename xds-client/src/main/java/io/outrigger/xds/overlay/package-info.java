/**
 * The overlay: local rules that change the clusters and routes of the control plane (CONTRACT
 * section 11). The classes determine to which resources a rule applies, and merge the fields of a
 * rule into a message. A merged message is decoded as if the control plane had sent it. All classes
 * except {@link io.outrigger.xds.overlay.Merge} are immutable.
 */
@NullMarked
package io.outrigger.xds.overlay;

import org.jspecify.annotations.NullMarked;
