<?php

declare(strict_types=1);

namespace Headroom\Core;

/**
 * A structured value of an event, as the JSON text that it was encoded to when the event was accepted.
 */
final readonly class Json
{
    public function __construct(public string $text) {}

    /**
     * The JSON on one line. Line breaks are only between tokens, and JSON allows a space there instead.
     *
     * @internal
     */
    public function line(): string
    {
        return strtr($this->text, "\r\n", '  ');
    }
}
