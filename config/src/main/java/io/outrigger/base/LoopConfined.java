package io.outrigger.base;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Target;

/** The type's state belongs to one data-plane event loop. */
@Documented
@Target(ElementType.TYPE)
public @interface LoopConfined {}
