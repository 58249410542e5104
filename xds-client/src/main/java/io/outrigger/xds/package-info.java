/**
 * The XdsClient as the rest of the program sees it: watch a resource, hear of its changes and
 * errors (A57, A88). Everything runs on the control loop.
 */
@NullMarked
package io.outrigger.xds;

import org.jspecify.annotations.NullMarked;
