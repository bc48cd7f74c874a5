<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * The reason why no complete response arrived, or why a response with an accepted status is not a success.
 */
enum Failure: string
{
    case TimeoutConnecting = 'timeout_connecting';
    case TimeoutWaiting = 'timeout_waiting';
    case TimeoutReceiving = 'timeout_receiving';
    case NotResolved = 'name_not_resolved';
    case Refused = 'connection_refused';
    case NoLocalPort = 'no_local_port';
    case NotConnected = 'not_connected';
    case Tls = 'tls';
    case Reset = 'connection_reset';
    case ClosedUnanswered = 'closed_without_answer';
    case CutShort = 'answer_cut_short';
    case NotHttp = 'not_http';
    case HeaderTooLong = 'header_too_long';
    case UnexpectedBody = 'unexpected_body';
    case NotDecoded = 'body_not_decoded';
    case NothingToCapture = 'nothing_to_capture';
    case Other = 'other';

    public function outcome(): Outcome
    {
        return match ($this) {
            self::TimeoutConnecting, self::TimeoutWaiting, self::TimeoutReceiving => Outcome::Timeout,
            self::NotResolved, self::Refused, self::NoLocalPort, self::NotConnected, self::Tls => Outcome::ConnectError,
            self::Reset,
            self::ClosedUnanswered,
            self::CutShort,
            self::NotHttp,
            self::HeaderTooLong,
            self::Other => Outcome::OtherError,
            self::UnexpectedBody, self::NotDecoded, self::NothingToCapture => Outcome::WrongResponse,
        };
    }

    /** Whether a complete response arrived. */
    public function isOfResponse(): bool
    {
        return $this->outcome() === Outcome::WrongResponse;
    }

    public function label(): string
    {
        return match ($this) {
            self::TimeoutConnecting => 'timed out while connecting',
            self::TimeoutWaiting => 'timed out waiting for the response',
            self::TimeoutReceiving => 'timed out in the middle of the response',
            self::NotResolved => 'host name not resolved',
            self::Refused => 'connection refused',
            self::NoLocalPort => 'no local port left (a limit of this machine)',
            self::NotConnected => 'connection failed',
            self::Tls => 'TLS failed',
            self::Reset => 'connection reset',
            self::ClosedUnanswered => 'connection closed without a response',
            self::CutShort => 'response cut short',
            self::NotHttp => 'response is not HTTP',
            self::HeaderTooLong => 'response header too long',
            self::UnexpectedBody => 'body without the expected text',
            self::NotDecoded => 'compressed body that cannot be decoded',
            self::NothingToCapture => 'response without a value to capture',
            self::Other => 'other error',
        };
    }
}
