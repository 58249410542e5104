package io.outrigger.config.endpoint;

import io.outrigger.config.route.Fraction;

/**
 * A category of dropped requests, and the share that the control plane tells clients to drop
 * (A27-10).
 */
public record DropCategory(String category, Fraction share) {}
