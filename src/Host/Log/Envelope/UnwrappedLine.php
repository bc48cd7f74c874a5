<?php

declare(strict_types=1);

namespace Headroom\Host\Log\Envelope;

/**
 * A line without its envelope, and what the envelope said about it.
 *
 * @internal
 */
final readonly class UnwrappedLine
{
    /**
     * @param string $source the program that wrote the line; empty if the transport does not name it
     * @param ?string $time "2026-03-02 10:15:05", as the transport recorded it
     * @param bool $continues whether the next piece of this source continues the line
     */
    public function __construct(
        public string $text,
        public string $source = '',
        public ?string $time = null,
        public bool $continues = false,
    ) {}
}
