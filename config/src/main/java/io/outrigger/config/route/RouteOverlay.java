package io.outrigger.config.route;

import io.outrigger.config.overlay.OverlayEffect;

/**
 * The effect of local policy on a route.
 *
 * @param own the action as the control plane sent it
 */
public record RouteOverlay(RouteAction own, OverlayEffect effect) {}
