package io.outrigger.base;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Target;

/** The type's state belongs to the {@link ControlLoop}; its entry points check that. */
@Documented
@Target(ElementType.TYPE)
public @interface ControlConfined {}
