package io.outrigger.base;

/**
 * A gRPC status as data: code and message, without a gRPC library.
 *
 * @param code what kind of result
 * @param message for people; empty when there is nothing to say
 */
public record RpcStatus(Code code, String message) {
  /** The status of a call that went well. */
  public static final RpcStatus OK = new RpcStatus(Code.OK, "");

  /** The seventeen codes of gRPC, in the order of their numbers. */
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

    /** The number on the wire. */
    public int number() {
      return number;
    }

    /** The code with that number; {@link #UNKNOWN} for a number that gRPC does not define. */
    public static Code ofNumber(int number) {
      return number >= 0 && number < BY_NUMBER.length ? BY_NUMBER[number] : UNKNOWN;
    }

    /**
     * The code of an HTTP status that came without a gRPC one (gRPC's HTTP mapping, SC-18): never
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

  public static RpcStatus deadlineExceeded(String message) {
    return new RpcStatus(Code.DEADLINE_EXCEEDED, message);
  }

  public boolean isOk() {
    return code == Code.OK;
  }

  /** The same code with {@code prefix} and a colon before the message. */
  public RpcStatus withPrefix(String prefix) {
    return new RpcStatus(code, message.isEmpty() ? prefix : prefix + ": " + message);
  }

  /**
   * What a caller may see of a failure that the control plane or name resolution caused: always
   * UNAVAILABLE, with the text kept (A88 "status codes", A54).
   */
  public RpcStatus forDataPlane() {
    return code == Code.UNAVAILABLE ? this : new RpcStatus(Code.UNAVAILABLE, message);
  }

  /**
   * A status that the proxy generates itself, restricted to the codes a library may use: others
   * become INTERNAL with the original in the text (A54).
   */
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
