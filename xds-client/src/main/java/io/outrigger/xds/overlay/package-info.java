/**
 * The overlay: local rules that change the clusters and routes of the control plane (CONTRACT
 * section 11). A merged message is decoded as if the control plane had sent the message.
 */
package io.outrigger.xds.overlay;
