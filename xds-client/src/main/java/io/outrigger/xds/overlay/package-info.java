/**
 * Local policy over what the control plane sends (CONTRACT section 11): rules, which resources each
 * of them is for, and how their fields are laid over a message. What is laid over is decoded as if
 * the control plane had sent it. Immutable but for {@link io.outrigger.xds.overlay.Merge}.
 */
@NullMarked
package io.outrigger.xds.overlay;

import org.jspecify.annotations.NullMarked;
