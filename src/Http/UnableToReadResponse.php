<?php

declare(strict_types=1);

namespace Headroom\Http;

use Headroom\Core\Retryable;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * What another server answered can not be used. Its connection is of no use any more either.
 *
 * @internal
 */
final class UnableToReadResponse extends RuntimeException implements Retryable
{
    private function __construct(string $message)
    {
        parent::__construct(TerminalText::line("The server's answer can not be read: {$message}"));
    }

    public static function refused(HttpError $refused): self
    {
        return new self($refused->detail);
    }

    public static function statusLine(string $seen): self
    {
        return new self(
            "it begins with '".TerminalText::name(mb_scrub($seen, 'UTF-8'), 80)
                ."', which is no status line of HTTP/1.1.",
        );
    }

    public static function statusLineTooLong(int $limit): self
    {
        return new self("its status line has more than {$limit} bytes.");
    }

    public static function upgraded(): self
    {
        return new self('it changes to another protocol (101), which nobody asked it to.');
    }

    public static function interimOnly(int $most): self
    {
        return new self("more than {$most} interim answers (1xx) came, and no final one.");
    }

    public static function bodyTooLarge(int $limit): self
    {
        return new self("its body has more than {$limit} bytes. Raise the limit, or ask for less.");
    }

    public static function closedEarly(int $bytes): self
    {
        return new self(
            $bytes === 0
                ? 'the connection was closed before any of it.'
                : "the connection was closed before its end, {$bytes} bytes of it had come.",
        );
    }
}
