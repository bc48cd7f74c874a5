<?php

declare(strict_types=1);

namespace Headroom\Load\Transport;

use RuntimeException;

/**
 * Why the body of a response cannot be decoded; completes a sentence.
 *
 * @internal
 */
final class UnableToDecode extends RuntimeException
{
    private function __construct(string $message)
    {
        parent::__construct($message);
    }

    public static function missing(string $coding, string $extension): self
    {
        return new self("this PHP cannot decode {$coding} without the extension {$extension}");
    }

    public static function unknown(): self
    {
        return new self('load cannot decode that');
    }

    public static function tooMany(int $most): self
    {
        return new self("it has more than {$most} codings");
    }

    public static function broken(string $coding): self
    {
        return new self("its bytes are not {$coding}");
    }

    public static function cutShort(): self
    {
        return new self('its compressed data ends too early');
    }

    public static function tooLarge(int $most): self
    {
        return new self('it is larger than '.number_format($most).' bytes when decoded');
    }
}
