package io.outrigger.base;

/** A gRPC status that does not depend on a gRPC library; {@code message} may be empty. */
public record RpcStatus(Code code, String message) {
  public static final RpcStatus OK = new RpcStatus(Code.OK, "");

  /** The status codes of gRPC, ordered by number. */
  public enum Code {
    OK(0),
    CANCELLED(1),
    UNKNOWN(2),
    INVALID_ARGUMENT(3),
    DEADLINE_EXCEEDED(4),
    NOT_FOUND(5),
    ALREADY_EXISTS(6),
    PERMISSION_DENIED(7),
    RESOURCE_EXHAUSTED(8),
    FAILED_PRECONDITION(9),
    ABORTED(10),
    OUT_OF_RANGE(11),
    UNIMPLEMENTED(12),
    INTERNAL(13),
    UNAVAILABLE(14),
    DATA_LOSS(15),
    UNAUTHENTICATED(16);

    private static final Code[] BY_NUMBER = values();

    private final int number;

    Code(int number) {
      this.number = number;
    }

    public int number() {
      return number;
    }

    public static Code ofNumber(int number) {
      return number >= 0 && number < BY_NUMBER.length ? BY_NUMBER[number] : UNKNOWN;
    }

    /**
     * Returns the code for a response with an HTTP status but without a gRPC status (SC-18); never
     * OK.
     */
    public static Code ofHttpStatus(int status) {
      return switch (status) {
        case 400 -> INTERNAL;
        case 401 -> UNAUTHENTICATED;
        case 403 -> PERMISSION_DENIED;
        case 404 -> UNIMPLEMENTED;
        case 429, 502, 503, 504 -> UNAVAILABLE;
        default -> UNKNOWN;
      };
    }
  }

  public static RpcStatus unavailable(String message) {
    return new RpcStatus(Code.UNAVAILABLE, message);
  }

  public static RpcStatus internal(String message) {
    return new RpcStatus(Code.INTERNAL, message);
  }

  public boolean isOk() {
    return code == Code.OK;
  }

  /** Whether a resource error with this status means that the resource is absent (A88). */
  public boolean isAbsence() {
    return code == Code.NOT_FOUND || code == Code.PERMISSION_DENIED;
  }

  public RpcStatus withPrefix(String prefix) {
    return new RpcStatus(code, message.isEmpty() ? prefix : prefix + ": " + message);
  }

  /** Returns this status with {@code note} appended to the message; {@code note} may be empty. */
  public RpcStatus withNote(String note) {
    return message.endsWith(note) ? this : new RpcStatus(code, message + "; " + note);
  }

  /**
   * Returns UNAVAILABLE with the message of this status, for calls that fail because the control
   * plane or name resolution has failed (A88 "status codes", A54).
   */
  public RpcStatus forDataPlane() {
    return code == Code.UNAVAILABLE ? this : new RpcStatus(Code.UNAVAILABLE, message);
  }

  /** Returns this status, or INTERNAL if a control plane must not choose this status code (A54). */
  public RpcStatus restricted() {
    return switch (code) {
      case OK,
          INVALID_ARGUMENT,
          NOT_FOUND,
          ALREADY_EXISTS,
          FAILED_PRECONDITION,
          ABORTED,
          OUT_OF_RANGE,
          DATA_LOSS ->
          internal("illegal status from the control plane: " + this);
      default -> this;
    };
  }

  @Override
  public String toString() {
    return message.isEmpty() ? code.toString() : code + ": " + message;
  }
}
