package io.outrigger.config.endpoint;

import io.outrigger.config.route.Fraction;

/** A share of requests that are dropped by order of the control plane (A27-10). */
public record DropCategory(String category, Fraction share) {}
