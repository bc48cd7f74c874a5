<?php

declare(strict_types=1);

namespace Headroom\Host\Log\Transport;

/**
 * A line as a transport handed it on.
 *
 * @internal
 */
final readonly class Carried
{
    /**
     * @param string $source which of the interleaved programs wrote it; empty where the transport does not tell
     * @param ?string $time "2026-03-02 10:15:05", as the transport noted it
     * @param bool $goesOn its end comes in the next piece of this source
     */
    public function __construct(
        public string $text,
        public string $source = '',
        public ?string $time = null,
        public bool $goesOn = false,
    ) {}
}
