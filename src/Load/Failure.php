<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * Why no whole answer arrived, or why one with a good status was none.
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
            self::UnexpectedBody, self::NotDecoded, self::NothingToCapture => Outcome::WrongAnswer,
        };
    }

    /** Whether the answer arrived whole. */
    public function isOfAnswer(): bool
    {
        return $this->outcome() === Outcome::WrongAnswer;
    }

    public function words(): string
    {
        return match ($this) {
            self::TimeoutConnecting => 'timed out while connecting',
            self::TimeoutWaiting => 'timed out waiting for the answer',
            self::TimeoutReceiving => 'timed out in the middle of the answer',
            self::NotResolved => 'host name not resolved',
            self::Refused => 'connection refused',
            self::NoLocalPort => 'no local port left (a limit of this client)',
            self::NotConnected => 'connection failed',
            self::Tls => 'TLS failed',
            self::Reset => 'connection reset',
            self::ClosedUnanswered => 'connection closed without an answer',
            self::CutShort => 'answer cut short',
            self::NotHttp => 'answer is not HTTP',
            self::HeaderTooLong => 'answer with a header that is too long',
            self::UnexpectedBody => 'body without the expected text',
            self::NotDecoded => 'compressed body that cannot be read',
            self::NothingToCapture => 'answer without what the next steps need',
            self::Other => 'other error',
        };
    }
}
