package io.outrigger.config.route;

import io.outrigger.config.overlay.OverlayEffect;

/**
 * What local policy did to a route.
 *
 * @param own the control plane's action
 */
public record RouteOverlay(RouteAction own, OverlayEffect effect) {}
