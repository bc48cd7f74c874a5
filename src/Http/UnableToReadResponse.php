<?php

declare(strict_types=1);

namespace Headroom\Http;

use Headroom\Core\Retryable;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * A server's response cannot be read, and its connection cannot be used again.
 *
 * @internal
 */
final class UnableToReadResponse extends RuntimeException implements Retryable
{
    private const SHOWN_BYTES = 60;

    private function __construct(public readonly ResponseFault $fault, string $message)
    {
        parent::__construct(TerminalText::line($message));
    }

    public static function refused(HttpError $error): self
    {
        return new self(
            match ($error->status) {
                413 => ResponseFault::BodyTooLarge,
                431 => ResponseFault::HeaderTooLarge,
                default => ResponseFault::NotHttp,
            },
            $error->detail,
        );
    }

    public static function statusLine(string $seen): self
    {
        return new self(
            ResponseFault::NotHttp,
            "the response does not begin with a status line of HTTP/1: '"
                .TerminalText::name(mb_scrub(explode("\n", $seen, 2)[0], 'UTF-8'), self::SHOWN_BYTES)."'",
        );
    }

    public static function upgraded(): self
    {
        return new self(ResponseFault::NotHttp, 'the server changes to another protocol (101) without being asked');
    }

    public static function interimOnly(int $most): self
    {
        return new self(
            ResponseFault::NotHttp,
            "the server sent more than {$most} interim responses (1xx) and no final one",
        );
    }

    public static function headerTooLarge(int $line, int $header): self
    {
        return new self(
            ResponseFault::HeaderTooLarge,
            "the header has more than {$header} bytes, or one line of it more than {$line}."
                .' Shorten what the server sends, such as cookies.',
        );
    }

    public static function bodyTooLarge(int $limit): self
    {
        return new self(
            ResponseFault::BodyTooLarge,
            "the body has more than {$limit} bytes. Raise the limit, or request less.",
        );
    }

    public static function missing(): self
    {
        return new self(ResponseFault::Missing, 'the server closed the connection without a response');
    }

    public static function truncatedHeader(): self
    {
        return new self(
            ResponseFault::TruncatedHeader,
            'the server closed the connection in the middle of the header',
        );
    }

    public static function truncatedBody(int $bytes): self
    {
        return new self(
            ResponseFault::TruncatedBody,
            "the server closed the connection after {$bytes} bytes of the body, before its end",
        );
    }
}
